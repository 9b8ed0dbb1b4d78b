import APNSVocabulary
package import PushJSON
import PushPlatform

extension MockFault: Codable, FaultObject {
    static let what = "a fault"
    static var blank: MockFault { MockFault(steps: []) }
    static var members: [FaultMember<MockFault>] {
        [
            .init("name", \.name, default: ""), .init("at", \.moment, default: .request),
            .init("when", \.when, default: MockFault.Matcher()), .init("steps", \.steps), .init("times", \.times),
        ]
    }

    /// Decodes the JSON that `docs/mock-api.md#failure-injection` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown or the fault is impossible, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        try self.init(membersOf: decoder)
        try check()
    }

    /// Decodes a fault from JSON.
    ///
    /// - Parameter json: A JSON object.
    /// - Throws: ``MockFaultError``. It describes the error and its position.
    public init(json: String) throws(MockFaultError) {
        self = try Self.read(MockFault.self, json)
    }

    /// Decodes one fault, or an array of faults.
    ///
    /// - Parameter json: A JSON object, or an array of objects.
    /// - Returns: The faults in order. If several match, the first one acts.
    /// - Throws: ``MockFaultError``. It describes the error and its position.
    public static func list(json: String) throws(MockFaultError) -> [MockFault] {
        try read(OneOrMany.self, json).faults
    }

    private struct OneOrMany: Decodable {
        var faults: [MockFault] = []

        init(from decoder: any Decoder) throws {
            guard var list = try? decoder.unkeyedContainer() else {
                faults = [try MockFault(from: decoder)]
                return
            }
            while !list.isAtEnd { faults.append(try list.decode(MockFault.self)) }
        }
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws(MockFaultError) -> Value {
        let tree: LocatedJSON
        do throws(JSONTextError) {
            tree = try LocatedJSON(json: Array(json.utf8))
        } catch {
            let remedy = error.remedy.map { " \($0)" } ?? ""
            var malformed = MockFaultError.malformed("The fault can't be read: \(error.message)\(remedy)")
            malformed.location = error.position
            throw malformed
        }
        return try read(type, tree)
    }

    /// Decodes a fault from JSON or YAML.
    ///
    /// - Parameter tree: An object.
    /// - Throws: ``MockFaultError``, with the member that is wrong.
    package init(_ tree: LocatedJSON) throws(MockFaultError) {
        self = try Self.read(MockFault.self, tree)
    }

    /// Decodes one step, or a list of steps, for an established connection.
    ///
    /// - Parameter tree: A step or a list, from JSON or YAML.
    /// - Returns: The steps.
    /// - Throws: ``MockFaultError``, with the member that is wrong.
    package static func steps(_ tree: LocatedJSON) throws(MockFaultError) -> [MockFault.Step] {
        let steps =
            tree.array == nil ? [try read(MockFault.Step.self, tree)] : try read([MockFault.Step].self, tree)
        try MockFault(at: .connectionEstablished, steps: steps).check()
        return steps
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ tree: LocatedJSON) throws(MockFaultError) -> Value
    {
        do {
            return try MockJSONDecoder(tree).value(type)
        } catch let mistake as MockJSONMistake {
            throw MockFaultError(mistake, in: tree)
        } catch {
            throw .malformed("The fault can't be read.")
        }
    }

    /// The fault as JSON on one line, with sorted keys.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding fails only for a probability that is NaN or infinite, which a mock refuses anyway.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension MockFault.Moment: Codable {}
extension MockFault.Closing: Codable {}

extension MockFaultError {
    fileprivate init(_ mistake: MockJSONMistake, in tree: LocatedJSON) {
        switch mistake.error {
        case let error as MockFaultError:
            self = error
            path = mistake.path + error.path
        case DecodingError.keyNotFound(let key, _):
            self = .malformed("The fault has no \"\(key.stringValue)\"\(Self.location(mistake.path)).")
            path = mistake.path
        case DecodingError.dataCorrupted(let context):
            self = .malformed("The fault can't be read\(Self.location(mistake.path)): \(context.debugDescription)")
            path = mistake.path
        default:
            self = .malformed("The fault can't be read\(Self.location(mistake.path)).")
            path = mistake.path
        }
        // A member that is missing is where its object is.
        while !path.isEmpty, tree[path: path] == nil { path.removeLast() }
        let found = tree[path: path]
        location = mistake.isKey || code == .unknownKey ? found?.keyPosition : found?.position
    }

    private static func location(_ path: [String]) -> String {
        path.isEmpty
            ? ""
            : " at " + path.map { String($0.prefix(60).unicodeScalars.prefix(60)).printable }.joined(separator: ".")
    }
}
