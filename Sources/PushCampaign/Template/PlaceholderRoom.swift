internal import PushLint

/// What can stand in the place of a placeholder without any rule of the lint saying something else of the payload.
///
/// Payloads of one template in which all values keep to their rooms are judged alike, so that a campaign of millions is not
/// read a second time line by line. A test holds this against the rules.
enum PlaceholderRoom: Sendable, Hashable {
    /// Any other value may change what is said.
    case none
    /// A text with something to read in it.
    case text
    /// A whole number of at most six digits.
    case count
    /// A text, a number or a truth value.
    case scalar

    /// The room at a place in a payload; elements of lists have an empty name.
    init(at path: [String]) {
        switch path {
        case ["aps", "alert"], ["aps", "alert", "title"], ["aps", "alert", "subtitle"], ["aps", "alert", "body"]:
            self = .text
        case ["aps", "badge"]: self = .count
        default: self = Self.isOwn(path) ? .scalar : .none
        }
    }

    /// An app's own keys are looked at where they are spelled like one of Apple's, or have a meaning to somebody else.
    private static func isOwn(_ path: [String]) -> Bool {
        guard let first = path.first, !known.contains(first.lowercased()) else { return false }
        return !path.contains { $0.lowercased().contains("attachment") }
    }

    private static let known = Set(
        KnownKey.all.map(\.name) + ["mdm", "container-identifier", "notification", "simulator target bundle"])

    /// Whether a value keeps to it.
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

    /// Something that is neither space nor escape: what is not ASCII counts as well.
    static func hasLetter(_ text: some Sequence<UInt8>) -> Bool {
        text.contains { digits.contains($0) || $0 > 0x7F || (0x61...0x7A).contains($0 | 0x20) }
    }

    /// A number that has no value is no JSON.
    private static func mayOverflow(_ json: some RandomAccessCollection<UInt8>) -> Bool {
        guard let first = json.first, digits.contains(first) || first == UInt8(ascii: "-") else { return false }
        return json.count > 300 || json.contains { $0 | 0x20 == UInt8(ascii: "e") }
    }

    private static let zero = UInt8(ascii: "0")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
