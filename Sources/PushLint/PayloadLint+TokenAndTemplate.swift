internal import APNSVocabulary
public import PushProvider

extension PayloadLint {
    /// Returns what is unusual about a device token for a push to Apple; empty if nothing is.
    ///
    /// - Parameter token: The device token.
    /// - Returns: At most one warning. Apple does not document a length.
    public static func findings(in token: DeviceToken) -> [PushFinding] {
        DeviceRules.length(of: token).map { [$0] } ?? []
    }

    /// Returns the findings of a payload that may be a template of a campaign: the value of a placeholder is not known, so
    /// rules about values do not apply to it.
    ///
    /// - Parameters:
    ///   - findings: The findings of the payload.
    ///   - json: The text of the payload.
    /// - Returns: The findings without those at a value that is only a `{{name}}`.
    package static func exceptPlaceholders(_ findings: [PushFinding], in json: [UInt8]) -> [PushFinding] {
        findings.filter { finding in
            guard let range = finding.location?.bytes, range.count > 2, json.indices.contains(range.upperBound - 1)
            else {
                return true
            }
            let inside = Array(json[range.lowerBound + 1..<range.upperBound - 1])
            return json[range.lowerBound] != UInt8(ascii: "\"") || PlaceholderRules.range(in: inside) != inside.indices
        }
    }

    /// Returns a warning if a payload that is not a template contains a placeholder; otherwise empty.
    ///
    /// - Parameter json: The text of the payload.
    /// - Returns: A warning about the first `{{name}}`.
    package static func placeholderFindings(in json: [UInt8]) -> [PushFinding] {
        guard let range = PlaceholderRules.range(in: json) else { return [] }
        let name = PeerText.printable(String(decoding: json[range], as: UTF8.self))
        return [
            PushFinding(
                severity: .warning, rule: "placeholder-left", subject: "payload",
                location: PushFinding.Location(range, in: json),
                problem: "The payload contains the placeholder \(name), and no value replaces it.",
                advice: PlaceholderRules.advice)
        ]
    }
}
