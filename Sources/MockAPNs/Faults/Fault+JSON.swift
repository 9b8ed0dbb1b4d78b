#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Fault: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case name, at, when, steps, times
    }

    /// Reads the form that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError``, for an unknown key and for what no mock can do too; `DecodingError` for a wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "a fault")
        self.init(
            name: try members.decodeIfPresent(String.self, forKey: .name) ?? "",
            at: try members.decodeIfPresent(FaultMoment.self, forKey: .at) ?? .request,
            when: try members.decodeIfPresent(FaultMatcher.self, forKey: .when) ?? FaultMatcher(),
            steps: try members.decode([FaultStep].self, forKey: .steps),
            times: try members.decodeIfPresent(Int.self, forKey: .times)
        )
        try check()
    }

    /// Writes that form; what is at its default is left out.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        if !name.isEmpty { try members.encode(name, forKey: .name) }
        if moment != .request { try members.encode(moment, forKey: .at) }
        if when != FaultMatcher() { try members.encode(when, forKey: .when) }
        try members.encode(steps, forKey: .steps)
        try members.encodeIfPresent(times, forKey: .times)
    }

    /// Reads a fault from JSON.
    ///
    /// - Parameter json: The text of one object.
    /// - Throws: ``FaultError``, which says what is wrong and where.
    public init(json: String) throws(FaultError) {
        self = try Self.read(Fault.self, json)
    }

    /// Reads a fault, or an array of them.
    ///
    /// - Parameter json: The text of one object, or of an array of objects.
    /// - Returns: The faults in their order: of several that fit, the first one acts.
    /// - Throws: ``FaultError``, which says what is wrong and where.
    public static func list(json: String) throws(FaultError) -> [Fault] {
        try read(OneOrMany.self, json).faults
    }

    private struct OneOrMany: Decodable {
        var faults: [Fault] = []

        init(from decoder: any Decoder) throws {
            guard var list = try? decoder.unkeyedContainer() else {
                faults = [try Fault(from: decoder)]
                return
            }
            while !list.isAtEnd { faults.append(try list.decode(Fault.self)) }
        }
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws(FaultError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(json.utf8))
        } catch let error as FaultError {
            throw error
        } catch let error as DecodingError {
            throw FaultError(error)
        } catch {
            throw .malformed("The fault cannot be read: \(error).")
        }
    }

    /// The fault as JSON on one line, its keys in alphabetical order.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a probability that is not a number cannot be written, and no mock takes one.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension FaultMoment: Codable {}
extension FaultClosing: Codable {}

extension FaultError {
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            self = .malformed("The fault cannot be read\(Self.place(context.codingPath)): \(Self.words(context))")
        case .keyNotFound(let key, let context):
            self = .malformed("The fault has no \"\(key.stringValue)\"\(Self.place(context.codingPath)).")
        @unknown default:
            self = .malformed("The fault cannot be read: \(error).")
        }
    }

    /// The message of the decoder can repeat what was written, however long and whatever it holds.
    private static func words(_ context: DecodingError.Context) -> String { context.debugDescription.printable }

    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        return " at "
            + path.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue.printable }.joined(separator: ".")
    }
}
