import PushProvider

extension SendCommand {
    /// Whether the user may be asked for missing options.
    var mayAsk: Bool { !how.json && Prompt.isPossible }

    /// On a terminal, asks for the key or certificate.
    mutating func askForSigner() throws {
        guard mayAsk, signerOptions.isMissing(settings),
            try identityOptions.source(beside: signerOptions, settings) == nil
        else { return }
        do {
            try askForKey()
        } catch is Prompt.Unanswered {
            // From now on, missing options are reported as in a pipe.
            answers.areEnough = true
        }
    }

    /// On a terminal, asks for the options that a push needs, and then prints the command line with all of them.
    mutating func askForMessage(_ certificate: PushCertificate?, _ reader: IdentityReader?) throws {
        guard mayAsk, !answers.areEnough else { return }
        // Ask for the environment only if something else was asked. Otherwise only report which one is used.
        let isAsked = answers.areAny || lacksTopic(certificate) || lacksToken || payloadOptions.isEmpty
        if let name = reader?.chosenName { answers.add("--identity", name) }
        do {
            if lacksTopic(certificate) { try askForTopic(certificate) }
            if isAsked, targetOptions.isUndecided(signer: signerOptions, certificate, settings) {
                try askForEnvironment()
            }
            if lacksToken { try askForToken() }
            if payloadOptions.isEmpty { try askForText() }
        } catch is Prompt.Unanswered {
            return
        }
        answers.printCommand()
    }

    // MARK: Credentials

    private mutating func askForKey() throws {
        if !signerOptions.hasOwnKey(settings) {
            let file = try KeyQuestion.askForFile(
                // X marks the key id, as in the names of Apple's key files.
                """
                The key, AuthKey_XXXXXXXXXX.p8: developer.apple.com, Certificates, Identifiers & Profiles, Keys. \
                It can be downloaded once. Or a certificate with its key, .p12 or .pem.
                """)
            if accept(certificate: file) { return }
            signerOptions.keyFile = file
            answers.add("--key", file)
        }
        if signerOptions.ownKeyID(settings) == nil {
            let id = try KeyQuestion.askForKeyID(
                "The key id, ten characters: next to the key at developer.apple.com, and in its file's original name.")
            signerOptions.keyID = id
            answers.add("--key-id", id)
        }
        if signerOptions.ownTeamID(settings) == nil {
            let id = try KeyQuestion.askForTeamID(keyID: signerOptions.ownKeyID(settings))
            signerOptions.teamID = id
            answers.add("--team-id", id)
        }
    }

    private mutating func accept(certificate file: String) -> Bool {
        switch KeyQuestion.kind(file) {
        case .key: return false
        case .p12:
            identityOptions.p12 = file
            answers.add("--p12", file)
        case .pem:
            identityOptions.certificate = file
            answers.add("--cert", file)
        }
        return true
    }

    // MARK: Message and environment

    private func lacksTopic(_ certificate: PushCertificate?) -> Bool {
        guard headers.topic == nil, settings.value(.topic) == nil, headers.topic(of: certificate) == nil else {
            return false
        }
        // An unreadable payload is reported later. Standard input is not read twice.
        guard payloadOptions.payload != nil, payloadOptions.payload != "-" else { return payloadOptions.payload == nil }
        return (try? payloadOptions.composed())?.bundleID == nil
    }

    private mutating func askForTopic(_ certificate: PushCertificate?) throws {
        let topic = try MessageQuestion.askForTopic(certificate, teamID: signerOptions.ownTeamID(settings))
        headers.topic = topic
        answers.add("--topic", topic)
    }

    private var lacksToken: Bool { tokens.isEmpty && Fallback.tokens.isEmpty && settings.onlyDevice == nil }

    private mutating func askForEnvironment() throws {
        let environment = try MessageQuestion.askForEnvironment()
        targetOptions.environment = environment
        answers.add("-e", environment.rawValue)
    }

    private mutating func askForToken() throws {
        let names = settings.devices.map(\.nickname)
        let offer = names.isEmpty ? "" : "\nOr a nickname: \(names.prefix(20).joined(separator: ", "))."
        let answer = try Prompt.ask(
            "Device token",
            hint: "The device token, in hex, as the app printed it. You can paste the whole console line.\(offer)"
        ) { answer in
            (
                nickname: names.contains(answer) ? answer : nil,
                token: try MessageQuestion.token(try settings.token(answer))
            )
        }
        tokens = [answer.token]
        answers.add(answer.nickname ?? answer.token)
    }

    private mutating func askForText() throws {
        let text = try Prompt.ask(
            "Text", hint: "The text of the notification. For a title use -t, for a complete payload --payload FILE.",
            check: MessageQuestion.text
        )
        payloadOptions.message = text
        // A text that begins with a hyphen must not look like a flag.
        answers.add(text.hasPrefix("-") ? ["--message=\(text)"] : ["-m", text])
    }
}
