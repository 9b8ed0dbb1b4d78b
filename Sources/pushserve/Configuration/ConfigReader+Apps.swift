import APNSVocabulary
import PushCommandLine
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
import PushQueuePostgres
import PushService
import PushYAML

extension ConfigReader {
    private static let appKeys = [
        "environment", "key", "certificate", "topic", "topics", "delivery", "rate", "per_device", "gone", "ttl",
        "connections", "proxy", "webhook", "mismatch", "recipients",
    ]
    private static let otherAppKeys = [
        "env": "environment", "server": "environment", "endpoint": "environment", "p8": "key", "auth_key": "key",
        "p12": "certificate", "cert": "certificate", "identity": "certificate", "bundle_id": "topic", "bundle": "topic",
        "allowed_topics": "topics", "policy": "delivery", "rate_limit": "rate", "expiry": "ttl", "expires": "ttl",
        "devices": "recipients", "users": "recipients", "audiences": "recipients", "hook": "webhook",
        "webhooks": "webhook", "breaker": "mismatch", "mismatch_breaker": "mismatch",
    ]

    /// Returns the app; `nil` if it has a mistake.
    mutating func app(_ member: ConfigNode.Member) -> ConfiguredApp? {
        let before = problems.count
        if let mistake = ConfiguredApp.mistake(inName: member.key) {
            problems.append(ConfigMistake(member.location, mistake))
        }
        let group = members(
            member.value, "The app \"\(member.key.printable)\"", Self.appKeys, Self.otherAppKeys)
        let reader = self
        let environment = needed("environment", in: group, try group["environment"].map(reader.readEnvironment))
        let credentials = credentials(group)
        // With a mistake in these, the other settings are still read, to find their mistakes.
        var settings = AppSettings(
            name: member.key, environment: environment ?? .sandbox,
            credentials: credentials ?? .identity(file: "", passphraseFile: nil))
        readSending(group, &settings)
        readClient(group, &settings)
        settings.recipients = group["recipients"].flatMap { recipients($0) }
        let webhook = group["webhook"].flatMap { self.webhook($0, member.key) }
        guard problems.count == before else { return nil }
        return ConfiguredApp(settings: settings, webhook: webhook, location: member.location)
    }

    // MARK: Sending

    private mutating func readSending(_ group: ConfigGroup, _ settings: inout AppSettings) {
        settings.topic = value(try group["topic"]?.topic("topic"))
        assign(try group["topics"]?.topics(), into: &settings.allowedTopics)
        if let topic = settings.topic, !settings.allowedTopics.isEmpty, !settings.allowedTopics.contains(topic) {
            settings.allowedTopics.append(topic)
        }
        if let node = group["delivery"] { readDelivery(node, &settings) }
        settings.ratePerSecond = value(try group["rate"]?.rate("rate"))
        settings.deviceInterval = value(try group["per_device"]?.duration("per_device", atMost: .seconds(86_400)))
        assign(
            try group["gone"]?.choice("gone", ["skip": AppSettings.GonePolicy.skip, "refuse": .refuse, "send": .send]),
            into: &settings.gone)
        assign(
            try group["mismatch"]?.choice("mismatch", ["stop": true, "off": false]), into: &settings.stopsAtMismatch)
        settings.expiry = value(try group["ttl"]?.duration("ttl", atMost: .seconds(365 * 86_400)))
    }

    /// `delivery` is the policy, or a group with it and with what the import of Apple's delivery counts needs.
    private mutating func readDelivery(_ node: ConfigNode, _ settings: inout AppSettings) {
        guard case .group = node.content else {
            return assign(try node.policy("delivery"), into: &settings.policy)
        }
        let keys = ["policy", "token_file", "team", "bundle_id"]
        let group = members(
            node, "\"delivery\"", keys,
            ["team_id": "team", "app": "bundle_id", "topic": "bundle_id", "file": "token_file"])
        assign(try group["policy"]?.policy("policy"), into: &settings.policy)
        guard keys.dropFirst().contains(where: { group[$0] != nil }) else { return }
        let folder = folder
        let file = needed("token_file", in: group, try group["token_file"]?.file("token_file", in: folder))
        var (team, bundle): (String?, String?) = (nil, settings.topic.map(AppSettings.bundleID))
        // Without credentials, there is another mistake already.
        if case .key(_, _, let id) = settings.credentials { team = id }
        if case .identity("", _) = settings.credentials { team = "" }
        if team == nil || group["team"] != nil {
            team = needed("team", in: group, try group["team"]?.appleID("team"))
        }
        if bundle == nil || group["bundle_id"] != nil {
            bundle = needed("bundle_id", in: group, try group["bundle_id"]?.bundleID("bundle_id"))
        }
        guard let file, let team, let bundle else { return }
        settings.deliveryCounts = DeliveryCountSource(tokenFile: file, teamID: team, bundleID: bundle)
    }

