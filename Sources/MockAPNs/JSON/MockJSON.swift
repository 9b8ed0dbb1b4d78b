/// A JSON value, or a YAML value with the same meaning, that knows its position in the text.
package struct MockJSON: Sendable, Hashable {
    /// A position in a text: line and column, both from 1. The column counts characters.
    package struct Location: Sendable, Hashable {
        package var line: Int
        package var column: Int

        /// Creates a position.
        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// A member of an object.
    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: MockJSON

        /// Creates a member.
        package init(name: String, value: MockJSON) {
            self.name = name
            self.value = value
        }
    }

    /// The kinds of values. Objects keep the order of their members.
    package indirect enum Value: Sendable, Hashable {
        case null
        case bool(Bool)
        /// A number, as it is written.
        case number(String)
        case string(String)
        case array([MockJSON])
        case object([Member])
    }

    package var value: Value
    /// Where the value begins; `nil` if it has no text.
    package var location: Location?

    /// Creates a value.
    package init(_ value: Value, at location: Location? = nil) {
        self.value = value
        self.location = location
    }

    /// The value of the last member with this name; `nil` if there is none, or this is not an object.
    package subscript(name: String) -> MockJSON? {
        guard case .object(let members) = value else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The value at a path of member names and array indexes; `nil` if there is none.
    package subscript(path path: [String]) -> MockJSON? {
        var tree = self
        for part in path {
            if case .array(let items) = tree.value {
                guard let index = Int(part), items.indices.contains(index) else { return nil }
                tree = items[index]
            } else {
                guard let next = tree[part] else { return nil }
                tree = next
            }
        }
        return tree
    }

    /// The text of a string; `nil` for other kinds.
    package var string: String? { if case .string(let text) = value { text } else { nil } }

    /// A whole number, also one that is written like `20.0`; `nil` for other kinds.
    package var integer: Int? {
        guard case .number(let text) = value else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    /// A number; `nil` for other kinds.
    package var number: Double? { if case .number(let text) = value { Double(text) } else { nil } }

    /// A truth value; `nil` for other kinds.
    package var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }

    /// The elements of an array; `nil` for other kinds.
    package var array: [MockJSON]? { if case .array(let items) = value { items } else { nil } }

    /// What a person would call the kind of value: "a string", "an object".
    package var kind: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// A string, number or truth value as text, as a search compares it; `nil` for other kinds.
    package var plainText: String? {
        switch value {
        case .string(let text): text
        case .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

// MARK: Writing

extension MockJSON {
    /// The value as JSON on one line. Members keep their order.
    package var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let flag): writer.bool(flag)
        case .number(let text): writer.raw(text)
        case .string(let text): writer.string(text)
        case .array(let items): writer.array(items) { $1.write(to: &$0) }
        case .object(let members):
            writer.object { writer in
                for member in members { writer.member(member.name) { member.value.write(to: &$0) } }
            }
        }
    }
}
