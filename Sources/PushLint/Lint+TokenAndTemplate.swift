internal import APNSVocabulary
public import PushProvider

extension Lint {
    /// Returns what is unusual about a device token for a push to Apple; empty if nothing is.
    ///
    /// - Parameter token: The device token.
    /// - Returns: At most one warning. Apple does not document a length.
    public static func findings(in token: DeviceToken) -> [Finding] {
        DeviceRules.length(of: token).map { [$0] } ?? []
    }

    /// Returns a warning if a payload that is not a template contains a placeholder; otherwise empty.
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
                problem: "The payload contains the placeholder \(name), and no value replaces it.",
                advice: PlaceholderRules.advice)
        ]
    }
}
