extension PushJSONValue {
    /// An object without the members that are `nil`.
    package static func members(_ members: [(String, PushJSONValue?)]) -> PushJSONValue {
        var object: [String: PushJSONValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    /// The object with further members.
    package func adding(_ more: [String: PushJSONValue]) -> PushJSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.merging(more) { first, _ in first })
    }
}
