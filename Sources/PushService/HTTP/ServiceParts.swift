import Logging
import NIOCore
import PushHTTP
import PushQueue
import PushQueuePostgres

/// What the routes work with. It is a class because each request keeps it, and a copy of a struct would retain every part.
final class ServiceParts: Sendable {
    let queue: any QueueBackend
    let inboxes: [PostgresInbox]
    let apps: ServedApps
    let keys: APIKeys
    let limits: ServiceLimits
    let rates: KeyRates
    let depth: QueueDepth
    let waiters: OutcomeWaiters
    let cursors: CursorSeals
    let sessions: Sessions
    /// How often one address may log in.
    let logins: KeyRates
    /// Whether browsers reach the service by HTTPS.
    let isSecure: Bool
    let showsPayloads: Bool
    /// What is held for clients.
    let memory: SharedMemory
    /// Who may read a large body now.
    let turns: WorkTurns
    let readiness: Readiness
    let metrics: ServiceMetrics
    let version: String
    let answers: AnswersInProgress
    let logger: Logger

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
