/// Reads values one by one, and collects the mistakes.
protocol ConfigCollecting {
    var problems: [ConfigProblem] { get set }
}

extension ConfigCollecting {
    /// Returns a value; `nil` if it is missing or has a mistake.
    mutating func value<Value>(_ read: @autoclosure () throws(ConfigProblem) -> Value?) -> Value? {
        do throws(ConfigProblem) { return try read() } catch {
            problems.append(error)
            return nil
        }
    }

    /// Replaces a default by a value, if there is one.
    mutating func assign<Value>(
        _ read: @autoclosure () throws(ConfigProblem) -> Value?, into target: inout Value
    ) {
        if let value = value(try read()) { target = value }
    }

    /// Returns the value of a key that the group must have.
    mutating func needed<Value>(
        _ key: String, in group: ConfigGroup, _ read: @autoclosure () throws(ConfigProblem) -> Value?
    ) -> Value? {
        if group[key] == nil {
            problems.append(ConfigProblem(group.location, "\(group.name) needs the key \"\(key)\"."))
        }
        return value(try read())
    }
}
