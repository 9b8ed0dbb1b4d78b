internal import PushLint

/// The values of a placeholder that do not change the findings of the lint.
///
/// If all values of two payloads of one template are in this range, the payloads have the same findings. So the
/// payloads of a campaign with millions of lines are not read a second time. A test checks this with all rules.
enum PlaceholderRange: Sendable, Hashable {
    /// Any value may change the findings.
    case none
    /// A string with visible characters.
    case text
    /// A whole number of at most six digits.
    case count
    /// A string, a number, or a boolean.
    case scalar

    /// Creates the room for a path in a payload. Elements of lists have an empty name.
    init(at path: [String]) {
        switch path {
        case ["aps", "alert"], ["aps", "alert", "title"], ["aps", "alert", "subtitle"], ["aps", "alert", "body"]:
            self = .text
        case ["aps", "badge"]: self = .count
        default: self = Self.isOwn(path) ? .scalar : .none
        }
    }

    /// Whether this is data of the app. Keys with the name of a key of Apple or of another service
    /// are not.
    private static func isOwn(_ path: [String]) -> Bool {
        guard let first = path.first, !known.contains(first.lowercased()) else { return false }
        return !path.contains { $0.lowercased().contains("attachment") }
    }

    private static let known = Set(
        KnownKey.all.map(\.name) + ["mdm", "container-identifier", "notification", "simulator target bundle"])

    /// Whether a value is in this range.
    func holds(_ json: some RandomAccessCollection<UInt8>) -> Bool {
        guard let first = json.first else { return false }
        switch self {
        case .none: return false
        case .text: return first == UInt8(ascii: "\"") && Self.hasLetter(json)
        case .count:
            return json.count <= 6 && json.allSatisfy(Self.digits.contains) && (first != Self.zero || json.count == 1)
        case .scalar: return first != UInt8(ascii: "{") && first != UInt8(ascii: "[") && !Self.mayOverflow(json)
        }
    }

    /// Whether the text has a character that is neither a space nor an escape. Non-ASCII characters count.
    static func hasLetter(_ text: some Sequence<UInt8>) -> Bool {
        text.contains { digits.contains($0) || $0 > 0x7F || (0x61...0x7A).contains($0 | 0x20) }
    }

    /// Whether a number may be too large for a Double. Such a number is rejected as invalid JSON.
    private static func mayOverflow(_ json: some RandomAccessCollection<UInt8>) -> Bool {
        guard let first = json.first, digits.contains(first) || first == UInt8(ascii: "-") else { return false }
        return json.count > 300 || json.contains { $0 | 0x20 == UInt8(ascii: "e") }
    }

    private static let zero = UInt8(ascii: "0")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
