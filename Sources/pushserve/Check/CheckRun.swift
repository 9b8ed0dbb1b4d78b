import APNSVocabulary
import NIOConcurrencyHelpers
import PushCommandLine
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
import PushQueuePostgres
import PushService
import PushYAML

/// One run of `pushserve check`: each finding as soon as it is known.
struct CheckRun {
    let configuration: ServiceConfiguration
    /// The time limit for asking the servers; `nil` to check none.
    let connectTimeout: Duration?

    /// Checks everything.
    ///
    /// - Parameter found: Called with each finding.
    /// - Returns: The exit code of the first failure.
    func run(found: (Finding) -> Void) async -> ExitStatus {
        var status = ExitStatus.success
        func add(_ findings: [Finding]) {
            for finding in findings {
                if status == .success { status = finding.status }
                found(finding)
            }
        }
        add(configurationFindings)
        let (database, setups) = await databaseFindings()
        add(database)
        for inbox in configuration.inboxSettings().map(\.inbox) {
            add(await InboxCheck.findings(inbox, configuration.settings.map(\.name)))
            await inbox.close()
        }
        add(tlsFindings)
        for app in configuration.apps {
            let (findings, credentials) = AppCredentials.check(app.settings)
            add(findings + [AppCredentials.deliveryCounts(app.settings)].compactMap(\.self))
            if let credentials, let before = setups[app.settings.name]?.base {
                let changes = AppSetup(app.settings, credentials.certificate).changes(from: before)
                add(changes.map { .warning("configuration", app: app.settings.name, $0) })
            }
            if let recipients = app.settings.recipients { add([await self.recipients(recipients, app.settings.name)]) }
            if let webhook = app.webhook { add([await self.webhook(webhook, app.settings.name)]) }
            if let connectTimeout, let credentials {
                add([
                    await ServerCheck(settings: app.settings, credentials: credentials, timeout: connectTimeout)
                        .run()
                ])
            }
        }
        return status
    }

    private var configurationFindings: [Finding] {
        let count = configuration.apps.count
        return configuration.warnings.map { .warning("configuration", $0.description) } + [
            .ok(
                "configuration",
                "\(counted(count, "app")); the service listens on \(configuration.listen)\(configuration.tls == nil ? "" : " with TLS")."
            )
        ]
    }

    // MARK: Database

    /// What was found, and the setups with which the service last ran each app.
    private func databaseFindings() async -> ([Finding], [String: StoredAppSetup]) {
        let location = configuration.database
        if let path = location.path, access(path, F_OK) != 0 { return ([Self.missing(path)], [:]) }
        let warnings = NIOLockedValueBox([String]())
        do throws(QueueError) {
            let queue = try await location.open(createsTables: false) { text in
                warnings.withLockedValue { $0.append(text) }
            }
            var setups: [String: StoredAppSetup] = [:]
            let counts = try await closing(queue.close) { () async throws(QueueError) in
                try await queue.checkWriting()
                let counts = try await queue.counts()
                for app in configuration.apps.map(\.settings.name) {
                    setups[app] = try await queue.record(kind: StoredAppSetup.kind, key: app).flatMap(
                        StoredAppSetup.init)
                }
                return counts
            }
            let configured = Set(configuration.apps.map(\.settings.name))
            let findings: [Finding] =
                [.ok("database", "\(Self.shownPath(location.description)) can be written.")]
                + warnings.withLockedValue { $0 }.map { .warning("database", $0, remedy: nil) }
                + LeftOverJobs.find(counts, configured: configured).map {
                    .warning("database", LeftOverJobs.fact($0.app, $0.jobs), remedy: LeftOverJobs.remedy($0.app))
                }
            return (findings, setups)
        } catch {
            if error.code == .missing {
                return ([.ok("database", "\(location) has no queue yet. The service creates it.")], [:])
            }
            return ([.failed("database", error.description, CommandFailure(error).status)], [:])
        }
    }

    /// The path from the current folder on, if the file is below it.
    private static func shownPath(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        return (path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path).printable
    }

    private static func missing(_ path: String) -> Finding {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let shown = folder.isEmpty ? "/" : folder
        guard access(shown, W_OK | X_OK) == 0 else {
            return .failed(
                "database",
                "\(path.printable) can't be created: \(shown.printable): \(String(cString: strerror(errno))).",
                remedy: "Create the folder, or give this user permission to write to it.", .cannotCreate)
        }
        return .ok("database", "\(shownPath(path)) doesn't exist yet. The service creates it.")
    }

