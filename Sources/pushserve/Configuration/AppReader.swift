import APNSVocabulary
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
import PushQueuePostgres

/// Reads the settings of one app.
struct AppReader: ConfigCollecting {
    /// The folder that relative paths begin at.
    let folder: String
    var problems: [ConfigProblem] = []

    init(folder: String) {
        self.folder = folder
    }

    private static let keys = [
        "environment", "key", "certificate", "topic", "topics", "delivery", "rate", "per_device", "gone", "ttl",
        "connections", "proxy", "webhook", "mismatch", "recipients",
    ]
    private static let otherKeys = [
        "env": "environment", "server": "environment", "endpoint": "environment", "p8": "key", "auth_key": "key",
        "p12": "certificate", "cert": "certificate", "identity": "certificate", "bundle_id": "topic", "bundle": "topic",
        "allowed_topics": "topics", "policy": "delivery", "rate_limit": "rate", "expiry": "ttl", "expires": "ttl",
        "devices": "recipients", "users": "recipients", "audiences": "recipients", "hook": "webhook",
        "webhooks": "webhook", "breaker": "mismatch", "mismatch_breaker": "mismatch",
    ]

    /// Returns the app; `nil` if it has a mistake.
    mutating func app(_ member: ConfigNode.Member) -> ConfiguredApp? {
        if let mistake = Self.mistake(inName: member.key) { problems.append(ConfigProblem(member.location, mistake)) }
        let group = ConfigGroup(
            member.value, "The app \"\(member.key.printable)\"", keys: Self.keys, others: Self.otherKeys, &problems)
        let environment = needed("environment", in: group, readEnvironment)
        let credentials = credentials(group)
        // With a mistake in these, the other settings are still read, to find their mistakes.
        var settings = AppSettings(
            name: member.key, environment: environment ?? .sandbox,
            credentials: credentials ?? .identity(file: "", passphraseFile: nil))
        readSending(group, &settings)
        readClient(group, &settings)
        settings.recipients = group["recipients"].flatMap { recipients($0) }
        let webhook = group["webhook"].flatMap { self.webhook($0, member.key) }
        return problems.isEmpty ? ConfiguredApp(settings: settings, webhook: webhook, location: member.location) : nil
    }

