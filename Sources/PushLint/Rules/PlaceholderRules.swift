internal import PushProvider

/// What is left of a template in a payload that is sent as it is.
///
/// Not a rule for every payload: in a campaign it is a template, and what a line puts in may look like one.
enum PlaceholderRules {
    static let rules: [LintRule] = [
        LintRule(
            "placeholder-left", .warning, title: "What is sent as it is has no {{name}} left in it",
            explanation: """
                "pushsend send" fills in nothing: people read the braces. "pushsend batch" fills them in from the lines of a file.
                """,
            remedy: "Put the words there, or send it with \"pushsend batch\".", source: RuleSource.seen,
            check: .sentAsIs)
    ]

    /// Names are no longer, in bytes.
    private static let longest = 60

    /// The first `{{name}}`, braces included.
    static func place(in bytes: [UInt8]) -> Range<Int>? {
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

    /// Templates of others have spaces and dots in them, ours bars and colons.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: " "):
            true
        default: false
        }
    }
}
