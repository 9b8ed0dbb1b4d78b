/// Reads values one by one, and collects the mistakes.
protocol ConfigCollecting {
    var problems: [ConfigProblem] { get set }
}

extension ConfigCollecting {
    /// Returns a value; `nil` if it is missing or has a mistake.
    mutating func value<Value>(
        _ node: ConfigNode?, _ read: (ConfigNode) throws(ConfigProblem) -> Value
    ) -> Value? {
        guard let node else { return nil }
        do throws(ConfigProblem) { return try read(node) } catch {
            problems.append(error)
            return nil
        }
    }

    /// Replaces a default by a value, if there is one.
    mutating func assign<Value>(
        _ node: ConfigNode?, into target: inout Value, _ read: (ConfigNode) throws(ConfigProblem) -> Value
    ) {
        if let value = value(node, read) { target = value }
    }

    /// Returns the value of a key that the group must have.
    mutating func needed<Value>(
        _ key: String, in group: ConfigGroup, _ read: (ConfigNode) throws(ConfigProblem) -> Value
    ) -> Value? {
        guard let node = group[key] else {
            problems.append(ConfigProblem(group.location, "\(group.name) needs the key \"\(key)\"."))
            return nil
        }
        return value(node, read)
    }
}
