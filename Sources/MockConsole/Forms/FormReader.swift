import APNSVocabulary
import MockAPNs
import PushHTTP
import PushPlatform
import PushTime

/// Reads the members of a JSON object and notes what is wrong, with field, position and remedy. Unknown members are
/// refused.
struct FormReader {
    private let members: [MockJSON.Member]
    private let pointer: String
    private let location: MockJSON.Location?
    private let known: [String]

    /// Begins to read an object.
    ///
    /// - Parameters:
    ///   - tree: The value.
    ///   - pointer: The JSON Pointer of the value in the body.
    ///   - known: The names of all members that it can have.
    /// - Throws: ``APIProblem`` if it is not an object, or has an unknown or repeated member.
    init(_ tree: MockJSON, at pointer: String = "", known: [String]) throws(APIProblem) {
        guard case .object(let members) = tree.value else {
            throw .invalid(
                "This must be an object, not \(tree.kind).", code: "wrong_type", field: pointer, at: tree.location)
        }
        self.members = members
        self.pointer = pointer
        location = tree.location
        self.known = known
        var seen: Set<String> = []
        for member in members {
            let field = "\(pointer)/\(Self.escaped(member.name))"
            guard known.contains(member.name) else {
                throw .invalid(
                    "Unknown member \(member.name.debugDescription).", code: "unknown_member", field: field,
                    at: member.value.location, remedy: "Known members: \(known.joined(separator: ", ")).")
            }
            guard seen.insert(member.name).inserted else {
                throw .invalid(
                    "The member \(member.name.debugDescription) occurs twice.", code: "repeated_member", field: field,
                    at: member.value.location, remedy: "Remove one.")
            }
        }
    }

    /// A member name as a part of a JSON Pointer.
    static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The value of a member; `nil` if it is missing or null.
    func value(_ name: String) -> MockJSON? {
        guard let value = members.first(where: { $0.name == name })?.value, value.value != .null else { return nil }
        return value
    }

    /// The JSON Pointer of a member.
    func field(_ name: String) -> String { "\(pointer)/\(Self.escaped(name))" }

    /// A problem with the value of a member.
    func problem(_ name: String, _ detail: String, remedy: String? = nil) -> APIProblem {
        .invalid(detail, field: field(name), at: value(name)?.location ?? location, remedy: remedy)
    }

    private func read<Value>(
        _ name: String, _ kind: String, _ parse: (MockJSON) -> Value?
    ) throws(APIProblem) -> Value? {
        guard let tree = value(name) else { return nil }
        guard let value = parse(tree) else {
            throw .invalid(
                "\(name.debugDescription) must be \(kind), not \(tree.kind).", code: "wrong_type", field: field(name),
                at: tree.location)
        }
        return value
    }

    func string(_ name: String) throws(APIProblem) -> String? { try read(name, "a string", \.string) }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(APIProblem) -> Int? {
        guard let number = try read(name, "a whole number", \.integer) else { return nil }
        guard range.contains(number) else {
            throw problem(name, "\(name.debugDescription) must be from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    func bool(_ name: String) throws(APIProblem) -> Bool? { try read(name, "true or false", \.bool) }

    func list(_ name: String) throws(APIProblem) -> [MockJSON]? { try read(name, "a list", \.array) }

    func strings(_ name: String) throws(APIProblem) -> [String]? {
        guard let list = try list(name) else { return nil }
        var strings: [String] = []
        for (index, item) in list.enumerated() {
            guard let string = item.string else {
                throw .invalid(
                    "This must be a string, not \(item.kind).", code: "wrong_type", field: "\(field(name))/\(index)",
                    at: item.location)
            }
            strings.append(string)
        }
        return strings
    }

    /// A text that must be one of these names.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(APIProblem) -> Choice? where Choice.RawValue == String {
        guard let text = try string(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw problem(name, "\(text.debugDescription) is not possible here.", remedy: "Possible: \(choices).")
        }
        return choice
    }

    /// A duration with its unit, such as `2s`.
    func duration(_ name: String, upTo most: Duration = .seconds(3600)) throws(APIProblem) -> Duration? {
        guard let text = try read(name, "a duration with its unit", \.string) else { return nil }
        guard let duration = Duration(unitText: text) else {
            throw problem(
                name, "\(text.debugDescription) is not a duration.",
                remedy: "Write a number and its unit: 500ms, 2s, 5m, 1h.")
        }
        guard duration <= most else { throw problem(name, "\(text) is too long: at most \(most).") }
        return duration
    }

    /// A time, in RFC 3339.
    func time(_ name: String) throws(APIProblem) -> Date? {
        guard let tree = value(name) else { return nil }
        guard let text = tree.plainText, let time = Date(text: text) else {
            throw problem(
                name, "\(name.debugDescription) must be a time.",
                remedy: "Write it like 2026-11-24T10:00:00Z, or in seconds since 1970. The year is at most 9999.")
        }
        return time
    }

    /// A member that must be there.
    func required<Value>(_ name: String, _ value: Value?) throws(APIProblem) -> Value {
        guard let value else {
            throw .invalid(
                "\(name.debugDescription) is missing.", code: "missing_member", field: field(name), at: location)
        }
        return value
    }
}

extension Duration {
    /// A number with its unit, in seconds or, if that is not exact, in milliseconds.
    var consoleText: String {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return "\(seconds)s" }
        return "\(Int64((self / .milliseconds(1)).rounded()))ms"
    }
}