    /// Returns what is wrong with the name of an app; `nil` for a valid name.
    static func mistake(inName name: String) -> String? {
        let isValid =
            (1...64).contains(name.utf8.count) && !name.hasPrefix("-") && !name.hasPrefix(".")
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
            }
        guard !isValid else { return nil }
        return """
            "\(name.printable)" is not a name for an app. Use up to 64 letters from a to z, digits, hyphens, dots and underscores.
            """
    }

    // MARK: Sending

    private mutating func readSending(_ group: ConfigGroup, _ settings: inout AppSettings) {
        settings.topic = value(group["topic"]) { node throws(ConfigProblem) in try Self.topic(node, "topic") }
        assign(group["topics"], into: &settings.allowedTopics) { node throws(ConfigProblem) in
            guard case .list(let items) = node.content else { return [try Self.topic(node, "topics")] }
            var topics: [String] = []
            for item in items { topics.append(try Self.topic(item, "topics")) }
            return topics
        }
        if let topic = settings.topic, !settings.allowedTopics.isEmpty, !settings.allowedTopics.contains(topic) {
            settings.allowedTopics.append(topic)
        }
        if let node = group["delivery"] { readDelivery(node, &settings) }
        settings.ratePerSecond = value(group["rate"]) { node throws(ConfigProblem) in try node.rate("rate") }
        settings.deviceInterval = value(group["per_device"]) { node throws(ConfigProblem) in
            try node.duration("per_device", atMost: .seconds(86_400))
        }
        assign(group["gone"], into: &settings.gone) { node throws(ConfigProblem) in
            try node.choice("gone", ["skip": AppSettings.GonePolicy.skip, "refuse": .refuse, "send": .send])
        }
        assign(group["mismatch"], into: &settings.stopsAtMismatch) { node throws(ConfigProblem) in
            try node.choice("mismatch", ["stop": true, "off": false])
        }
        settings.expiry = value(group["ttl"]) { node throws(ConfigProblem) in
            try node.duration("ttl", atMost: .seconds(365 * 86_400))
        }
    }

    /// `delivery` is the policy, or a group with it and with what the import of Apple's delivery counts needs.
    private mutating func readDelivery(_ node: ConfigNode, _ settings: inout AppSettings) {
        func policy(_ node: ConfigNode, _ key: String) throws(ConfigProblem) -> QueueDeliveryPolicy {
            try node.choice(key, ["at_most_once": QueueDeliveryPolicy.atMostOnce, "at_least_once": .atLeastOnce])
        }
        guard case .group = node.content else {
            return assign(node, into: &settings.policy) { node throws(ConfigProblem) in try policy(node, "delivery") }
        }
        let keys = ["policy", "token_file", "team", "bundle_id"]
        let group = ConfigGroup(
            node, "\"delivery\"", keys: keys,
            others: ["team_id": "team", "app": "bundle_id", "topic": "bundle_id", "file": "token_file"], &problems)
        assign(group["policy"], into: &settings.policy) { node throws(ConfigProblem) in try policy(node, "policy") }
        guard keys.dropFirst().contains(where: { group[$0] != nil }) else { return }
        let folder = folder
        let file = needed("token_file", in: group) { node throws(ConfigProblem) in
            try node.file("token_file", in: folder)
        }
        var (team, bundle): (String?, String?) = (nil, settings.topic.map(Self.bundleID))
        // Without credentials, there is another mistake already.
        if case .key(_, _, let id) = settings.credentials { team = id }
        if case .identity("", _) = settings.credentials { team = "" }
        if team == nil || group["team"] != nil {
            team = needed("team", in: group) { node throws(ConfigProblem) in try Self.appleID(node, "team") }
        }
        if bundle == nil || group["bundle_id"] != nil {
            bundle = needed("bundle_id", in: group) { node throws(ConfigProblem) in
                let text = try node.text("bundle_id")
                guard let finding = BroadcastChecks.findings(bundleID: text).first else { return text }
                throw ConfigProblem(node.location, "\"bundle_id\": \(finding.problem) \(finding.advice)")
            }
        }
        guard let file, let team, let bundle else { return }
        settings.deliveryCounts = DeliveryCountSource(tokenFile: file, teamID: team, bundleID: bundle)
    }

    /// The bundle id of a topic: without the suffix of a push type.
    private static func bundleID(ofTopic topic: String) -> String {
        let suffix = PushType.type(ofTopic: topic)?.topicSuffix ?? ""
        return String(topic.dropLast(suffix.count))
    }

    private static func topic(_ node: ConfigNode, _ key: String) throws(ConfigProblem) -> String {
        let text = try node.text(key)
        guard text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 }) else {
            throw ConfigProblem(
                node.location,
                "\"\(key)\" is \"\(text.printable)\". Use the bundle id of the app, such as com.example.shop.")
        }
        return text
    }

    private mutating func readClient(_ group: ConfigGroup, _ settings: inout AppSettings) {
        assign(group["connections"], into: &settings.client.maximumConnections) { node throws(ConfigProblem) in
            try node.count("connections", 1...1000)
        }
        settings.client.proxy = value(group["proxy"]) { node throws(ConfigProblem) in
            let text = try node.text("proxy")
            do throws(PushConfigurationError) {
                return try PushProxy(url: text, named: "\"proxy\"")
            } catch {
                throw ConfigProblem(node.location, error.description)
            }
        }
    }

    // MARK: Server

    private func readEnvironment(_ node: ConfigNode) throws(ConfigProblem) -> PushEnvironment {
        guard case .group = node.content else {
            return try node.choice(
                "environment",
                [
                    "production": PushEnvironment.production, "sandbox": .sandbox, "development": .sandbox,
                ])
        }
        return try server(node)
    }

    private func server(_ node: ConfigNode) throws(ConfigProblem) -> PushEnvironment {
        var mistakes: [ConfigProblem] = []
        let group = ConfigGroup(
            node, "\"environment\"", keys: ["host", "port", "ca"],
            others: ["cacert": "ca", "ca_file": "ca", "hostname": "host", "address": "host"], &mistakes)
        if let first = mistakes.first { throw first }
        guard let host = group["host"] else {
            throw ConfigProblem(
                node.location, "\"environment\" needs the key \"host\", or one of the words production and sandbox.")
        }
        var environment = PushEnvironment(host: try host.text("host"))
        if let port = group["port"] { environment.port = try port.count("port", 1...65_535) }
        if let ca = group["ca"] {
            let path = try ca.file("ca", in: folder)
            do throws(PushCredentialsError) { environment.trust = try .authorities(file: path) } catch {
                throw ConfigProblem(ca.location, error.description, isMissingFile: true)
            }
        }
        do throws(PushConfigurationError) { try environment.validate() } catch {
            throw ConfigProblem(host.location, error.description)
        }
        return environment
    }

    // MARK: Credentials

    private mutating func credentials(_ group: ConfigGroup) -> AppSettings.Credentials? {
        switch (group["key"], group["certificate"]) {
        case (.some, .some):
            problems.append(
                ConfigProblem(
                    group.location(of: "certificate"),
                    "\(group.name) has both \"key\" and \"certificate\". Remove one of them."))
            return nil
        case (nil, nil):
            problems.append(
                ConfigProblem(
                    group.location,
                    "\(group.name) has no credentials. Add \"key\", with the .p8 file of Apple's portal, or \"certificate\"."
                ))
            return nil
        case (let key?, nil): return self.key(key)
        case (nil, let certificate?): return self.certificate(certificate)
        }
    }

    private mutating func key(_ node: ConfigNode) -> AppSettings.Credentials? {
        let group = ConfigGroup(
            node, "\"key\"", keys: ["file", "id", "team"],
            others: ["path": "file", "key_id": "id", "kid": "id", "team_id": "team", "issuer": "team"], &problems)
        let folder = folder
        let file = needed("file", in: group) { node throws(ConfigProblem) in try node.file("file", in: folder) }
        // Apple's portal names the file AuthKey_ID.p8.
        let named = (try? group["file"]?.text("file")).flatMap { PushProviderKey.keyID(inFileName: $0) }
        let id =
            named != nil && group["id"] == nil
            ? named
            : needed("id", in: group) { node throws(ConfigProblem) in
                try Self.appleID(node, "id")
            }
        let team = needed("team", in: group) { node throws(ConfigProblem) in try Self.appleID(node, "team") }
        guard let file, let id, let team else { return nil }
        return .key(file: file, keyID: id, teamID: team)
    }

    private static func appleID(_ node: ConfigNode, _ key: String) throws(ConfigProblem) -> String {
        let text = try node.text(key)
        if let mistake = PushProviderKey.problem(in: text) {
            throw ConfigProblem(node.location, "\"\(key)\" must have ten letters and digits; this one \(mistake).")
        }
        return text
    }

    private mutating func certificate(_ node: ConfigNode) -> AppSettings.Credentials? {
        let group = ConfigGroup(
            node, "\"certificate\"", keys: ["file", "passphrase_file"],
            others: ["path": "file", "p12": "file", "password_file": "passphrase_file"], &problems)
        let folder = folder
        let file = needed("file", in: group) { node throws(ConfigProblem) in try node.file("file", in: folder) }
        let passphrase = value(group["passphrase_file"]) { node throws(ConfigProblem) in
            try node.file("passphrase_file", in: folder)
        }
        return file.map { .identity(file: $0, passphraseFile: passphrase) }
    }

    // MARK: Recipients

    private mutating func recipients(_ node: ConfigNode) -> Recipients? {
        let group = ConfigGroup(
            node, "\"recipients\"", keys: ["database", "of_user", "audiences", "gone"],
            others: ["url": "database", "user": "of_user", "audience": "audiences", "delete": "gone"], &problems)
        let database = needed("database", in: group) { node throws(ConfigProblem) in
            let text = try node.text("database")
            do throws(QueueError) { return (text, try PostgresAddress(text)) } catch {
                let text = error.description.replacing("address of the queue in PostgreSQL", with: "address")
                throw ConfigProblem(node.location, "\"database\": \(text)")
            }
        }
        let ofUser = needed("of_user", in: group) { node throws(ConfigProblem) in try node.sql("of_user") }
        let gone = value(group["gone"]) { node throws(ConfigProblem) in try node.sql("gone") }
        let audiences = value(group["audiences"]) { node throws(ConfigProblem) in
            guard case .group(let members) = node.content else {
                throw ConfigProblem(node.location, "\"audiences\" must consist of lines such as \"vip: SELECT ...\".")
            }
            var audiences: [String: String] = [:]
            for member in members { audiences[member.key] = try member.value.sql(member.key) }
            return audiences
        }
        guard let database, let ofUser else { return nil }
        let queries = RecipientQueries(ofUser: ofUser, audiences: audiences ?? [:], gone: gone)
        return Recipients(PostgresRecipients(database.1, queries), address: database.0, queries)
    }

    // MARK: Webhook

    private mutating func webhook(_ node: ConfigNode, _ app: String) -> ConfiguredApp.Webhook? {
        let group = ConfigGroup(
            node, "\"webhook\"", keys: ["url", "secrets_file", "events"],
            others: ["endpoint": "url", "secret_file": "secrets_file"], &problems)
        let folder = folder
        let url = needed("url", in: group) { node throws(ConfigProblem) in
            let text = try node.text("url")
            let isWeb = text.hasPrefix("https://") || text.hasPrefix("http://")
            guard isWeb, let url = URL(string: text), let host = url.host(), !host.isEmpty, url.user == nil else {
                throw ConfigProblem(
                    node.location,
                    "\"url\" is \"\(text.printable)\". Use a URL with https and without a password, such as https://example.com/hook."
                )
            }
            return text
        }
        let secrets = needed("secrets_file", in: group) { node throws(ConfigProblem) in
            try node.file("secrets_file", in: folder)
        }
        let events = value(group["events"]) { node throws(ConfigProblem) in try Self.events(node) }
        guard let url, let secrets else { return nil }
        return ConfiguredApp.Webhook(url: url, secretsFile: secrets, events: events ?? [], location: node.location)
    }

    private static func events(_ node: ConfigNode) throws(ConfigProblem) -> [String] {
        let known = QueueJobOutcome.Kind.names
        let events = try node.texts("events")
        guard let wrong = events.first(where: { !known.contains($0) }) else { return events }
        throw ConfigProblem(
            node.location, "Unknown event \"\(wrong.printable)\". \(NearestName.remedy(wrong, among: known))")
    }
}
