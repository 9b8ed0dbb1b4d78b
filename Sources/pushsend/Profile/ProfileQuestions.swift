import PushPlatform
import PushProvider

/// Asks on a terminal for the values of a profile.
enum ProfileQuestions {
    static func fill(_ values: inout ProfileValues) throws {
        try askForCredentials(&values)
        values.topic = try Prompt.ask("Topic", hint: MessageQuestion.topicHint(nil)) { answer in
            try MessageQuestion.topic(answer, nil, teamID: values.teamID)
        }
        values.environment = try Prompt.ask(
            "Environment", hint: MessageQuestion.environmentHint, check: MessageQuestion.environment)
        try askForDevice(&values)
    }

    private static func askForCredentials(_ values: inout ProfileValues) throws {
        let found = NearbyKeys.here
        let file = try Prompt.ask(
            "Key file",
            hint: """
                The key, AuthKey_XXXXXXXXXX.p8, or a certificate with its key, .p12 or .pem.\(found.offer)
                """,
            check: { try KeyQuestion.file(found.chosen(by: $0)) })
        switch KeyQuestion.kind(file) {
        case .p12: values.p12 = file
        case .pem: values.cert = file
        case .key:
            values.key = file
            if PushProviderKey.keyID(inFileName: file) == nil {
                values.keyID = try Prompt.ask("Key id", hint: "The key id, ten characters.") {
                    try KeyQuestion.id($0, "key id")
                }
            }
            let keyID = values.keyID ?? PushProviderKey.keyID(inFileName: file)
            values.teamID = try Prompt.ask(
                "Team id", hint: "The team id, ten characters: developer.apple.com, Membership details."
            ) { try KeyQuestion.teamID($0, keyID: keyID) }
        }
    }

    private static func askForDevice(_ values: inout ProfileValues) throws {
        let token = try Prompt.ask(
            "Device token", hint: "The token of a device, as the app printed it. Press Enter for none."
        ) { $0.isEmpty ? nil : try ProfileValues.token($0) }
        guard let token else { return }
        let nickname = try Prompt.ask("Nickname", hint: "A nickname for the device, such as phone.") {
            try SettingValue.nickname($0)
        }
        values.devices.append("\(nickname)=\(token)")
    }
}
