import APNSVocabulary

/// The members of a group whose keys are known.
struct ConfigGroup {
    /// The name for messages: `"limits"`, `The app "shop"`.
    let name: String
    let location: ConfigLocation
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
        _ problems: inout [ConfigProblem]
    ) {
        (self.name, location) = (name, node.location)
        var known: [String: ConfigNode.Member] = [:]
        switch node.content {
        case .nothing: break
        case .group(let members):
            for member in members {
                if keys.contains(member.key) {
                    known[member.key] = member
                } else {
                    problems.append(Self.unknown(member, keys, others))
                }
            }
        case .text, .list:
            problems.append(ConfigProblem(node.location, "\(name) must consist of lines such as \"key: value\"."))
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
    func location(of key: String) -> ConfigLocation { members[key]?.location ?? location }

    private static func unknown(
        _ member: ConfigNode.Member, _ keys: [String], _ others: [String: String]
    ) -> ConfigProblem {
        let shown = String(member.key.prefix(40)).printable
        let key = member.key.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
        if secrets.contains(key) {
            return ConfigProblem(
                member.location,
                "Secrets don't belong in this file. Instead of \"\(shown)\", give the path of a file that has the secret."
            )
        }
        let remedy = NearestName.remedy(member.key, among: keys, others: others)
        return ConfigProblem(member.location, "Unknown key \"\(shown)\". \(remedy)")
    }

    private static let secrets: Set = ["passphrase", "password", "pass", "secret", "secrets", "key_pem", "token"]
}
