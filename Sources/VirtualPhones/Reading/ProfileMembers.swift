import APNSVocabulary
import MockAPNs
import PushTime

/// The members of an object in a profile. Unknown and repeated members are refused.
struct ProfileMembers {
    private let members: [MockJSON.Member]
    private let location: MockJSON.Location?
    /// The JSON Pointer of the object.
    let pointer: String

    /// Begins to read an object.
    ///
    /// - Parameters:
    ///   - tree: The value.
    ///   - pointer: The JSON Pointer of the value.
    ///   - what: What the object is, for the message: "an app".
    ///   - known: The names of all members that it can have; `nil` for any names.
    /// - Throws: ``PhoneProfileError``.
    init(_ tree: MockJSON, at pointer: String, _ what: String, known: [String]?) throws(PhoneProfileError) {
        guard case .object(let members) = tree.value else {
            throw PhoneProfileError(
                "This must be \(what), with names and values, not \(tree.kind).", at: pointer, tree.location)
        }
        self.members = members
        self.pointer = pointer
        location = tree.location
        var seen: Set<String> = []
        for member in members {
            let field = "\(pointer)/\(Self.escaped(member.name))"
            if let known, !known.contains(member.name) {
                let meant = NearName.of(member.name, among: known).map { "Did you mean \"\($0)\"? " } ?? ""
                throw PhoneProfileError(
                    "Unknown key \(member.name.debugDescription) in \(what).", at: field, member.value.location,
                    remedy: "\(meant)Known keys: \(known.joined(separator: ", ")).")
            }
            guard seen.insert(member.name).inserted else {
                throw PhoneProfileError(
                    "The key \(member.name.debugDescription) occurs twice.", at: field, member.value.location,
                    remedy: "Remove one.")
            }
        }
    }

    private static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// All members, with the JSON Pointer of each.
    var all: [(name: String, value: MockJSON, pointer: String)] {
        members.map { ($0.name, $0.value, field($0.name)) }
    }

    /// The value of a member; `nil` if it is missing or null.
    func value(_ name: String) -> MockJSON? {
        guard let value = members.first(where: { $0.name == name })?.value, value.value != .null else { return nil }
        return value
    }

    func field(_ name: String) -> String { "\(pointer)/\(Self.escaped(name))" }

    func problem(_ name: String, _ message: String, remedy: String? = nil) -> PhoneProfileError {
        PhoneProfileError(message, at: field(name), value(name)?.location ?? location, remedy: remedy)
    }

    private func read<Value>(
        _ name: String, _ kind: String, _ parse: (MockJSON) -> Value?
    ) throws(PhoneProfileError) -> Value? {
        guard let tree = value(name) else { return nil }
        guard let value = parse(tree) else {
            throw problem(name, "\(name.debugDescription) must be \(kind), not \(tree.kind).")
        }
        return value
    }

    /// A text. A number counts, too: YAML has no quotes around `id: 42`.
    func text(_ name: String) throws(PhoneProfileError) -> String? { try read(name, "a text", \.plainText) }

    func flag(_ name: String) throws(PhoneProfileError) -> Bool? {
        try read(name, "true or false", \.bool)
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws(PhoneProfileError) -> Double? {
        guard let number = try read(name, "a number", \.number) else { return nil }
        guard range.contains(number) else {
            throw problem(name, "\(name.debugDescription) must be from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// A time with its unit: `1600ms`, `2s`, `1m`.
    func duration(_ name: String) throws(PhoneProfileError) -> Duration? {
        guard let text = try read(name, "a time with its unit", \.string) else { return nil }
        guard let duration = Duration(unitText: text) else {
            throw problem(
                name, "\(text.debugDescription) is not a time.", remedy: "Write a number and its unit: 500ms, 2s, 1m.")
        }
        guard duration <= .seconds(86_400) else {
            throw problem(name, "\(text.debugDescription) is too long.", remedy: "Write at most 1d.")
        }
        return duration
    }

    func list(_ name: String) throws(PhoneProfileError) -> [(value: MockJSON, pointer: String)] {
        let items = try read(name, "a list", \.array) ?? []
        return items.enumerated().map { ($1, "\(field(name))/\($0)") }
    }

    /// A list of texts; a single text counts as a list of one.
    func texts(_ name: String) throws(PhoneProfileError) -> [String]? {
        guard let tree = value(name) else { return nil }
        if let text = tree.plainText { return [text] }
        var texts: [String] = []
        for (item, pointer) in try list(name) {
            guard let text = item.plainText else {
                throw PhoneProfileError("This must be a text, not \(item.kind).", at: pointer, item.location)
            }
            texts.append(text)
        }
        return texts
    }

    /// A text that must be one of these names.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(PhoneProfileError) -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw problem(
                name, "\(text.debugDescription) is not possible for \(name.debugDescription).",
                remedy: "Possible: \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return choice
    }

    /// An object in a member; `nil` if it is missing.
    func object(_ name: String, _ what: String, known: [String]?) throws(PhoneProfileError) -> ProfileMembers? {
        guard let tree = value(name) else { return nil }
        return try ProfileMembers(tree, at: field(name), what, known: known)
    }

    /// A member that must be there.
    func required<Value>(_ name: String, _ value: Value?) throws(PhoneProfileError) -> Value {
        guard let value else {
            throw PhoneProfileError("The key \(name.debugDescription) is missing.", at: pointer, location)
        }
        return value
    }
}
