internal import APNSVocabulary

/// What a topic looks like that is probably not one: a bundle id with the team id before it, with an empty part, or without a dot.
///
/// APNs decides; so these are warnings.
package enum TopicShape {
    /// Returns what is strange about a topic, and what to do; `nil` for a usual one. The topic has only valid characters.
    package static func problem(in topic: String) -> (problem: String, advice: String)? {
        let shown = TopicChecks.printable(topic)
        let parts = topic.split(separator: ".", omittingEmptySubsequences: false)
        if parts.contains("") {
            return (
                "The topic \"\(shown)\" has a dot too many.", "A bundle id has text before and after each of its dots."
            )
        }
        if parts.count == 1 {
            return ("The topic \"\(shown)\" has no dot.", "Give the app's whole bundle id, such as com.example.app.")
        }
        guard parts.count > 2, parts[0].utf8.count == APNSLimit.identifierCharacters,
            parts[0].utf8.allSatisfy(isOfTeamID)
        else { return nil }
        return (
            "The topic \"\(shown)\" seems to begin with a team id.",
            "Leave out \"\(parts[0]).\": the bundle id is \(TopicChecks.printable(parts.dropFirst().joined(separator: ".")))."
        )
    }

    private static func isOfTeamID(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
