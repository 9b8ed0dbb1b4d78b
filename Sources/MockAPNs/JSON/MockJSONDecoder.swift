import APNSVocabulary
import PushJSON
import PushPlatform

struct MockJSONMistake: Error {
    /// The names of the members and the indexes of the elements that lead to it.
    var path: [String]
    /// What is wrong: an error of the decoded type, or a `DecodingError` with a sentence for people.
    var error: any Error
    /// Whether it is in the key, not in its value.
    var isKey = false
}

/// Decodes a value from JSON or YAML. Every error says where it is.
struct MockJSONDecoder: Decoder {
    let tree: LocatedJSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ tree: LocatedJSON, at path: [any CodingKey] = []) {
        self.tree = tree
        codingPath = path
    }

    /// Decodes a value.
    ///
    /// - Throws: ``MockJSONMistake``.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try Value(from: self)
        } catch let mistake as MockJSONMistake {
            throw mistake
        } catch DecodingError.dataCorrupted {
            // The one case in which the standard library speaks: a word that an enumeration does not have.
            throw mistake(
                "\(Self.shown(tree.plainText ?? tree.kind.noun)) isn't possible here.\(Self.choices(of: type))")
        } catch {
            throw MockJSONMistake(path: names, error: error)
        }
    }

    /// A text of the caller in a message. One character can have any number of marks.
    private static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(60))).printable.debugDescription
    }

    private static func choices(of type: Any.Type) -> String {
        func all<Choice: CaseIterable>(_ type: Choice.Type) -> [String] {
            type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        }
        guard let type = type as? any CaseIterable.Type else { return "" }
        let choices = all(type)
        return choices.isEmpty ? "" : " Possible: \(choices.joined(separator: ", "))."
    }

    private var names: [String] { codingPath.map(\.stringValue) }

    func mistake(_ text: String) -> MockJSONMistake {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: text)
        return MockJSONMistake(path: names, error: DecodingError.dataCorrupted(context))
    }

    /// A mistake in this value, also if another one is being decoded.
    func mistake(_ error: any Error) -> MockJSONMistake { MockJSONMistake(path: names, error: error) }

    func wrongType(_ wanted: String) -> MockJSONMistake {
        mistake("This must be \(wanted), not \(tree.kind.noun).")
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard tree.kind == .object else { throw wrongType("an object") }
        var seen: Set<String> = []
        for member in tree.members where !seen.insert(member.name).inserted {
            var twice = mistake("The key \(Self.shown(member.name)) occurs twice. Remove one.")
            (twice.path, twice.isKey) = (names + [member.name], true)
            throw twice
        }
        return KeyedDecodingContainer(MockJSONMembers(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let items = tree.array else { throw wrongType("an array") }
        return MockJSONItems(items: items, decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension MockJSONDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { tree.kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let flag = tree.bool else { throw wrongType("a boolean") }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = tree.string else { throw wrongType("a string") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = tree.number, number.isFinite else { throw wrongType("a number") }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    // One function for all integers. It fits the protocol better than the one below, which would ask for the type again.
    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        guard tree.kind == .number, let text = tree.plainText else { throw wrongType("a whole number") }
        guard let number = Number(text) ?? Double(text).flatMap(Number.init(exactly:)) else {
            throw mistake("This must be a whole number from \(Number.min) to \(Number.max).")
        }
        return number
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
