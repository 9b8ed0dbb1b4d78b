import PushCommandLine
import PushPlatform
import PushYAML

/// What the environment sets: a few keys of the file, and one whole app, for containers without a file.
struct ConfigVariables {
    private let variables: Variables

    init(_ variables: Variables) {
        self.variables = variables
    }

    /// Keys of the file that a variable replaces.
    static let top = [
        ("PUSHSERVE_LISTEN", "listen"), ("PUSHSERVE_METRICS", "metrics"), ("PUSHSERVE_DATABASE", "database"),
    ]

    static let app = "PUSHSERVE_APP"

    /// The settings of that app. A group is written as its key, a point, and the key in it.
    static let settings = [
        ("PUSHSERVE_ENVIRONMENT", "environment"), ("PUSHSERVE_HOST", "environment.host"),
        ("PUSHSERVE_PORT", "environment.port"), ("PUSHSERVE_CA", "environment.ca"), ("PUSHSERVE_KEY", "key.file"),
        ("PUSHSERVE_KEY_ID", "key.id"), ("PUSHSERVE_TEAM_ID", "key.team"),
        ("PUSHSERVE_CERTIFICATE", "certificate.file"), ("PUSHSERVE_PASSPHRASE_FILE", "certificate.passphrase_file"),
        ("PUSHSERVE_TOPIC", "topic"), ("PUSHSERVE_DELIVERY", "delivery"), ("PUSHSERVE_RATE", "rate"),
        ("PUSHSERVE_PER_DEVICE", "per_device"), ("PUSHSERVE_GONE", "gone"), ("PUSHSERVE_TTL", "ttl"),
        ("PUSHSERVE_PROXY", "proxy"), ("PUSHSERVE_WEBHOOK_URL", "webhook.url"),
        ("PUSHSERVE_WEBHOOK_SECRETS_FILE", "webhook.secrets_file"),
    ]

    /// Names that only look like these.
    var misspelt: [ConfigMistake] {
        let known = (Self.top + Self.settings).map(\.0) + [Self.app, "PUSHSERVE_CONFIG"]
        return variables.misspelt("PUSHSERVE_", among: known).map { name, meant in
            ConfigMistake(.variable(name), "There is no such variable. Did you mean \(meant)?")
        }
    }

    /// The root of a file with what the variables replace.
    ///
    /// - Parameter root: The root of the file.
    /// - Returns: The root with the values of the variables.
    func replacing(in root: ConfigNode) -> ConfigNode {
        var members: [ConfigNode.Member]
        switch root.content {
        case .group(let given): members = given
        case .nothing: members = []
        case .text, .list: return root
        }
        for (name, key) in Self.top {
            guard var member = member(key, name) else { continue }
            if key == "database", case .text(let path) = member.value.content {
                let folder = FileManager.default.currentDirectoryPath
                let isAddress = path.contains("://") || path.hasPrefix("sqlite:")
                member.value.content = .text(isAddress ? path : ConfigValue.path(path, in: folder))
            }
            members.removeAll { $0.key == key }
            members.append(member)
        }
        return ConfigNode(content: .group(members), location: root.location)
    }

    /// A warning if the file names another database than the one that is used: in the file, nobody sees that it isn't.
    func replacedDatabase(in root: ConfigNode, _ folder: String, by used: QueueLocation) -> [ConfigMistake] {
        guard let variable = member("database", "PUSHSERVE_DATABASE"), case .group(let members) = root.content,
            let given = members.first(where: { $0.key == "database" }),
            (try? given.value.queue("database", in: folder)) != used
        else { return [] }
        let problem = "This variable replaces the \"database\" at \(given.location), which isn't used."
        return [ConfigMistake(variable.location, problem + " Remove one of the two.")]
    }

    /// The app of the variables; `nil` if there is none.
    ///
    /// - Throws: ``ConfigMistake`` if there are settings without a name.
    func appMember() throws(ConfigMistake) -> ConfigNode.Member? {
        guard let name = variables[set: Self.app] else {
            if let (first, _) = Self.settings.first(where: { variables[set: $0.0] != nil }) {
                throw ConfigMistake(
                    .variable(first),
                    "This variable belongs to an app without a name. Set \(Self.app) to its name, too.")
            }
            return nil
        }
        var members: [ConfigNode.Member] = []
        var groups: [(key: String, members: [ConfigNode.Member])] = []
        for (variable, path) in Self.settings {
            let keys = path.split(separator: ".").map(String.init)
            guard let member = member(keys[keys.count - 1], variable) else { continue }
            if keys.count == 1 {
                members.append(member)
            } else if let index = groups.firstIndex(where: { $0.key == keys[0] }) {
                groups[index].members.append(member)
            } else {
                groups.append((keys[0], [member]))
            }
        }
        for (key, inner) in groups {
            // A host replaces the word sandbox or production.
            members.removeAll { $0.key == key }
            members.append(
                ConfigNode.Member(
                    key: key, location: inner[0].location,
                    value: ConfigNode(content: .group(inner), location: inner[0].location)))
        }
        let location = ConfigPosition.variable(Self.app)
        return ConfigNode.Member(
            key: name, location: location, value: ConfigNode(content: .group(members), location: location))
    }

    private func member(_ key: String, _ variable: String) -> ConfigNode.Member? {
        guard let value = variables[set: variable] else { return nil }
        let location = ConfigPosition.variable(variable)
        return ConfigNode.Member(
            key: key, location: location, value: ConfigNode(content: .text(value), location: location))
    }
}
