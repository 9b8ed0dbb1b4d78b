import APNSVocabulary
import Logging
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
import PushQueuePostgres
import PushService
import PushYAML

/// Makes a configuration of its text. It continues after a mistake, so that all mistakes are reported together.
struct ConfigReader {
    /// The folder that relative paths begin at.
    let folder: String
    var problems: [ConfigMistake] = []

    private static let keys = [
        "listen", "public_url", "tls", "metrics", "database", "limits", "keep", "webhooks", "inbox", "page", "log",
        "drain",
        "apps",
    ]
    private static let otherKeys = [
        "port": "listen", "address": "listen", "bind": "listen", "db": "database", "queue": "database",
        "certificate": "tls", "retention": "keep", "url": "public_url", "base_url": "public_url", "logging": "log",
        "app": "apps", "hooks": "webhooks", "inboxes": "inbox",
    ]

    /// Reads the outermost group.
    mutating func configuration(_ root: ConfigNode) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        let group = members(root, "The file", Self.keys, Self.otherKeys)
        assign(try group["listen"]?.address("listen"), into: &configuration.listen)
        configuration.publicURL = value(try group["public_url"]?.publicURL())
        configuration.tls = tls(group["tls"])
        configuration.metrics = value(try group["metrics"]?.address("metrics"))
        let folder = folder
        configuration.database = .file(ConfigValue.path("pushserve.sqlite", in: folder))
        assign(try group["database"]?.queue("database", in: folder), into: &configuration.database)
        if let node = group["limits"] { readLimits(node, &configuration.limits) }
        if let node = group["keep"] { readKeep(node, &configuration.keep) }
        if let node = group["webhooks"] { readWebhooks(node, &configuration.webhooks) }
        if let node = group["inbox"] { configuration.inboxes = inboxes(node) }
        if let node = group["page"] {
            let page = members(node, "\"page\"", ["payloads"], ["payload": "payloads", "show_payloads": "payloads"])
            assign(try page["payloads"]?.bool("payloads"), into: &configuration.page.showsPayloads)
        }
        if let node = group["log"] { readLog(node, &configuration.log) }
        assign(try group["drain"]?.duration("drain", atMost: .seconds(3600)), into: &configuration.drain)
        if let node = group["apps"] { configuration.apps = apps(node) }
        warn(&configuration, group)
        return configuration
    }

    // MARK: Groups

    private mutating func tls(_ node: ConfigNode?) -> APIConfiguration.TLSFiles? {
        guard let node else { return nil }
        let group = members(node, "\"tls\"", ["certificate", "key"], ["cert": "certificate", "private_key": "key"])
        let folder = folder
        let certificate = needed("certificate", in: group, try group["certificate"]?.file("certificate", in: folder))
        let key = needed("key", in: group, try group["key"]?.file("key", in: folder))
        guard let certificate, let key else { return nil }
        return APIConfiguration.TLSFiles(certificate: certificate, key: key)
    }

    private mutating func readLimits(_ node: ConfigNode, _ limits: inout ServiceConfiguration.Limits) {
        let group = members(
            node, "\"limits\"", ["body", "queue_depth", "rate_per_key", "connections", "start_window"],
            ["rate": "rate_per_key", "size": "body", "depth": "queue_depth"])
        assign(try group["body"]?.size("body", 8 << 10...1 << 30), into: &limits.body)
        assign(try group["queue_depth"]?.count("queue_depth", 1...1_000_000_000), into: &limits.queueDepth)
        assign(try group["rate_per_key"]?.ratePerKey(), into: &limits.ratePerKey)
        assign(try group["connections"]?.count("connections", 1...1_000_000), into: &limits.connections)
        assign(try group["start_window"]?.count("start_window", 1...100_000), into: &limits.startWindow)
    }

    private mutating func readKeep(_ node: ConfigNode, _ keep: inout ServiceConfiguration.Keep) {
        let group = members(
            node, "\"keep\"", ["jobs", "payloads", "keys"], ["results": "jobs", "payload": "payloads"])
        assign(try group["jobs"]?.duration("jobs"), into: &keep.jobs)
        assign(try group["payloads"]?.duration("payloads"), into: &keep.payloads)
        assign(try group["keys"]?.duration("keys"), into: &keep.keys)
    }

    private mutating func readWebhooks(_ node: ConfigNode, _ webhooks: inout ServiceConfiguration.Webhooks) {
        let group = members(
            node, "\"webhooks\"", ["allow", "timeout", "retry_for"], ["hosts": "allow", "allowed_hosts": "allow"])
        assign(try group["allow"]?.hookHosts("allow"), into: &webhooks.allowedHosts)
        assign(try group["timeout"]?.duration("timeout", atMost: .seconds(300)), into: &webhooks.timeout)
        assign(try group["retry_for"]?.duration("retry_for", atMost: .seconds(30 * 86_400)), into: &webhooks.retryFor)
    }

    /// One inbox, or a list of them.
    private mutating func inboxes(_ node: ConfigNode) -> [ServiceConfiguration.Inbox] {
        var nodes = [node]
        if case .list(let items) = node.content { nodes = items }
        var inboxes: [ServiceConfiguration.Inbox] = []
        for node in nodes {
            guard let inbox = inbox(node) else { continue }
            if inboxes.contains(where: { $0.address == inbox.address && $0.contract == inbox.contract }) {
                problems.append(ConfigMistake(node.location, "This inbox is given twice. Remove one of them."))
            }
            inboxes.append(inbox)
        }
        return inboxes
    }

    private mutating func inbox(_ node: ConfigNode) -> ServiceConfiguration.Inbox? {
        let group = members(
            node, "\"inbox\"", ["database", "schema", "poll", "outcomes"], ["url": "database", "results": "outcomes"])
        let address = needed("database", in: group, try group["database"]?.parsed("database", PostgresAddress.init))
        let contract = value(
            try group["schema"]?.parsed("schema") { (text) throws(QueueError) in try InboxContract(schema: text) })
        guard let address, let contract = contract ?? (try? InboxContract(in: address)) else { return nil }
        var inbox = ServiceConfiguration.Inbox(address: address, contract: contract)
        assign(try group["poll"]?.duration("poll", atMost: .seconds(60)), into: &inbox.poll)
        assign(
            try group["outcomes"]?.choice(
                "outcomes", ["none": Inboxes.Outcomes.none, "failures": .failures, "all": .all]),
            into: &inbox.outcomes)
        return inbox
    }

    private mutating func readLog(_ node: ConfigNode, _ log: inout ServiceConfiguration.Log) {
        let group = members(node, "\"log\"", ["level", "format"])
        assign(
            try group["level"]?.choice(
                "level",
                [
                    "trace": Logger.Level.trace, "debug": .debug, "info": .info, "notice": .notice, "warning": .warning,
                    "error": .error,
                ]), into: &log.level)
        assign(
            try group["format"]?.choice("format", ["text": ServiceLog.Format.text, "json": .json]), into: &log.format)
    }

    private mutating func apps(_ node: ConfigNode) -> [ConfiguredApp] {
        switch node.content {
        case .nothing: return []
        case .text, .list:
            problems.append(
                ConfigMistake(
                    node.location, "\"apps\" must consist of the names of apps, each with its settings below it."))
            return []
        case .group(let members): return members.compactMap { app($0) }
        }
    }

    // MARK: Mistakes

    /// Warns about settings that are allowed, but are often a mistake.
    private func warn(_ configuration: inout ServiceConfiguration, _ group: ConfigGroup) {
        if !configuration.listen.isLoopback, configuration.tls == nil {
            configuration.warnings.append(
                ConfigMistake(
                    group.location(of: "listen"),
                    """
                    API keys can be read on the network: other machines can reach \(configuration.listen), and there is no "tls". Add \
                    "tls", or put a proxy with TLS in front and listen on 127.0.0.1.
                    """))
        }
        var facts = stat()
        // A group of its own for such keys is usual.
        if let key = configuration.tls?.key, stat(key, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            facts.st_mode & 0o027 != 0
        {
            configuration.warnings.append(
                ConfigMistake(
                    group.location(of: "tls"),
                    "Other users can use the private key \(key.printable). Set its mode to 0600 or 0640."))
        }
        for app in configuration.apps {
            let settings = app.settings
            for topic in Set(settings.allowedTopics + [settings.topic].compactMap(\.self)).sorted() {
                guard let (problem, advice) = TopicShape.problem(in: topic) else { continue }
                configuration.warnings.append(ConfigMistake(app.location, "\(problem) \(advice)"))
            }
        }
        if configuration.keep.payloads > configuration.keep.jobs {
            configuration.warnings.append(
                ConfigMistake(
                    group.location(of: "keep"),
                    "Payloads are deleted with their job, so \"payloads\" has no effect if it is longer than \"jobs\".")
            )
        }
    }

    mutating func members(
        _ node: ConfigNode, _ name: String, _ keys: [String], _ others: [String: String] = [:]
    ) -> ConfigGroup {
        ConfigGroup(node, name, keys: keys, others: others, &problems)
    }
}

extension ConfigNode {
    fileprivate func ratePerKey() throws(ConfigMistake) -> Double {
        // A number without a unit is one for each second.
        if case .text(let text) = content, let number = Int(text), number > 0 { return Double(number) }
        return try rate("rate_per_key")
    }
}
