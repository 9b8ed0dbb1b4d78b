import PushJSON

extension JSONValue {
    /// An object without the members that are `nil`.
    static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
        var object: [String: JSONValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    /// The object with further members.
    func adding(_ more: [String: JSONValue]) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.merging(more) { first, _ in first })
    }
}
