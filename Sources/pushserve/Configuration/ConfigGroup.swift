import APNSVocabulary
import PushYAML

/// The members of a group whose keys are known.
struct ConfigGroup {
    /// The name for messages: `"limits"`, `The app "shop"`.
    let name: String
    let location: ConfigPosition
    private let members: [String: ConfigNode.Member]

    /// Reads a group. An empty one has no members.
    ///
    /// - Parameters:
    ///   - node: The group.
    ///   - name: The name for messages, as the beginning of a sentence.
    ///   - keys: The known keys.
    ///   - others: What people write for a known key.
    ///   - problems: Gets the unknown keys.
    init(
        _ node: ConfigNode, _ name: String, keys: [String], others: [String: String] = [:],
        _ problems: inout [ConfigMistake]
    ) {
        (self.name, location) = (name, node.location)
        var known: [String: ConfigNode.Member] = [:]
        do throws(ConfigMistake) {
            for member in try node.members(name) {
                if keys.contains(member.key) {
                    known[member.key] = member
                } else {
                    let (problem, remedy) = NearestName.unknownKey(member.key, among: keys, others: others)
                    problems.append(ConfigMistake(member.location, Self.secret(member.key) ?? "\(problem) \(remedy)"))
                }
            }
        } catch {
            problems.append(error)
        }
        members = known
    }

    /// The value of a key; `nil` if the group does not have the key.
    subscript(key: String) -> ConfigNode? {
        guard let member = members[key] else { return nil }
        guard case .nothing = member.value.content else { return member.value }
        return ConfigNode(content: .nothing, location: member.location)
    }

    /// The location of a key; that of the group if it does not have the key.
    func location(of key: String) -> ConfigPosition { members[key]?.location ?? location }

    /// What to do about a key whose value would be a secret; `nil` for other keys.
    private static func secret(_ key: String) -> String? {
        guard secrets.contains(NearestName.folded(key)) else { return nil }
        return """
            Secrets don't belong in this file. Instead of "\(key.printable)", give the path of a file that has the secret.
            """
    }

    private static let secrets: Set = ["passphrase", "password", "pass", "secret", "secrets", "keypem", "token"]
}

/// Reading values one by one, with all their mistakes.
extension ConfigReader {
    /// Returns a value; `nil` if it is missing or has a mistake.
    mutating func value<Value>(_ read: @autoclosure () throws(ConfigMistake) -> Value?) -> Value? {
        do throws(ConfigMistake) { return try read() } catch {
            problems.append(error)
            return nil
        }
    }

    mutating func assign<Value>(
        _ read: @autoclosure () throws(ConfigMistake) -> Value?, into target: inout Value
    ) {
        if let value = value(try read()) { target = value }
    }

    /// Returns the value of a key that the group must have.
    mutating func needed<Value>(
        _ key: String, in group: ConfigGroup, _ read: @autoclosure () throws(ConfigMistake) -> Value?
    ) -> Value? {
        if group[key] == nil {
            problems.append(ConfigMistake(group.location, "\(group.name) needs the key \"\(key)\"."))
        }
        return value(try read())
    }
}
