import Logging
import PushCommandLine
import PushDelivery
import PushPlatform
import PushService

/// Reads the configuration again. If it has a mistake, the old one stays.
actor ServiceReload {
    /// What the service has started with. Some of it stays until the next start.
    private let started: ServiceConfiguration
    private var current: ServiceConfiguration
    private var certificate: WatchedFiles
    private var secrets: WatchedFiles
    private let parts: ServiceParts
    private let log: Logger
    private let read: @Sendable () throws(CommandFailure) -> ServiceConfiguration

    /// How often files and apps are checked.
    private static let pace = Duration.seconds(20)

    init(
        _ configuration: ServiceConfiguration, _ parts: ServiceParts, log: Logger,
        read: @escaping @Sendable () throws(CommandFailure) -> ServiceConfiguration
    ) {
        (started, current, self.parts, self.log, self.read) = (configuration, configuration, parts, log, read)
        (certificate, secrets) = (configuration.certificateFiles, configuration.secretsFiles)
    }

    /// Reads the configuration, and gives it to the parts.
    func run() async {
        ServiceManager.reloading()
        defer { ServiceManager.ready() }
        do throws(CommandFailure) {
            let new = try read()
            let secrets = new.secretsFiles
            await apply(new, try Self.webhooks(of: new))
            self.secrets = secrets
        } catch {
            for message in error.messages { log.error("\(message)") }
            log.error(
                "The configuration wasn't changed, because the new one has a mistake. Correct it, and send SIGHUP again."
            )
        }
        renewCertificate()
    }

    private func apply(_ new: ServiceConfiguration, _ webhooks: [String: WebhookSettings]) async {
        for key in Self.needingRestart(started, new) {
            log.warning("A change of \"\(key)\" takes effect at the next start.", metadata: ["key": "\(key)"])
        }
        let names = (Set(current.settings.map(\.name)), Set(new.settings.map(\.name)))
        current = new
        AppCredentials.report(new.apps, log)
        await parts.update(new, webhooks)
        // The database may be slow or down, and the next reload does not wait for it.
        Task { [parts, log] in await Self.warnOfLeftOver(parts, log) }
        log.notice(
            "The configuration was reloaded.",
            metadata: [
                "apps": "\(new.apps.count)",
                "added": "\(names.1.subtracting(names.0).sorted().joined(separator: ","))",
                "removed": "\(names.0.subtracting(names.1).sorted().joined(separator: ","))",
            ])
    }

    /// Warns about jobs of apps that are not configured.
    static func warnOfLeftOver(_ parts: ServiceParts, _ log: Logger) async {
        // If the queue cannot be read, the parts that need it report that.
        for (app, jobs) in (try? await parts.findLeftOver()) ?? [] {
            log.warning("\(LeftOverJobs.fact(app, jobs)) \(LeftOverJobs.remedy(app))", metadata: ["app": "\(app)"])
        }
    }

    private static func webhooks(
        of configuration: ServiceConfiguration
    ) throws(CommandFailure) -> [String: WebhookSettings] {
        return try rethrowing(try configuration.webhookSettings()) { (error: ConfigMistakes) in CommandFailure(error) }
    }

    /// The keys that have changed, and are read only at the start.
    static func needingRestart(_ old: ServiceConfiguration, _ new: ServiceConfiguration) -> [String] {
        var keys: [String] = []
        if old.listen != new.listen { keys.append("listen") }
        if old.publicURL != new.publicURL { keys.append("public_url") }
        // Other files are read at once.
        if (old.tls == nil) != (new.tls == nil) { keys.append("tls") }
        if old.metrics != new.metrics { keys.append("metrics") }
        if old.database != new.database { keys.append("database") }
        if old.inboxes != new.inboxes { keys.append("inbox") }
        if old.limits != new.limits { keys.append("limits") }
        if old.keep != new.keep { keys.append("keep") }
        if old.page != new.page { keys.append("page") }
        if old.log != new.log { keys.append("log") }
        if old.drain != new.drain { keys.append("drain") }
        return keys
    }

    // MARK: Replaced files

    /// Takes replaced files into use, until the task is cancelled. The files of the apps are watched by the delivery.
    func watch() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pace)
            if !Task.isCancelled { await check() }
        }
    }

    /// Uses files that were replaced since the last check, and forgets apps whose last jobs have ended.
    func check() async {
        if certificate != current.certificateFiles { renewCertificate() }
        if secrets != current.secretsFiles { renewSecrets() }
        // The log has them at the start and at a reload.
        _ = try? await parts.findLeftOver()
    }

    /// Reads the certificate of the service again. If it cannot be used, the old one stays.
    private func renewCertificate() {
        guard started.tls != nil, let files = current.api.tls else { return }
        let isNew = certificate != current.certificateFiles
        certificate = current.certificateFiles
        do throws(ServiceStartError) {
            try parts.http.renewCertificate(files)
            if isNew { log.notice("A new certificate for HTTPS is used for new connections.") }
        } catch {
            log.error("\(error.description) The old certificate stays in use.", metadata: ["key": "tls"])
        }
    }

    /// Reads the secrets of the webhooks again. If one cannot be used, the old ones stay.
    private func renewSecrets() {
        secrets = current.secretsFiles
        do throws(CommandFailure) {
            parts.webhooks.update(try Self.webhooks(of: current))
            log.notice("New secrets of webhooks are used.")
        } catch {
            for message in error.messages { log.error("\(message) The old secrets stay in use.") }
        }
    }
}

extension ServiceConfiguration {
    fileprivate var certificateFiles: WatchedFiles {
        WatchedFiles(tls.map { [$0.certificate, $0.key] } ?? [])
    }

    fileprivate var secretsFiles: WatchedFiles { WatchedFiles(apps.compactMap { $0.webhook?.secretsFile }) }
}
