internal import PushJSON
import PushProvider

/// Formats JSON for reading and editing: Apple's keys in the order of Apple's documentation, other keys by name, and
/// each member on its own line.
enum PrettyJSON {
    /// The keys that come first, in this order, at any level.
    private static let order = [
        "Simulator Target Bundle", "aps", "timestamp", "event", "attributes-type", "attributes", "content-state",
        "stale-date", "dismissal-date", "input-push-token", "input-push-channel", "alert", "title", "title-loc-key",
        "title-loc-args", "subtitle", "subtitle-loc-key", "subtitle-loc-args", "body", "loc-key", "loc-args",
        "launch-image", "summary-arg", "summary-arg-count", "action", "badge", "sound", "thread-id", "category",
        "content-available", "mutable-content", "content-changed", "target-content-id", "interruption-level",
        "relevance-score", "filter-criteria", "url-args", "encryptedData", "sessionIdentifier", "keyID", "messageIndex",
    ]

    private static let ranks = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })

    /// Returns the text, with a line break at its end.
    static func text(_ value: PushJSONValue) -> String {
        text(value, depth: 0) + "\n"
    }

    private static func text(_ value: PushJSONValue, depth: Int) -> String {
        switch value {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { isBefore($0.key, $1.key) }.map { name, value in
                "\(compact(.string(name))): \(text(value, depth: depth + 1))"
            }
            return block("{", lines, "}", depth)
        case .array(let elements) where elements.contains(where: \.isNested):
            return block("[", elements.map { text($0, depth: depth + 1) }, "]", depth)
        case .array(let elements): return "[\(elements.map(compact).joined(separator: ", "))]"
        case .object, .null, .bool, .integer, .number, .string: return compact(value)
        }
    }

    private static func block(_ opening: String, _ lines: [String], _ closing: String, _ depth: Int) -> String {
        let indent = String(repeating: "    ", count: depth)
        return "\(opening)\n" + lines.map { "\(indent)    \($0)" }.joined(separator: ",\n") + "\n\(indent)\(closing)"
    }

    private static func isBefore(_ left: String, _ right: String) -> Bool {
        let (leftRank, rightRank) = (ranks[left] ?? .max, ranks[right] ?? .max)
        return (leftRank, left) < (rightRank, right)
    }

    private static func compact(_ value: PushJSONValue) -> String {
        String(decoding: value.encoded, as: UTF8.self)
    }
}

extension PushJSONValue {
    fileprivate var isNested: Bool {
        switch self {
        case .array, .object: true
        case .null, .bool, .integer, .number, .string: false
        }
    }
}
