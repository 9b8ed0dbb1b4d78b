import Logging
import NIOCore
import PushHTTP
import PushQueue
import PushQueuePostgres

/// What the routes work with.
struct ServiceParts: Sendable {
    var queue: any QueueBackend
    /// The inboxes in databases of users.
    var inboxes: [PostgresInbox]
    var apps: ServedApps
    var keys: APIKeys
    var limits: ServiceLimits
    var rates: KeyRates
    var depth: QueueDepth
    var waiters: OutcomeWaiters
    var cursors: CursorSeals
    /// The sessions of browsers.
    var sessions: Sessions
    /// How often one address may log in.
    var logins: KeyRates
    /// Whether browsers reach the service by HTTPS.
    var isSecure: Bool
    /// Whether payloads are shown.
    var showsPayloads: Bool
    /// What is held for clients.
    var memory: SharedMemory
    /// Who may read a large body now.
    var turns: WorkTurns
    var readiness: Readiness
    var metrics: ServiceMetrics
    var version: String
    /// Requests that are being answered, so that they can be ended.
    var answers: AnswersInProgress
    var logger: Logger

    init(
        _ configuration: APIConfiguration, queue: any QueueBackend, inboxes: [PostgresInbox], apps: ServedApps,
        keys: APIKeys, metrics: ServiceMetrics, logger: Logger,
        deadlineClock: @escaping @Sendable () -> ContinuousClock.Instant,
        rateClock: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        (self.queue, self.inboxes, self.apps, self.keys) = (queue, inboxes, apps, keys)
        limits = configuration.limits
        (version, showsPayloads) = (configuration.version, configuration.showsPayloads)
        isSecure = configuration.tls != nil || configuration.publicURL?.isSecure == true
        (self.metrics, self.logger) = (metrics, logger)
        rates = KeyRates(perSecond: limits.ratePerKey, clock: rateClock)
        logins = KeyRates(perSecond: limits.loginsPerSecond)
        depth = QueueDepth(queue, maximum: limits.queueDepth)
        waiters = OutcomeWaiters(queue)
        cursors = CursorSeals(queue)
        sessions = Sessions(queue)
        answers = AnswersInProgress(hasShares: true, clock: deadlineClock)
        memory = SharedMemory(limits.memory)
        // With two, one key never has all of them.
        turns = WorkTurns(max(System.coreCount, 2))
        readiness = Readiness(queue, age: limits.readyAge)
    }
}
