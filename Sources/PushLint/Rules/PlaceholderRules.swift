internal import PushPlatform
internal import PushProvider

/// Finds a `{{name}}` in a payload that is sent without filling in values.
///
/// It does not apply to every payload: in a campaign the payload is a template, and a value of a line may contain braces.
enum PlaceholderRules {
    static let rules: [LintRule] = [
        LintRule(
            "placeholder-left", .warning, title: "A payload that is not a template has no {{name}}",
            explanation:
                "Only a campaign fills in values, from the lines of its input. In any other push, people see the braces.",
            remedy: advice, source: RuleSource.seen,
            check: .elsewhere)
    ]

    static let advice = "Replace it with text, or send the payload as the template of a campaign."

    /// The maximum length of a name, in bytes. Longer text in braces is not a placeholder.
    private static let longest = 60

    /// The range of the first `{{name}}`, including the braces; `nil` if there is none.
    static func range(in bytes: [UInt8]) -> Range<Int>? {
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        var at = 0
        while let start = bytes[at...].firstIndex(of: open) {
            at = start + 1
            guard at < bytes.count, bytes[at] == open else { continue }
            let end = bytes[(start + 2)...].prefix(longest).firstIndex { !isOfName($0) }
            guard let end, end > start + 2, end + 1 < bytes.count, bytes[end] == close, bytes[end + 1] == close else {
                continue
            }
            return start..<end + 2
        }
        return nil
    }

    /// Whether a byte can be part of a name. Templates of other tools have spaces and dots, templates of campaigns have bars and
    /// colons.
    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "_-.|: ".utf8.contains(byte)
    }
}
