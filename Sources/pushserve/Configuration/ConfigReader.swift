import APNSVocabulary
import Logging
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
import PushQueuePostgres
import PushService

/// Makes a configuration of its text. It continues after a mistake, so that all mistakes are reported together.
struct ConfigReader: ConfigCollecting {
    /// The folder that relative paths begin at.
    let folder: String
    var problems: [ConfigProblem] = []

    init(folder: String) {
        self.folder = folder
    }

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
        assign(group["listen"], into: &configuration.listen) { node throws(ConfigProblem) in try node.address("listen")
        }
        configuration.publicURL = value(group["public_url"]) { node throws(ConfigProblem) in try node.publicURL() }
        configuration.tls = tls(group["tls"])
        configuration.metrics = value(group["metrics"]) { node throws(ConfigProblem) in try node.address("metrics") }
        let folder = folder
        configuration.database = .file(ConfigValue.path("pushserve.sqlite", in: folder))
        assign(group["database"], into: &configuration.database) { node throws(ConfigProblem) in
            try node.queue("database", in: folder)
        }
        if let node = group["limits"] { configuration.limits = limits(node) }
        if let node = group["keep"] { configuration.keep = keep(node) }
        if let node = group["webhooks"] { configuration.webhooks = webhooks(node) }
        if let node = group["inbox"] { configuration.inboxes = inboxes(node) }
        if let node = group["page"] {
            let page = members(node, "\"page\"", ["payloads"], ["payload": "payloads", "show_payloads": "payloads"])
            assign(page["payloads"], into: &configuration.page.showsPayloads) { node throws(ConfigProblem) in
                try node.bool("payloads")
            }
        }
        if let node = group["log"] { configuration.log = log(node) }
        assign(group["drain"], into: &configuration.drain) { node throws(ConfigProblem) in
            try node.duration("drain", atMost: .seconds(3600))
        }
        if let node = group["apps"] { configuration.apps = apps(node) }
        warn(&configuration, group)
        return configuration
    }

    // MARK: Groups

    private mutating func tls(_ node: ConfigNode?) -> ServiceConfiguration.TLSFiles? {
        guard let node else { return nil }
        let group = members(node, "\"tls\"", ["certificate", "key"], ["cert": "certificate", "private_key": "key"])
        let folder = folder
        let certificate = needed("certificate", in: group) { node throws(ConfigProblem) in
            try node.file("certificate", in: folder)
        }
        let key = needed("key", in: group) { node throws(ConfigProblem) in try node.file("key", in: folder) }
        guard let certificate, let key else { return nil }
        return ServiceConfiguration.TLSFiles(certificate: certificate, key: key)
    }

    private mutating func limits(_ node: ConfigNode) -> ServiceConfiguration.Limits {
        var limits = ServiceConfiguration.Limits()
        let group = members(
            node, "\"limits\"", ["body", "queue_depth", "rate_per_key", "connections", "start_window"],
            ["rate": "rate_per_key", "size": "body", "depth": "queue_depth"])
        assign(group["body"], into: &limits.body) { node throws(ConfigProblem) in
            try node.size("body", 8 << 10...1 << 30)
        }
        assign(group["queue_depth"], into: &limits.queueDepth) { node throws(ConfigProblem) in
            try node.count("queue_depth", 1...1_000_000_000)
        }
        assign(group["rate_per_key"], into: &limits.ratePerKey) { node throws(ConfigProblem) in
            // A number without a unit is one for each second.
            if case .text(let text) = node.content, let number = Int(text), number > 0 { return Double(number) }
            return try node.rate("rate_per_key")
        }
        assign(group["connections"], into: &limits.connections) { node throws(ConfigProblem) in
            try node.count("connections", 1...1_000_000)
        }
        assign(group["start_window"], into: &limits.startWindow) { node throws(ConfigProblem) in
            try node.count("start_window", 1...100_000)
        }
        return limits
    }

    private mutating func keep(_ node: ConfigNode) -> ServiceConfiguration.Keep {
        var keep = ServiceConfiguration.Keep()
        let group = members(
            node, "\"keep\"", ["jobs", "payloads", "keys"], ["results": "jobs", "payload": "payloads"])
        assign(group["jobs"], into: &keep.jobs) { node throws(ConfigProblem) in try node.duration("jobs") }
        assign(group["payloads"], into: &keep.payloads) { node throws(ConfigProblem) in try node.duration("payloads") }
        assign(group["keys"], into: &keep.keys) { node throws(ConfigProblem) in try node.duration("keys") }
        return keep
    }

    private mutating func webhooks(_ node: ConfigNode) -> ServiceConfiguration.Webhooks {
        var webhooks = ServiceConfiguration.Webhooks()
        let group = members(
            node, "\"webhooks\"", ["allow", "timeout", "retry_for"], ["hosts": "allow", "allowed_hosts": "allow"])
        assign(group["allow"], into: &webhooks.allowedHosts) { node throws(ConfigProblem) in try node.texts("allow") }
        assign(group["timeout"], into: &webhooks.timeout) { node throws(ConfigProblem) in
            try node.duration("timeout", atMost: .seconds(300))
        }
        assign(group["retry_for"], into: &webhooks.retryFor) { node throws(ConfigProblem) in
            try node.duration("retry_for", atMost: .seconds(30 * 86_400))
        }
        return webhooks
    }

    /// One inbox, or a list of them.
    private mutating func inboxes(_ node: ConfigNode) -> [ServiceConfiguration.Inbox] {
        var nodes = [node]
        if case .list(let items) = node.content { nodes = items }
        var inboxes: [ServiceConfiguration.Inbox] = []
        for node in nodes {
            guard let inbox = inbox(node) else { continue }
            if inboxes.contains(where: { $0.address == inbox.address && $0.contract == inbox.contract }) {
                problems.append(ConfigProblem(node.location, "This inbox is given twice. Remove one of them."))
            }
            inboxes.append(inbox)
        }
        return inboxes
    }

    private mutating func inbox(_ node: ConfigNode) -> ServiceConfiguration.Inbox? {
        let group = members(
            node, "\"inbox\"", ["database", "schema", "poll", "outcomes"], ["url": "database", "results": "outcomes"])
        let address = needed("database", in: group) { node throws(ConfigProblem) in
            let text = try node.text("database")
            do throws(QueueError) { return try PostgresAddress(text) } catch {
                throw ConfigProblem(node.location, "\"database\": \(error.description)")
            }
        }
        let contract = value(group["schema"]) { node throws(ConfigProblem) in
            let text = try node.text("schema")
            do throws(QueueError) { return try InboxContract(schema: text) } catch {
                throw ConfigProblem(node.location, "\"schema\": \(error.description)")
            }
        }
        guard let address, let contract = contract ?? (try? InboxContract(in: address)) else { return nil }
        var inbox = ServiceConfiguration.Inbox(address: address, contract: contract)
        assign(group["poll"], into: &inbox.poll) { node throws(ConfigProblem) in
            try node.duration("poll", atMost: .seconds(60))
        }
        assign(group["outcomes"], into: &inbox.outcomes) { node throws(ConfigProblem) in
            try node.choice("outcomes", ["none": .none, "failures": .failures, "all": .all])
        }
        return inbox
    }

    private mutating func log(_ node: ConfigNode) -> ServiceConfiguration.Log {
        var log = ServiceConfiguration.Log()
        let group = members(node, "\"log\"", ["level", "format"])
        assign(group["level"], into: &log.level) { node throws(ConfigProblem) in
            try node.choice(
                "level",
                [
                    "trace": Logger.Level.trace, "debug": .debug, "info": .info, "notice": .notice,
                    "warning": .warning, "error": .error,
                ])
        }
        assign(group["format"], into: &log.format) { node throws(ConfigProblem) in
            try node.choice("format", ["text": ServiceLog.Format.text, "json": .json])
        }
        return log
    }

    private mutating func apps(_ node: ConfigNode) -> [ConfiguredApp] {
        switch node.content {
        case .nothing: return []
        case .text, .list:
            problems.append(
                ConfigProblem(
                    node.location, "\"apps\" must consist of the names of apps, each with its settings below it."))
            return []
        case .group(let members): return members.compactMap { app($0) }
        }
    }

    /// Reads one app; `nil` if it has a mistake.
    mutating func app(_ member: ConfigNode.Member) -> ConfiguredApp? {
        var reader = AppReader(folder: folder)
        let app = reader.app(member)
        problems += reader.problems
        return app
    }

    // MARK: Mistakes

    /// Warns about settings that are allowed, but are often a mistake.
    private func warn(_ configuration: inout ServiceConfiguration, _ group: ConfigGroup) {
        if !configuration.listen.isLoopback, configuration.tls == nil {
            configuration.warnings.append(
                ConfigProblem(
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
                ConfigProblem(
                    group.location(of: "tls"),
                    "Other users can use the private key \(key.printable). Set its mode to 0600 or 0640."))
        }
        for app in configuration.apps {
            let settings = app.settings
            for topic in Set(settings.allowedTopics + [settings.topic].compactMap(\.self)).sorted() {
                guard let (problem, advice) = TopicShape.problem(in: topic) else { continue }
                configuration.warnings.append(ConfigProblem(app.location, "\(problem) \(advice)"))
            }
        }
        if configuration.keep.payloads > configuration.keep.jobs {
            configuration.warnings.append(
                ConfigProblem(
                    group.location(of: "keep"),
                    "Payloads are deleted with their job, so \"payloads\" has no effect if it is longer than \"jobs\".")
            )
        }
    }

    private mutating func members(
        _ node: ConfigNode, _ name: String, _ keys: [String], _ others: [String: String] = [:]
    ) -> ConfigGroup {
        ConfigGroup(node, name, keys: keys, others: others, &problems)
    }
}
