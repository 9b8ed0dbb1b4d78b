internal import Logging
package import NIOCore
internal import PushPlatform
internal import PushProvider
package import PushQueue

/// The apps: their settings, credentials, pauses and states.
extension DeliveryEngine {
    /// The kind of the records of paused apps in the queue.
    static let pauseKind = "app_pause"

    // MARK: Settings

    /// Works with these apps from now on: new ones begin, others change or end. No job is lost.
    ///
    /// A client whose settings have changed finishes what it has, and another one takes over. An app that was refused or down
    /// tries again.
    package func update(_ settings: [AppSettings]) {
        firstApps = nil
        let names = Set(settings.map(\.name))
        for (name, work) in apps where !names.contains(name) {
            letSuspectsWait(work)
            if let client = work.client { retire(client) }
            apps[name] = nil
            logger.notice("an app was removed", metadata: ["app": "\(name)"])
        }
        for app in settings {
            if let work = apps[app.name] { change(work, to: app) } else { add(app) }
        }
        claimBell.ring()
    }

    private func add(_ settings: AppSettings) {
        let work = AppWork(settings, options.breaker, now: options.now())
        work.phase.isPaused = pausedApps.contains(settings.name)
        apps[settings.name] = work
        open(work, keepsClient: false)
    }

    private func change(_ work: AppWork, to settings: AppSettings) {
        let old = work.settings
        work.settings = settings
        if old.ratePerSecond != settings.ratePerSecond || old.deviceInterval != settings.deviceInterval {
            work.setPace(now: options.now())
        }
        let needsClient =
            old.environment != settings.environment || old.credentials != settings.credentials
            || old.client != settings.client
        if needsClient || work.isStuck || work.files != WatchedFiles(settings.credentials.files) {
            open(work, keepsClient: !needsClient)
        }
    }

    /// Takes renewed keys and certificates into use. Call it now and then, and when files may have changed.
    package func refreshCredentials() {
        for work in apps.values where work.files != WatchedFiles(work.settings.credentials.files) {
            open(work, keepsClient: true)
        }
    }

    /// Reads the credentials of an app, and takes a client with them into use.
    ///
    /// - Parameters:
    ///   - work: The app.
    ///   - keepsClient: Whether a client that works goes on if the credentials cannot be read now. A file may be half written.
    private func open(_ work: AppWork, keepsClient: Bool) {
        work.files = WatchedFiles(work.settings.credentials.files)
        letSuspectsWait(work)
        let old = work.client
        do throws(AppSettingsError) {
            let credentials = try work.settings.readCredentials()
            let client = try Self.client(work.settings, credentials, options, group, logger)
            clientCount += 1
            work.take(client, credentials.certificate, generation: clientCount, breaker: options.breaker)
            if let old { retire(old) }
        } catch {
            if keepsClient, old != nil, !work.isStuck {
                logger.error(
                    "renewed credentials cannot be read, and the old ones are used",
                    metadata: ["app": "\(error.app)", "reason": "\(error)"])
                return
            }
            if let old { retire(old) }
            work.client = nil
            work.phase.goDown(error.description)
        }
        report(work)
        claimBell.ring()
    }

    /// Lets a client finish what it has.
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
        configuration.retry = RetryPolicy()
        configuration.retry.attempts = max(options.attemptsInClient, 1)
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

    /// Checks the settings of an app and reads its credentials, without a connection.
    ///
    /// - Returns: What may become a problem, in sentences.
    /// - Throws: ``AppSettingsError``, which says what is wrong and what to do.
    @discardableResult
    package static func validate(
        _ settings: AppSettings, eventLoopGroup: any EventLoopGroup
    ) throws(AppSettingsError) -> [String] {
        let credentials = try settings.readCredentials()
        _ = try client(
            settings, credentials, DeliveryOptions(), eventLoopGroup,
            Logger(label: "check") { _ in SwiftLogNoOpLogHandler() })
        return credentials.warnings
    }

    // MARK: Pauses

    /// Pauses an app, also for other processes and after a restart. What is in flight ends.
    ///
    /// - Returns: Whether there is such an app.
    @discardableResult
    package func pause(_ app: String) async throws(QueueError) -> Bool {
        guard apps[app] != nil else { return false }
        _ = try await queue.store([1], kind: Self.pauseKind, key: app, ifVersion: nil)
        setPaused(app, true)
        return true
    }

    /// Ends a pause. An app that was refused tries again.
    ///
    /// - Returns: Whether there is such an app.
    @discardableResult
    package func resume(_ app: String) async throws(QueueError) -> Bool {
        guard apps[app] != nil else { return false }
        _ = try await queue.removeRecord(kind: Self.pauseKind, key: app, ifVersion: nil)
        setPaused(app, false)
        if let work = apps[app], work.isStuck { open(work, keepsClient: false) }
        return true
    }

    private func setPaused(_ app: String, _ isPaused: Bool) {
        pauseCount += 1
        if isPaused { pausedApps.insert(app) } else { pausedApps.remove(app) }
        follow(app, isPaused)
    }

    private func follow(_ app: String, _ isPaused: Bool) {
        guard let work = apps[app], work.phase.isPaused != isPaused else { return }
        work.phase.isPaused = isPaused
        report(work)
        claimBell.ring()
    }

    /// Takes over the pauses that the queue knows.
    func readPauses() async throws(QueueError) {
        var (paused, last): (Set<String>, String?) = ([], nil)
        let count = pauseCount
        while true {
            let page = try await queue.records(kind: Self.pauseKind, after: last, limit: 1000)
            paused.formUnion(page.map(\.key))
            guard page.count == 1000 else { break }
            last = page.last?.key
        }
        // What this process has changed meanwhile is newer than what was read.
        guard count == pauseCount else { return }
        pausedApps = paused
        for name in apps.keys { follow(name, paused.contains(name)) }
    }

    // MARK: States

    /// How the apps are doing, sorted by name.
    package var statuses: [AppStatus] {
        get async {
            let now = try? await queue.now()
            var statuses: [AppStatus] = []
            for name in apps.keys.sorted() {
                let due = try? await queue.nextDue(of: [name])
                guard let work = apps[name] else { continue }
                var status = work.status(inFlight: window.count(of: name))
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
}
