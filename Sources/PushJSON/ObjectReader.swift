import APNSVocabulary
import PushTime

/// What is wrong with a value, as the error of those who read it.
package protocol ReadingMistake: Error {
    /// Makes a problem of a sentence, a stable word for programs, the JSON Pointer of the value, its place and a remedy.
    static func invalid(_ detail: String, code: String, field: String?, at position: TextPosition?, remedy: String?)
        -> Self
}

/// Reads the members of a JSON or YAML object. Unknown and repeated members are refused by name.
package struct ObjectReader<Mistake: ReadingMistake> {
    package let tree: JSONTree
    package let node: Int
    /// The lines of the text. They are counted at the first problem, once for all readers of the text.
    package let positions: TreePositions
    /// The JSON Pointer of the object in the text.
    package let pointer: String
    /// The number of the first line of the text, for a stream of lines.
    package let firstLine: Int
    /// The names and the values. There are only a few, so a list is faster than a dictionary.
    private var members: [(name: String, node: Int)] = []

    /// The maximum length of a name or value in a message, in characters.
    private static var longestShown: Int { 100 }

    /// Begins to read an object.
    ///
    /// - Parameters:
    ///   - positions: The text.
    ///   - node: The object.
    ///   - pointer: The JSON Pointer of the object.
    ///   - firstLine: The number of the first line of the text.
    ///   - known: The names of all members that the object can have; `nil` for any names.
    /// - Throws: A problem if it is not an object, or has an unknown or repeated member.
    package init(
        _ positions: TreePositions, node: Int = JSONTree.root, pointer: String = "", firstLine: Int = 1,
        known: [String]?
    ) throws(Mistake) {
        tree = positions.tree
        (self.positions, self.node, self.pointer, self.firstLine) = (positions, node, pointer, firstLine)
        guard tree.nodes[node].kind == .object else { throw wrongType(node, "an object", field: pointer) }
        for child in tree.children(of: node) {
            let name = tree.key(of: child) ?? ""
            if let known, !known.contains(name) {
                let (problem, remedy) = NearestName.unknownKey(name, among: known)
                throw .invalid(
                    problem, code: "unknown_member", field: field(String(name.prefix(Self.longestShown))),
                    at: position(ofKeyOf: child), remedy: remedy)
            }
            guard !members.contains(where: { $0.name == name }) else {
                let shown = String(name.prefix(Self.longestShown))
                throw .invalid(
                    "The key \(shown.debugDescription) occurs twice.", code: "repeated_member",
                    field: field(shown), at: position(ofKeyOf: child), remedy: "Remove one.")
            }
            members.append((name, child))
        }
    }

    package init(_ value: LocatedJSON, at pointer: String = "", known: [String]?) throws(Mistake) {
        try self.init(TreePositions(value.tree), node: value.node, pointer: pointer, known: known)
    }

    // MARK: Members

    /// The value of a member; `nil` if it is missing or null.
    package func value(_ name: String) -> LocatedJSON? { child(name).map { LocatedJSON(tree, at: $0) } }

    private func child(_ name: String) -> Int? {
        guard let child = members.first(where: { $0.name == name })?.node, tree.nodes[child].kind != .null else {
            return nil
        }
        return child
    }

    /// Whether the object has a member, also if it is null.
    package func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    package var all: [(name: String, value: LocatedJSON, pointer: String)] {
        members.map { ($0.name, LocatedJSON(tree, at: $0.node), field($0.name)) }
    }

    package func required<Value>(_ name: String, _ value: Value?) throws(Mistake) -> Value {
        guard let value else {
            throw problem(name, "\(name.debugDescription) is missing.", code: "missing_member")
        }
        return value
    }

    // MARK: Problems

    /// The JSON Pointer of a member.
    package func field(_ name: String) -> String { "\(pointer)/\(JSONPointer.escaped(name))" }

    package func position(ofValue node: Int) -> TextPosition { counted(positions.position(of: node)) }

    package func position(ofByte offset: Int) -> TextPosition { counted(positions.line(of: offset)) }

    private func position(ofKeyOf node: Int) -> TextPosition { counted(positions.position(ofKeyOf: node)) }

    private func counted(_ position: TextPosition) -> TextPosition {
        TextPosition(line: position.line + firstLine - 1, column: position.column)
    }

    package func problem(
        _ name: String, _ detail: String, code: String = "invalid_value", remedy: String? = nil
    ) -> Mistake {
        .invalid(detail, code: code, field: field(name), at: position(ofValue: child(name) ?? node), remedy: remedy)
    }

    /// A value of another kind, which may be in a member or in a list.
    package func wrongType(
        _ node: Int, _ kind: String, _ name: String = "This", field: String, remedy: String? = nil
    ) -> Mistake {
        // A number that is not whole is no whole number, although its kind is right.
        let isNumber = kind == "a whole number" && tree.nodes[node].kind == .number
        let found = isNumber ? String(tree.written(node).prefix(60)) : tree.nodes[node].kind.noun
        return .invalid(
            "\(name) must be \(kind), not \(found).", code: "wrong_type", field: field,
            at: position(ofValue: node), remedy: remedy ?? self.remedy(node, instead: kind))
    }

    /// How to write a value of another kind, if that is certain.
    private func remedy(_ node: Int, instead kind: String) -> String? {
        switch (kind, tree.nodes[node].kind) {
        case ("a string", .number), ("a string", .bool):
            "Write it in quotation marks: \"\(tree.written(node).prefix(60))\"."
        case ("a whole number", .string), ("a boolean", .string):
            tree.text(of: node).flatMap { text in
                let fits = kind == "a boolean" ? text == "true" || text == "false" : Int(text) != nil
                return fits ? "Write it without quotation marks: \(text)." : nil
            }
        case ("an object", .string) where node != JSONTree.root:
            "Give the object itself, not its text in quotation marks."
        default: nil
        }
    }

    // MARK: Values

    package func read<Value>(
        _ name: String, _ kind: String, _ parse: (LocatedJSON) -> Value?
    ) throws(Mistake) -> Value? {
        guard let child = child(name) else { return nil }
        guard let value = parse(LocatedJSON(tree, at: child)) else {
            throw wrongType(child, kind, name.debugDescription, field: field(name))
        }
        return value
    }

    package func string(_ name: String) throws(Mistake) -> String? { try read(name, "a string", \.string) }

    package func string(_ name: String, bytes: ClosedRange<Int>) throws(Mistake) -> String? {
        guard let text = try string(name) else { return nil }
        guard bytes.contains(text.utf8.count), !text.utf8.contains(0) else {
            throw problem(
                name,
                "\(name.debugDescription) must have \(bytes.lowerBound) to \(bytes.upperBound) bytes and no zero byte."
            )
        }
        return text
    }

    /// A string, or a number as a text: YAML has no quotes around `id: 42`.
    package func text(_ name: String, _ kind: String = "a string") throws(Mistake) -> String? {
        try read(name, kind) { $0.kind == .bool ? nil : $0.writtenText }
    }

    package func bool(_ name: String) throws(Mistake) -> Bool? { try read(name, "a boolean", \.bool) }

    package func integer(_ name: String) throws(Mistake) -> Int? { try read(name, "a whole number", \.integer) }

    package func integer(_ name: String, in range: ClosedRange<Int>) throws(Mistake) -> Int? {
        try inRange(name, try integer(name), range)
    }

    package func number(_ name: String, in range: ClosedRange<Double>) throws(Mistake) -> Double? {
        try inRange(name, try read(name, "a number", \.number), range)
    }

    private func inRange<Value>(
        _ name: String, _ value: Value?, _ range: ClosedRange<Value>
    ) throws(Mistake) -> Value? {
        guard let value, !range.contains(value) else { return value }
        throw problem(name, "\(name.debugDescription) must be from \(range.lowerBound) to \(range.upperBound).")
    }

    /// The values of an array, with the JSON Pointer of each; none if the member is missing.
    package func list(_ name: String) throws(Mistake) -> [(value: LocatedJSON, pointer: String)] {
        let items = try read(name, "an array", \.array) ?? []
        return items.enumerated().map { ($1, "\(field(name))/\($0)") }
    }

    package func strings(_ name: String) throws(Mistake) -> [String]? {
        guard child(name) != nil else { return nil }
        return try strings(in: name, \.string)
    }

    /// A single text counts as a list of one.
    package func texts(_ name: String) throws(Mistake) -> [String]? {
        guard let value = value(name) else { return nil }
        if let text = value.writtenText { return [text] }
        return try strings(in: name, \.writtenText)
    }

    private func strings(in name: String, _ parse: (LocatedJSON) -> String?) throws(Mistake) -> [String] {
        try list(name).map { (item) throws(Mistake) in
            guard let text = parse(item.value) else {
                throw wrongType(item.value.node, "a string", field: item.pointer)
            }
            return text
        }
    }

    package func object(_ name: String, known: [String]?) throws(Mistake) -> ObjectReader? {
        guard let child = child(name) else { return nil }
        return try ObjectReader(
            positions, node: child, pointer: field(name), firstLine: firstLine, known: known)
    }

    package func choice<Value>(
        _ name: String, _ names: @autoclosure () -> [String], _ make: (String) -> Value?
    ) throws(Mistake) -> Value? {
        guard let text = try text(name) else { return nil }
        guard let value = make(text) else { throw impossible(name, text, names()) }
        return value
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(Mistake) -> Choice? where Choice.RawValue == String {
        try choice(name, Choice.allCases.map(\.rawValue), Choice.init(rawValue:))
    }

    /// A single name counts as a list of one.
    package func choices<Choice: RawRepresentable & CaseIterable & Hashable>(
        _ name: String, _ type: Choice.Type
    ) throws(Mistake) -> Set<Choice>? where Choice.RawValue == String {
        guard let texts = try texts(name) else { return nil }
        var choices: Set<Choice> = []
        for text in texts {
            guard let choice = Choice(rawValue: text) else {
                throw impossible(name, text, Choice.allCases.map(\.rawValue))
            }
            choices.insert(choice)
        }
        return choices
    }

    private func impossible(_ name: String, _ text: String, _ names: [String]) -> Mistake {
        problem(
            name, "\(String(text.prefix(Self.longestShown)).debugDescription) isn't a valid \(name).",
            remedy: NearestName.remedy(text, among: names))
    }

    /// A duration with its unit, such as `2s`.
    ///
    /// - Parameters:
    ///   - name: The member.
    ///   - isWhole: Whether only a whole number of units is allowed.
    ///   - maximum: The longest duration.
    /// - Returns: The duration; `nil` if the member is missing.
    /// - Throws: A problem with the value.
    package func duration(
        _ name: String, isWhole: Bool = false, atMost maximum: Duration? = nil
    ) throws(Mistake) -> Duration? {
        guard let child = child(name) else { return nil }
        let form =
            isWhole
            ? "Write a whole number and its unit: 90s, 21m, 2h, 30d."
            : "Write a number and its unit: 500ms, 2s, 5m, 1h."
        guard let text = tree.text(of: child) else {
            throw wrongType(
                child, "a string with a unit", name.debugDescription, field: field(name),
                remedy: Duration.advice(forBare: String(tree.written(child).prefix(60)), isWhole: isWhole) ?? form)
        }
        guard let duration = Duration(unitText: text, isWhole: isWhole) else {
            throw problem(
                name, "\(String(text.prefix(Self.longestShown)).debugDescription) isn't a duration.",
                remedy: Duration.advice(forBare: String(text.prefix(60)), isWhole: isWhole) ?? form)
        }
        if let maximum, duration > maximum { throw problem(name, "\(text) is too long: at most \(maximum.unitText).") }
        return duration
    }
}

/// JSON Pointers, RFC 6901.
package enum JSONPointer {
    package static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        return name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The pointer of the innermost value around a range of bytes, from the outermost value.
    package static func of(_ range: Range<Int>, in tree: JSONTree) -> String {
        var (pointer, node) = ("", JSONTree.root)
        while let (number, child) = tree.children(of: node).enumerated().first(where: { _, child in
            let whole =
                (tree.keyRange(of: child) ?? tree.range(of: child)).lowerBound..<tree.range(of: child).upperBound
            return whole.lowerBound <= range.lowerBound && range.upperBound <= whole.upperBound
        }) {
            pointer += "/" + (tree.key(of: child).map(escaped) ?? String(number))
            node = child
        }
        return pointer
    }
}