    private mutating func readClient(_ group: ConfigGroup, _ settings: inout AppSettings) {
        assign(try group["connections"]?.count("connections", 1...1000), into: &settings.client.maximumConnections)
        settings.client.proxy = value(try group["proxy"]?.proxy())
    }

    // MARK: Server

    private func readEnvironment(_ node: ConfigNode) throws(ConfigMistake) -> PushEnvironment {
        guard case .group = node.content else {
            return try node.choice(
                "environment",
                [
                    "production": PushEnvironment.production, "sandbox": .sandbox, "development": .sandbox,
                ])
        }
        return try server(node)
    }

    private func server(_ node: ConfigNode) throws(ConfigMistake) -> PushEnvironment {
        var mistakes: [ConfigMistake] = []
        let group = ConfigGroup(
            node, "\"environment\"", keys: ["host", "port", "ca"],
            others: ["cacert": "ca", "ca_file": "ca", "hostname": "host", "address": "host"], &mistakes)
        if let first = mistakes.first { throw first }
        guard let host = group["host"] else {
            throw ConfigMistake(
                node.location, "\"environment\" needs the key \"host\", or one of the words production and sandbox.")
        }
        var environment = PushEnvironment(host: try host.text("host"))
        if let port = group["port"] { environment.port = try port.count("port", 1...65_535) }
        if let ca = group["ca"] {
            let path = try ca.file("ca", in: folder)
            environment.trust = try rethrowing(try .authorities(file: path)) { (error: PushCredentialsError) in
                ConfigMistake(ca.location, error.description, isMissingFile: true)
            }
        }
        try rethrowing(try environment.validate()) { (error: PushConfigurationError) in
            ConfigMistake(host.location, error.description)
        }
        return environment
    }

    // MARK: Credentials

    private mutating func credentials(_ group: ConfigGroup) -> AppSettings.Credentials? {
        switch (group["key"], group["certificate"]) {
        case (.some, .some):
            problems.append(
                ConfigMistake(
                    group.location(of: "certificate"),
                    "\(group.name) has both \"key\" and \"certificate\". Remove one of them."))
            return nil
        case (nil, nil):
            problems.append(
                ConfigMistake(
                    group.location,
                    "\(group.name) has no credentials. Add \"key\", with the .p8 file of Apple's portal, or \"certificate\"."
                ))
            return nil
        case (let key?, nil): return self.key(key)
        case (nil, let certificate?): return self.certificate(certificate)
        }
    }

    private mutating func key(_ node: ConfigNode) -> AppSettings.Credentials? {
        let group = members(
            node, "\"key\"", ["file", "id", "team"],
            ["path": "file", "key_id": "id", "kid": "id", "team_id": "team", "issuer": "team"])
        let folder = folder
        let file = needed("file", in: group, try group["file"]?.file("file", in: folder))
        // Apple's portal names the file AuthKey_ID.p8.
        let named = (try? group["file"]?.text("file")).flatMap { PushProviderKey.keyID(inFileName: $0) }
        let id =
            named != nil && group["id"] == nil
            ? named
            : needed("id", in: group, try group["id"]?.appleID("id"))
        let team = needed("team", in: group, try group["team"]?.appleID("team"))
        guard let file, let id, let team else { return nil }
        return .key(file: file, keyID: id, teamID: team)
    }

    private mutating func certificate(_ node: ConfigNode) -> AppSettings.Credentials? {
        let group = members(
            node, "\"certificate\"", ["file", "passphrase_file"],
            ["path": "file", "p12": "file", "password_file": "passphrase_file"])
        let folder = folder
        let file = needed("file", in: group, try group["file"]?.file("file", in: folder))
        let passphrase = value(try group["passphrase_file"]?.file("passphrase_file", in: folder))
        return file.map { .identity(file: $0, passphraseFile: passphrase) }
    }

    // MARK: Recipients

    private mutating func recipients(_ node: ConfigNode) -> Recipients? {
        let group = members(
            node, "\"recipients\"", ["database", "of_user", "audiences", "gone"],
            ["url": "database", "user": "of_user", "audience": "audiences", "delete": "gone"])
        let database = needed("database", in: group, try group["database"]?.recipientsDatabase())
        let ofUser = needed("of_user", in: group, try group["of_user"]?.sql("of_user"))
        let gone = value(try group["gone"]?.sql("gone"))
        let audiences = value(try group["audiences"]?.audiences())
        guard let database, let ofUser else { return nil }
        let queries = RecipientQueries(ofUser: ofUser, audiences: audiences ?? [:], gone: gone)
        return Recipients(
            PostgresRecipients(database.1, queries), address: database.0, place: database.1.description, queries)
    }

