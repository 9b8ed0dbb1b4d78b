package import Logging
internal import NIOConcurrencyHelpers
package import NIOCore
internal import PushPlatform
internal import PushProvider
package import PushQueue
internal import ServiceLifecycle

/// Takes due jobs from a queue, sends them to Apple, and stores their outcomes.
///
/// A job is claimed, started, sent by the client of its app, and completed or kept for another try. Nothing is lost: if the process
/// ends, the queue finds started jobs without an outcome by their leases.
///
/// Its loops share the apps, leases and pending steps, which one actor has to protect. Each loop has its own file, and the values in the
/// folders decide.
package actor DeliveryEngine: Service {
    let queue: any QueueBackend
    let options: DeliveryOptions
    let group: any EventLoopGroup
    let logger: Logger
    let observer: (any DeliveryObserver)?

    var firstApps: [AppSettings]?
    var apps: [String: AppWork] = [:]
    /// The paused apps, also those that this process does not have, with the reasons that their operators gave; empty for none.
    var pausedApps: [String: String] = [:]
    /// How often this process has paused or resumed an app.
    var pauseCount = 0
    var shares: WorkerShares
    /// Which workers had other settings at the last check: the app, the worker, and the names of the settings.
    var settingDifferences: Set<[String]> = []
    /// The versions of the records that announce resumed apps; `nil` before they are read.
    var resumes: [String: Int64]?
    /// Where the pushes of each app go, and what has changed about it since the start.
    var setups: [String: StoredAppSetup] = [:]
    var storedSetups: [String: StoredAppSetup] = [:]
    /// Stores setups; `nil` while none is to be stored.
    var storingSetups: Task<Void, Never>?
    /// Whether setups may have changed since they were stored.
    var storesSetupsAgain = false
    /// The certificates from which requests take the default topics. An app with a provider key has none.
    nonisolated let certificates: NIOLockedValueBox<[String: PushCertificate]>
    var window: StartWindow
    /// By app, the claimed jobs of which the table of devices is being asked. The rate of the app has not counted them yet.
    var checking: [String: Int] = [:]
    /// By app, why its table of devices cannot be asked, as it is in the log.
    var failingRecipients: [String: String] = [:]
    /// Claimed jobs that are started after others with the same collapse id.
    var waitingStarts = WaitingStarts()
    var leases = LeaseBook()
    var suspects = SuspectSearch()
    var payloads = ReadPayloads()
    var pending = PendingSteps()
    /// Jobs whose outcomes the queue refuses, with the reason in the log.
    var loggedRefusals: [UUID: QueueError] = [:]
    /// The jobs whose starts the queue has refused since one was started.
    var refusedStarts: Set<UUID> = []
    /// Apps whose jobs are claimed without others next, because the queue refused a claim for several.
    var claimedAlone: [String] = []
    /// Whether claiming failed last because one app's claim was refused.
    var failsForRefusal = false
    /// When the queue last handed out jobs; `nil` if it hasn't yet.
    var lastHandout: MonotonicTime?
    /// Campaigns whose last step has failed, with the reason in the log.
    var failingCampaigns: [UUID: QueueError] = [:]
    /// How many clients there have been, of all apps.
    var clientCount = 0
    /// Clients that were replaced, until their last job is done.
    var retired: [ObjectIdentifier: PushClient] = [:]
    /// Whether jobs may be due that there was no room for.
    var isShortOfRoom = false
    var queueFailures = QueueFailures()
    /// The time of the queue at its last answer to a round.
    var lastAnswer: QueueTime?
    /// Until this time, the engine does not recover leases of other workers; `nil` for no such time.
    var recoversAfter: MonotonicTime?
    var warnedOfOldTransaction: MonotonicTime?
    var isStopping = false
    /// Until when a stop tries to store outcomes; `nil` before it has all of them.
    var storingEnd: MonotonicTime?

    nonisolated let ended = EndedJobs()
    nonisolated let claimWakeUp = WakeUpSignal()
    nonisolated let endWakeUp = WakeUpSignal()
    nonisolated let upkeepWakeUp = WakeUpSignal()
    nonisolated let leaseWakeUp = WakeUpSignal()
    nonisolated let releaseWakeUp = WakeUpSignal()
    nonisolated let heartbeatWakeUp = WakeUpSignal()
    private nonisolated let stopWakeUp = WakeUpSignal()

    /// Creates an engine. It does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - apps: The apps, each name once.
    ///   - options: How the engine works.
    ///   - eventLoopGroup: The threads of the connections.
    ///   - logger: Gets shortened device tokens, and no payloads.
    ///   - observer: Called at the end of each try.
    package init(
        queue: any QueueBackend, apps: [AppSettings], options: DeliveryOptions = DeliveryOptions(),
        eventLoopGroup: any EventLoopGroup, logger: Logger, observer: (any DeliveryObserver)? = nil
    ) {
        self.queue = queue
        firstApps = apps
        self.options = options
        group = eventLoopGroup
        self.logger = logger
        self.observer = observer
        window = StartWindow(limit: max(options.startWindow, 1))
        shares = WorkerShares(name: options.owner, times: options.heartbeat)
        // Requests may arrive before the apps begin.
        certificates = NIOLockedValueBox(
            Dictionary(
                apps.compactMap { app in
                    guard app.topic == nil, case .identity = app.credentials else { return nil }
                    return (try? app.readCredentials())?.certificate.map { (app.name, $0) }
                }
            ) { first, _ in first })
    }

    /// Works until a graceful shutdown, ``stop()``, or the cancellation of the task.
    ///
    /// A shutdown stops claiming, returns jobs that are not started, and waits for the outcomes of the rest, for
    /// ``DeliveryOptions/drainTime`` at most. A cancellation does not wait: what Apple has not answered has its outcome at once. In
    /// both cases, all outcomes are stored.
    ///
    /// - Throws: ``QueueError`` if the queue cannot be read at the beginning.
    package func run() async throws {
        try await readPauses()
        await readSetups()
        if let firstApps { update(firstApps) }
        await sendHeartbeat()
        // From here on, no change is missed.
        let listening = [(queue.changes(of: .jobs), claimWakeUp), (queue.changes(of: .campaigns), releaseWakeUp)]
            .map { changes, wakeUp in Task { for await _ in changes { wakeUp.send() } } }
        let claiming = Task { await claimLoop() }
        let ending = Task { await endLoop() }
        let keeping = Task { await upkeepLoop() }
        let extending = Task { await leaseLoop() }
        let showing = Task { await heartbeatLoop() }
        let releasing = Task { await releaseLoop() }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await stopWakeUp.wait()
            } onGracefulShutdown: { [stopWakeUp] in
                stopWakeUp.send()
            }
        } onCancel: { [stopWakeUp] in
            stopWakeUp.send()
        }
        for task in listening { task.cancel() }
        isStopping = true
        for wakeUp in [claimWakeUp, endWakeUp, upkeepWakeUp, releaseWakeUp, heartbeatWakeUp] { wakeUp.send() }
        await claiming.value
        await giveBack(waitingStarts.takeAll().map(\.job.lease))
        await releasing.value
        // Nothing more is started, so others may take over now.
        let leaving = Task {
            await showing.value
            await removeHeartbeat()
        }
        await drain()
        storingEnd = options.now().advanced(by: options.storingTime)
        endWakeUp.send()
        await ending.value
        await keeping.value
        extending.cancel()
        leaseWakeUp.send()
        await extending.value
        await leaving.value
        await storingSetups?.value
        logger.info("delivery has stopped", metadata: ["held": "\(leases.count)"])
    }

    /// Ends ``run()`` like a graceful shutdown.
    package nonisolated func stop() {
        stopWakeUp.send()
    }

    /// Claims jobs now, for example after the clock of the queue was moved.
    package nonisolated func wake() {
        claimWakeUp.send()
    }

    /// Why this worker cannot do its work, if a step of the queue has failed for more than a few seconds; `nil` if all work.
    package var lastingFailure: String? {
        queueFailures.lasting.map { "The worker's step \"\($0.step.rawValue)\" fails: \($0.reason)" }
    }

    /// Logs that a step of the queue fails: at once, and now and then while it does.
    func failed(_ step: QueueFailures.Step, _ error: QueueError, count: Int = 0) {
        let repeats = error.code != .sealed
        guard queueFailures.failed(step, "\(error)", at: options.now(), repeats: repeats) else { return }
        logger.error(
            "the queue fails; the service retries",
            metadata: ["step": "\(step.rawValue)", "reason": "\(error)", "count": "\(count)"])
    }

    func worked(_ step: QueueFailures.Step) {
        guard queueFailures.worked(step) else { return }
        logger.notice("the queue works again", metadata: ["step": "\(step.rawValue)"])
    }

    /// Waits until every client has ended its jobs.
    private func drain() async {
        let clients = apps.values.compactMap(\.client) + retired.values
        let drainTime = Task.isCancelled ? .zero : options.drainTime
        await withTaskCancellationHandler {
            await withTaskGroup { group in
                for client in clients { group.addTask { _ = await client.shutdown(drainTime: drainTime) } }
            }
        } onCancel: {
            Task {
                for client in clients { await client.shutdown(drainTime: .zero) }
            }
        }
    }
}
