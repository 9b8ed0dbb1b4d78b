import PushHTTP
import PushJSON
import PushProvider
import PushQueue
import PushTime

/// Reads the members of a JSON object of a request. Unknown and repeated members are refused by name.
struct EntryForm {
    let tree: JSONTree
    let node: Int
    /// The lines of the body. They are counted at the first problem, once for all forms of the body.
    private let positions: TreePositions
    /// The JSON Pointer of the object in the body.
    let pointer: String
    /// The number of the first line of the text, for a stream of lines.
    let firstLine: Int
    /// The names and the values. There are only a few, so a list is faster than a dictionary.
    private var members: [(name: String, node: Int)] = []

    /// Begins to read an object.
    ///
    /// - Throws: ``APIProblem`` if it is not an object, or has an unknown or repeated member.
    init(
        _ positions: TreePositions, node: Int = JSONTree.root, pointer: String = "", firstLine: Int = 1,
        known: [String]
    ) throws(APIProblem) {
        tree = positions.tree
        (self.positions, self.node, self.pointer, self.firstLine) = (positions, node, pointer, firstLine)
        guard tree.nodes[node].kind == .object else {
            throw .invalid(
                "This must be an object, not \(tree.nodes[node].kind.noun).", code: "wrong_type", field: pointer,
                at: position(of: tree.range(of: node).lowerBound))
        }
        for child in tree.children(of: node) {
            let name = tree.key(of: child) ?? ""
            let start = tree.keyRange(of: child)?.lowerBound ?? 0
            guard known.contains(name) else {
                let shown = String(name.prefix(100))
                throw .invalid(
                    "Unknown member \(shown.debugDescription).", code: "unknown_member", field: field(shown),
                    at: position(of: start), remedy: NameSuggestion.remedy(name, among: known))
            }
            guard !members.contains(where: { $0.name == name }) else {
                throw .invalid(
                    "The member \(name.debugDescription) occurs twice.", code: "repeated_member",
                    field: field(name), at: position(of: start), remedy: "Remove one.")
            }
            members.append((name, child))
        }
    }

    /// The value of a member; `nil` if it is missing or null.
    func value(_ name: String) -> Int? {
        guard let child = members.first(where: { $0.name == name })?.node, tree.nodes[child].kind != .null else {
            return nil
        }
        return child
    }

    /// Whether the object has a member, also if it is null.
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// The JSON Pointer of a member.
    func field(_ name: String) -> String { "\(pointer)/\(JSONPointer.escaped(name))" }

    /// The line and column of a byte.
    func position(of offset: Int) -> TextPosition {
        var position = positions.line(of: offset)
        position.line += firstLine - 1
        return position
    }

    /// A problem with the value of a member.
    func problem(_ name: String, _ detail: String, code: String = "invalid_value", remedy: String? = nil)
        -> APIProblem
    {
        let child = value(name) ?? node
        return .invalid(
            detail, code: code, field: field(name), at: position(of: tree.range(of: child).lowerBound),
            remedy: remedy)
    }

    /// What the queue would refuse, with its position in the request.
    func problem(_ refusal: EnqueueResult.Refusal) -> APIProblem {
        var refused = APIProblem.refused(refusal, pointer: pointer)
        let name = refused.field?.split(separator: "/").last.map(String.init) ?? ""
        refused.position = problem(name, "").position
        return refused
    }

    // MARK: Values

    private func read<Value>(
        _ name: String, _ kind: String, _ parse: (Int) -> Value?
    ) throws(APIProblem) -> Value? {
        guard let child = value(name) else { return nil }
        guard let value = parse(child) else {
            throw problem(
                name, "\(name.debugDescription) must be \(kind), not \(tree.nodes[child].kind.noun).",
                code: "wrong_type", remedy: remedy(child, instead: kind))
        }
        return value
    }

    /// How to write a value of another kind, if that is certain.
    private func remedy(_ child: Int, instead kind: String) -> String? {
        switch (kind, tree.nodes[child].kind) {
        case ("a string", .number), ("a string", .bool):
            "Write it in quotation marks: \"\(tree.spelling(of: child).prefix(60))\"."
        case ("a whole number", .string), ("a boolean", .string):
            tree.text(of: child).flatMap { text in
                let fits = kind == "a boolean" ? text == "true" || text == "false" : Int(text) != nil
                return fits ? "Write it without quotation marks: \(text)." : nil
            }
        case ("an object", .string): "Give the object itself, not its text in quotation marks."
        default: nil
        }
    }

    /// A text of a number of bytes.
    func string(_ name: String, bytes: ClosedRange<Int> = 1...512) throws(APIProblem) -> String? {
        guard let text = try read(name, "a string", tree.text) else { return nil }
        guard bytes.contains(text.utf8.count), !text.utf8.contains(0) else {
            throw problem(
                name,
                "\(name.debugDescription) must have \(bytes.lowerBound) to \(bytes.upperBound) bytes and no zero byte."
            )
        }
        return text
    }

