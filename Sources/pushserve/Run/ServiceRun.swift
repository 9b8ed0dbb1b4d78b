import Logging
import PushCommandLine
import PushDelivery
import PushPlatform
import PushQueue
import PushService
import PushYAML
import ServiceLifecycle

/// One run of the service, from the start to the end of the process.
struct ServiceRun {
    private let configuration: ServiceConfiguration
    private let reload: @Sendable () throws(CommandFailure) -> ServiceConfiguration
    private let ready: @Sendable (_ address: ListenAddress, _ metrics: ListenAddress?) -> Void

    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - reload: Reads the configuration again.
    ///   - ready: Called when the service accepts requests.
    init(
        _ configuration: ServiceConfiguration,
        reload: @escaping @Sendable () throws(CommandFailure) -> ServiceConfiguration,
        ready: @escaping @Sendable (_ address: ListenAddress, _ metrics: ListenAddress?) -> Void
    ) {
        (self.configuration, self.reload, self.ready) = (configuration, reload, ready)
    }

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Throws: ``CommandFailure``, or another error that becomes one, if the service cannot start, or fails.
    func run() async throws {
        try PortCheck.requireFree(configuration.listen, key: "listen")
        if let metrics = configuration.metrics { try PortCheck.requireFree(metrics, key: "metrics") }
        let log = logger("pushserve")
        for warning in configuration.warnings {
            log.warning("\(warning.message)", metadata: ["at": "\(warning.location)"])
        }
        let webhooks = try rethrowing(try configuration.webhookSettings()) { (error: ConfigMistakes) in
            CommandFailure(error)
        }
        let signals = ServiceSignals.stream()
        let queue = try await openQueue(log)
        AppCredentials.report(configuration.apps, log)
        let parts = ServiceParts(configuration, webhooks, queue, { logger($0) })
        await ServiceReload.warnOfLeftOver(parts, log)
        await parts.webhooks.prepare()
        try await closing(queue.close) { try await serve(parts, signals, log) }
        log.notice("The service has ended.")
    }

    private func openQueue(_ log: Logger) async throws(QueueError) -> any QueueBackend {
        var options = QueueOptions()
        options.keepKeys = configuration.keep.keys
        return try await configuration.database.open(options, isService: true) { log.warning("\($0)") }
    }

    private func logger(_ label: String) -> Logger {
        let log = configuration.log
        return Logger(label: label) { ServiceLog(label: $0, format: log.format, level: log.level) }
    }

    // MARK: Serving

    private func serve(_ parts: ServiceParts, _ signals: AsyncStream<Int32>, _ log: Logger) async throws {
        var options = ServiceGroupConfiguration(services: parts.services, logger: logger("services"))
        options.maximumGracefulShutdownDuration = configuration.drain + .seconds(30)
        let group = ServiceGroup(configuration: options)
        let reloading = ServiceReload(configuration, parts, log: log, read: reload)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask { await Self.obey(signals, group, reloading, log) }
            tasks.addTask { await reloading.watch() }
            tasks.addTask {
                // If the service cannot listen, the group ends with the reason.
                guard let address = await parts.listening(configuration.listen) else { return await Self.forEver() }
                let metrics = await parts.listening(metrics: configuration.metrics)
                if let metrics { log.notice("The metrics are at http://\(metrics)/metrics.") }
                ready(address, metrics)
                ServiceManager.ready()
                await Self.forEver()
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    /// Waits until the task is cancelled.
    private static func forEver() async {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        continuation.finish()
    }

    private static func obey(
        _ signals: AsyncStream<Int32>, _ group: ServiceGroup, _ reloading: ServiceReload, _ log: Logger
    ) async {
        var isEnding = false
        for await signal in signals {
            if signal == SIGHUP {
                if !isEnding { await reloading.run() }
            } else if isEnding {
                log.notice(
                    "Second signal: the service stops immediately. Jobs that were being sent get their outcomes at the next start."
                )
                Output.exit(.interrupted)
            } else {
                isEnding = true
                log.notice(
                    "The service stops when the requests in flight are complete. A second signal stops it immediately."
                )
                ServiceManager.stopping()
                await group.triggerGracefulShutdown()
            }
        }
        await forEver()
    }
}
