internal import Logging
internal import NIOCore
internal import PushPlatform
internal import PushProvider
internal import PushQueue

extension DeliveryEngine {
    // MARK: Settings

    /// Works with these apps from now on: new ones begin, others change or end. No job is lost.
    ///
    /// A client whose settings have changed finishes its pushes, and another one takes over. An app that was refused or down tries
    /// again.
    package func update(_ settings: [AppSettings]) {
        firstApps = nil
        checkRecipients(settings)
        let names = Set(settings.map(\.name))
        for (name, work) in apps where !names.contains(name) {
            retrySuspectedMismatches(work)
            if let client = work.client { retire(client) }
            (apps[name], failingRecipients[name]) = (nil, nil)
            logger.notice("an app was removed", metadata: ["app": "\(name)"])
        }
        for app in settings {
            if let work = apps[app.name] { change(work, to: app) } else { add(app) }
        }
        followShares()
        heartbeatWakeUp.send()
        storeSetups()
    }

    private func add(_ settings: AppSettings) {
        let work = AppWork(settings, options, now: options.now())
        work.phase.pause = pausedApps[settings.name]
        apps[settings.name] = work
        open(work, keepsClient: false)
    }

    private func change(_ work: AppWork, to settings: AppSettings) {
        let old = work.settings
        (work.settings, work.lacksTable) = (settings, false)
        if case .refused(let correction, _) = work.phase.phase, [.topic, .mismatch].contains(correction.kind),
            let topic = old.topic, settings.topic != topic
        {
            work.refusedTopics.insert(topic)
        }
        if old.ratePerSecond != settings.ratePerSecond || old.deviceInterval != settings.deviceInterval {
            work.pace = AppPace(settings, isShared: options.isShared, now: options.now())
        }
        if old.stopsAtMismatch != settings.stopsAtMismatch {
            retrySuspectedMismatches(work)
            work.restartWindow(options.breaker)
        }
        let needsClient =
            old.environment != settings.environment || old.credentials != settings.credentials
            || old.client != settings.client
        if needsClient || work.isStuck || work.files != WatchedFiles(settings.credentials.files) {
            open(work, keepsClient: !needsClient)
        } else {
            noteSetup(work)
        }
    }

    /// Takes renewed keys and certificates into use. Call it regularly, and when files may have changed.
    package func refreshCredentials() {
        for work in apps.values where work.files != WatchedFiles(work.settings.credentials.files) {
            open(work, keepsClient: true)
        }
        checkRecipients(apps.values.map(\.settings))
        storeSetups()
    }

    /// Reads the credentials of an app, and takes a client with them into use.
    ///
    /// - Parameters:
    ///   - work: The app.
    ///   - keepsClient: Whether a working client is kept if the credentials cannot be read now. A file may be half written.
    private func open(_ work: AppWork, keepsClient: Bool) {
        work.files = WatchedFiles(work.settings.credentials.files)
        retrySuspectedMismatches(work)
        let old = work.client
        do throws(AppSettingsError) {
            let credentials = try work.settings.readCredentials()
            let client = try Self.client(work.settings, credentials, options, group, logger)
            clientCount += 1
            work.use(client, credentials.certificate, generation: clientCount, breaker: options.breaker)
            if options.isShared { follow(work, at: options.now()) }
            if let old { retire(old) }
            noteSetup(work)
        } catch {
            if keepsClient, old != nil, !work.isStuck {
                logger.error(
                    "renewed credentials can't be read, and the old ones are used",
                    metadata: ["app": "\(error.app)", "reason": "\(error)"])
                return
            }
            if let old { retire(old) }
            work.client = nil
            work.phase.goDown(error.description)
        }
        report(work)
        claimWakeUp.send()
    }

    /// Shuts down a client after it has finished its pushes.
    private func retire(_ client: PushClient) {
        let id = ObjectIdentifier(client)
        retired[id] = client
        Task {
            await client.shutdown(drainTime: options.drainTime)
            retired[id] = nil
        }
    }

    private static func client(
        _ settings: AppSettings, _ credentials: PushCredentials, _ options: DeliveryOptions,
        _ group: any EventLoopGroup, _ logger: Logger
    ) throws(AppSettingsError) -> PushClient {
        try settings.checkPace()
        var configuration = settings.client
        configuration.retry = PushConfiguration.RetryPolicy()
        configuration.retry.attempts = max(options.attemptsInClient, 1)
        // What waits, waits in the queue: it can be cancelled, superseded and checked again there.
        configuration.retry.pauses = false
        configuration.mismatchBreaker = nil
        configuration.metricsName = settings.name
        configuration.assignsIDs = true
        var logger = logger
        logger[metadataKey: "app"] = "\(settings.name)"
        do {
            return try PushClient(
                environment: settings.environment, credentials: credentials, configuration: configuration,
                eventLoopGroup: group, logger: logger)
        } catch {
            throw AppSettingsError(settings.name, "\(error)")
        }
    }

    /// An app that was refused or is down tries again. If its device tokens did not fit, what was added before is sent for good.
    /// After another cause, nobody has said yet that the device tokens are right.
    func tryAgain(_ app: String) async {
        let now = try? await queue.now()
        guard let work = apps[app], work.isStuck else { return }
        let wasMismatch = work.isMismatch
        open(work, keepsClient: false)
        if wasMismatch, case .running = work.phase.phase { work.restartWindow(options.breaker, resumed: now) }
    }

    // MARK: States

    /// How the apps are doing at all workers, sorted by name.
    package var statuses: [AppStatus] {
        get async {
            let now = try? await queue.now()
            var statuses: [AppStatus] = []
            for var status in sharedStatuses {
                let due = try? await queue.nextDue(of: [status.name])
                if let due, let now, due <= now { status.oldestDueAge = now - due }
                statuses.append(status)
            }
            return statuses
        }
    }
}

extension AppWork {
    /// Whether only a correction makes the app send again.
    fileprivate var isStuck: Bool {
        switch phase.phase {
        case .running, .resting: false
        case .refused, .down: true
        }
    }

    /// Whether the app sends nothing because its device tokens do not fit.
    fileprivate var isMismatch: Bool {
        if case .refused(let correction, _) = phase.phase { correction.kind == .mismatch } else { false }
    }
}