    func bool(_ name: String) throws(APIProblem) -> Bool? {
        try read(name, "a boolean") { child in
            tree.nodes[child].kind == .bool ? tree.spelling(of: child) == "true" : nil
        }
    }

    func integer(_ name: String) throws(APIProblem) -> Int? { try read(name, "a whole number", tree.integer) }

    /// The bytes of an object, unchanged from the request.
    func object(_ name: String) throws(APIProblem) -> Range<Int>? {
        try read(name, "an object") { tree.nodes[$0].kind == .object ? tree.range(of: $0) : nil }
    }

    /// A push type. An unknown one may be newer than this program: the lint warns about it.
    func pushType(_ name: String) throws(APIProblem) -> PushType? {
        guard let type = try string(name).map(PushType.init(rawValue:)) else { return nil }
        if let breach = TopicChecks.isWord(type) {
            throw problem(name, breach.problem, remedy: breach.advice)
        }
        return type
    }

    /// One of several names.
    func choice<Value>(
        _ name: String, _ names: [String], _ make: (String) -> Value?
    ) throws(APIProblem) -> Value? {
        guard let text = try string(name) else { return nil }
        guard let value = make(text) else {
            throw problem(
                name, "\(String(text.prefix(100)).debugDescription) is not a valid \(name).",
                remedy: NameSuggestion.remedy(text, among: names))
        }
        return value
    }

    /// A string, or a number as a text.
    func text(_ name: String, _ kind: String) throws(APIProblem) -> String? {
        try read(name, kind) { tree.nodes[$0].kind == .number ? tree.spelling(of: $0) : tree.text(of: $0) }
    }

    /// A time that the queue takes, as a string or a number.
    func time(_ name: String) throws(APIProblem) -> QueueTime? {
        guard let time = try milliseconds(name).map(QueueTime.init(milliseconds:)) else { return nil }
        guard time.isInRange else {
            throw problem(
                name, "The time is out of range.",
                remedy: "Use a time from 1970 to \(QueueTime.latest.rfc3339.prefix(10)).")
        }
        return time
    }

    /// When something is to be sent. A time that passed long ago is a mistake: it would be due at once.
    func deliveryTime(_ name: String, _ now: QueueTime) throws(APIProblem) -> QueueTime? {
        if let milliseconds = try milliseconds(name),
            let mistake = TimeChecks.mistake(
                inDelivery: milliseconds, of: name, secondsSince1970: now.wholeSeconds)
        {
            throw problem(name, mistake.problem, remedy: mistake.advice)
        }
        return try time(name)
    }

    /// Any time, in milliseconds since 1970.
    func milliseconds(_ name: String, takesMilliseconds: Bool = false) throws(APIProblem) -> Int64? {
        guard let text = try text(name, "a time") else { return nil }
        do throws(TimeText.Mistake) {
            return try TimeText.millisecondsSince1970(text, in: name, takesMilliseconds: takesMilliseconds)
        } catch {
            throw problem(name, error.problem, remedy: error.advice)
        }
    }

    /// Refuses an expiration that has passed.
    func refuseExpired(_ name: String, _ seconds: Int, _ now: QueueTime) throws(APIProblem) {
        guard let mistake = TimeChecks.mistake(inExpiration: seconds, secondsSince1970: now.wholeSeconds) else {
            return
        }
        throw expired(name, mistake.problem, remedy: name == "expires" ? mistake.advice : "Give a future time.")
    }

    /// The problem with an expiration at which nothing can have been sent.
    func expired(_ name: String, _ detail: String, remedy: String) -> APIProblem {
        .impossible(
            detail, code: "expires_too_early", field: field(name), at: problem(name, "").position, remedy: remedy)
    }

    /// A duration that is longer than 0.
    func duration(_ name: String) throws(APIProblem) -> Duration? {
        if let child = value(name), tree.nodes[child].kind == .number {
            throw problem(
                name, "\(name.debugDescription) must be a string with a unit, not a number.", code: "wrong_type",
                remedy: "For seconds, write \"\(tree.spelling(of: child).prefix(60))s\".")
        }
        guard let text = try string(name) else { return nil }
        guard let duration = Duration(unitText: text, isWhole: true) else {
            throw problem(
                name, "\(String(text.prefix(100)).debugDescription) is not a duration.",
                remedy: "Write a whole number and its unit: 90s, 21m, 2h, 30d.")
        }
        guard duration > .zero else { throw problem(name, "\(name.debugDescription) must be greater than 0.") }
        return duration
    }
}

extension QueueTime {
    /// Whole seconds since 1970.
    var wholeSeconds: Int { Int(milliseconds / 1000) }
}

/// JSON Pointers, RFC 6901.
enum JSONPointer {
    /// A name as a part of a pointer.
    static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        return name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The pointer of the innermost value around a range of bytes, from the outermost value.
    static func of(_ range: Range<Int>, in tree: JSONTree) -> String {
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