    // MARK: Webhook

    private mutating func webhook(_ node: ConfigNode, _ app: String) -> ConfiguredApp.Webhook? {
        let group = members(
            node, "\"webhook\"", ["url", "secrets_file", "events"],
            ["endpoint": "url", "secret_file": "secrets_file"])
        let folder = folder
        let url = needed("url", in: group, try group["url"]?.hookURL())
        let secrets = needed("secrets_file", in: group, try group["secrets_file"]?.file("secrets_file", in: folder))
        let events = value(try group["events"]?.events())
        guard let url, let secrets else { return nil }
        return ConfiguredApp.Webhook(url: url, secretsFile: secrets, events: events ?? [], location: node.location)
    }
}

extension ConfiguredApp {
    /// Returns what is wrong with the name of an app; `nil` for a valid name.
    static func mistake(inName name: String) -> String? {
        guard !NameForm.isValid(name, asciiOnly: true) else { return nil }
        return """
            "\(name.printable)" isn't a name for an app. Use up to 64 letters from a to z, digits, hyphens, dots and underscores.
            """
    }
}

// MARK: Values of apps

extension ConfigNode {
    fileprivate func topic(_ key: String) throws(ConfigMistake) -> String {
        let text = try text(key)
        guard let mistake = TopicChecks.mistake(in: text) else { return text }
        throw ConfigMistake(location, "\"\(key)\": \(mistake.problem) \(mistake.advice)")
    }

    fileprivate func topics() throws(ConfigMistake) -> [String] {
        guard case .list(let items) = content else { return [try topic("topics")] }
        return try items.map { (item) throws(ConfigMistake) in try item.topic("topics") }
    }

    fileprivate func proxy() throws(ConfigMistake) -> PushProxy {
        let text = try text("proxy")
        return try rethrowing(try PushProxy(url: text, named: "\"proxy\"")) { (error: PushConfigurationError) in
            ConfigMistake(location, error.description)
        }
    }

    fileprivate func policy(_ key: String) throws(ConfigMistake) -> QueueDeliveryPolicy {
        try choice(key, ["at_most_once": .atMostOnce, "at_least_once": .atLeastOnce])
    }

    fileprivate func bundleID(_ key: String) throws(ConfigMistake) -> String {
        let text = try text(key)
        guard let finding = BroadcastChecks.findings(bundleID: text).first else { return text }
        throw ConfigMistake(location, "\"\(key)\": \(finding.problem) \(finding.advice)")
    }

    fileprivate func appleID(_ key: String) throws(ConfigMistake) -> String {
        let text = try text(key)
        if let mistake = PushProviderKey.problem(in: text) {
            throw ConfigMistake(location, "\"\(key)\" must have ten letters and digits; this one \(mistake).")
        }
        return text
    }

    fileprivate func recipientsDatabase() throws(ConfigMistake) -> (String, PostgresAddress) {
        let text = try text("database")
        return try rethrowing((text, try PostgresAddress(text))) { (error: QueueError) in
            let text = error.description.replacing("address of the queue in PostgreSQL", with: "address")
            return ConfigMistake(location, "\"database\": \(text)")
        }
    }

    fileprivate func audiences() throws(ConfigMistake) -> [String: String] {
        guard case .group(let members) = content else {
            throw ConfigMistake(location, "\"audiences\" must consist of lines such as \"vip: SELECT ...\".")
        }
        var audiences: [String: String] = [:]
        for member in members { audiences[member.key] = try member.value.sql(member.key) }
        return audiences
    }

    fileprivate func hookURL() throws(ConfigMistake) -> String {
        let text = try text("url")
        guard WebhookSettings.isAddress(text) else {
            let advice =
                Self.bracketsAdvice(forURL: text)
                ?? "Use a URL with https and without a password, such as https://example.com/hook."
            // The text isn't shown: a password or a query in it can be a secret.
            throw ConfigMistake(location, "\"url\" isn't the address of a webhook. \(advice)")
        }
        return text
    }

    fileprivate func events() throws(ConfigMistake) -> [String] {
        let known = QueueJobOutcome.Kind.names
        let events = try texts("events")
        guard let wrong = events.first(where: { !known.contains($0) }) else { return events }
        throw ConfigMistake(
            location, "Unknown event \"\(wrong.printable)\". \(NearestName.remedy(wrong, among: known))")
    }
}