    // MARK: Files

    private var tlsFindings: [Finding] {
        guard let tls = configuration.tls else { return [] }
        do throws(PushCredentialsError) {
            let identity = try PushIdentity(certificateFile: tls.certificate, keyFile: tls.key)
            let days = identity.certificate.daysLeft()
            guard days < 14 else { return [.ok("tls", "The certificate can be used.", daysLeft: days)] }
            return [
                .warning("tls", "The certificate expires in \(days) days.", remedy: "Renew it.", daysLeft: days)
            ]
        } catch {
            return [.failed("tls", error.description, CommandFailure(error).status)]
        }
    }

    private func recipients(_ recipients: Recipients, _ app: String) async -> Finding {
        do throws(QueueError) {
            try await recipients.check()
            return .ok("recipients", app: app, "The statements for the table of devices can be run.")
        } catch {
            let isStatement = error.code == .damaged || error.code == .invalid
            return .failed(
                "recipients", app: app, error.description,
                remedy: isStatement ? "Correct the statement in \"recipients\"." : nil,
                isStatement ? .badConfiguration : CommandFailure(error).status)
        }
    }

    private func webhook(_ webhook: ConfiguredApp.Webhook, _ app: String) async -> Finding {
        let settings: WebhookSettings
        do throws(ServiceConfiguration.WebhookMistake) { settings = try configuration.settings(of: webhook) } catch {
            return .failed(
                "webhook", app: app, error.description, remedy: "The service doesn't start with it.",
                .badConfiguration)
        }
        if connectTimeout != nil {
            do throws(WebhookRefusal) { try await settings.checkAddress() } catch {
                return .failed(
                    "webhook", app: app, error.reason,
                    remedy: error.isPermanent ? "The service never posts to it." : "Try again later.",
                    error.isPermanent ? .badConfiguration : .cannotConnect)
            }
        }
        var facts = stat()
        guard stat(webhook.secretsFile, &facts) == 0, facts.st_mode & 0o077 != 0 else {
            return .ok("webhook", app: app, "The URL and the secrets can be used.")
        }
        return .warning(
            "webhook", app: app, "Other users can read \"\(webhook.secretsFile.printable)\".",
            remedy: "Set its mode to 0600.")
    }
}

enum InboxCheck {
    /// What is found. Without a configuration, there are no `apps`.
    static func findings(_ inbox: PostgresInbox, _ apps: [String]?) async -> [Finding] {
        do throws(QueueError) {
            let problems = try await inbox.check(apps: apps)
            let ages = try await inbox.oldest()
            let schema = inbox.contract.schema
            return [.ok("inbox", "The inbox in the schema \"\(schema)\" of \(inbox.address) can be used.")]
                + problems.map { .warning("inbox", $0) }
                + ages.filter { apps?.contains($0.app) == false }.map { age in
                    .warning(
                        "inbox", app: age.app,
                        "Rows wait in the inbox for an app that isn't in the configuration, the oldest for \(Int(age.seconds)) s.",
                        remedy: "Configure the app, or delete its rows.")
                }
        } catch {
            return [.failed("inbox", error.description, CommandFailure(error).status)]
        }
    }
}

/// Jobs of apps that are not in the configuration, because they were renamed or removed. They are not sent.
enum LeftOverJobs {
    /// The apps that have unfinished jobs and are not configured, with the numbers of jobs, in the order of the names.
    static func find(_ counts: [String: QueueCounts], configured: Set<String>) -> [(app: String, jobs: Int)] {
        counts.map { (app: $0.key, jobs: $0.value.unfinished) }
            .filter { $0.jobs > 0 && !configured.contains($0.app) }
            .sorted { $0.app < $1.app }
    }

    static func fact(_ app: String, _ jobs: Int) -> String {
        "\(counted(jobs, "job waits", "jobs wait")) for the app \"\(app)\", which isn't in the configuration."
    }

    static func remedy(_ app: String) -> String {
        "Configure the app again under this name, or cancel its jobs: pushserve queue cancel --all --app \(app)"
    }
}
