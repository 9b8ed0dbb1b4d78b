internal import APNSVocabulary
public import PushProvider

extension Lint {
    /// What is unusual about a device token that is to be sent to Apple; empty when nothing is.
    ///
    /// - Parameter token: The token.
    /// - Returns: A warning at most: Apple promises no length.
    public static func findings(in token: DeviceToken) -> [Finding] {
        DeviceRules.length(of: token).map { [$0] } ?? []
    }

    /// What is left of a template in a payload that is sent as it is; empty when nothing is.
    ///
    /// - Parameter json: The text of the payload.
    /// - Returns: A warning about the first `{{name}}`.
    package static func placeholderFindings(in json: [UInt8]) -> [Finding] {
        guard let place = PlaceholderRules.place(in: json) else { return [] }
        let name = PeerText.printable(String(decoding: json[place], as: UTF8.self))
        return [
            Finding(
                severity: .warning, rule: "placeholder-left", place: "payload",
                location: Finding.Location(place, in: json),
                problem: "\(name) is left in the payload, and nothing fills it in.",
                advice: "Put the words there, or send it with \"pushsend batch\".")
        ]
    }
}
