import Logging
import NIOConcurrencyHelpers
import PushDelivery
import PushPlatform
import PushQueue
import PushService
import ServiceLifecycle

/// The parts of a running service, and their common state.
struct ServiceParts: Sendable {
    /// What takes jobs from the queue to APNs.
    let delivery: DeliveryEngine
    /// What programs hand their pushes to.
    let http: PushService
    /// What posts outcomes.
    let webhooks: Webhooks
    /// What takes pushes from databases of users.
    let inboxes: Inboxes
    /// What imports Apple's delivery counts.
    let imports: DeliveryImports

    private let apps: NIOLockedValueBox<CurrentApps>
    private let queue: any QueueBackend

    /// Creates the parts. They begin when they run.
    init(
        _ configuration: ServiceConfiguration, _ webhookSettings: [String: WebhookSettings],
        _ queue: any QueueBackend, _ logger: @Sendable (String) -> Logger
    ) {
        let group = ServiceThreads.eventLoops
        let metrics = ServiceMetrics()
        let apps = NIOLockedValueBox(CurrentApps(byName: CurrentApps.byName(configuration.settings)))
        let options = configuration.delivery
        let delivery = DeliveryEngine(
            queue: queue, apps: configuration.settings, options: options, eventLoopGroup: group,
            logger: logger("delivery"), observer: MeasuredDelivery(metrics: metrics))
        let webhooks = Webhooks(
            queue: queue, settings: webhookSettings, group: group, logger: logger("webhooks"),
            worker: options.isShared ? options.owner : nil)
        var served = ServedApps { apps.withLockedValue { $0.byName } }
        served.defaultTopic = { delivery.defaultTopic(of: $0, $1) }
        served.statuses = { await delivery.statuses }
        served.workers = { await delivery.workers }
        served.lostWorkers = { await delivery.lostWorkers }
        served.leftOver = { apps.withLockedValue { $0.leftOver } }
        served.failure = { await delivery.lastingFailure }
        served.setPaused = { app, reason, audit in
            guard let reason else { return try await delivery.resume(app, audit: audit) }
            return try await delivery.pause(app, reason: reason, audit: audit)
        }
        served.webhooks = { webhooks.settings }
        let settings = configuration.inboxSettings()
        http = PushService(
            configuration.api, queue: queue, inboxes: settings.map(\.inbox), apps: served, metrics: metrics,
            logger: logger("http"),
            eventLoopGroup: group)
        inboxes = Inboxes(
            http, settings, keepJobs: configuration.keep.jobs, logger: logger("inbox"))
        imports = DeliveryImports(queue: queue, apps: served, logger: logger("delivery-counts"))
        (self.delivery, self.webhooks, self.apps, self.queue) = (delivery, webhooks, apps, queue)
    }

    /// All parts, in the order of their start. They end in the other order.
    /// The last one is stopped first. Inboxes get the outcomes with which delivery ends.
    var services: [any Service] { [inboxes, delivery, webhooks, imports, http] }

    /// Takes over changed, new and removed apps, without losing a job.
    func update(_ configuration: ServiceConfiguration, _ webhookSettings: [String: WebhookSettings]) async {
        // The delivery comes first: it knows the topics of certificates, which new requests need.
        await delivery.update(configuration.settings)
        apps.withLockedValue { $0.byName = CurrentApps.byName(configuration.settings) }
        await delivery.refreshCredentials()
        webhooks.update(webhookSettings)
    }

    /// Finds the apps that are not configured and have unfinished jobs, so that operators see them.
    ///
    /// - Returns: The names, with the numbers of jobs.
    func findLeftOver() async throws -> [(app: String, jobs: Int)] {
        let found = LeftOverJobs.find(
            try await queue.counts(), configured: Set(apps.withLockedValue { $0.byName.keys }))
        apps.withLockedValue { $0.leftOver = found.map(\.app) }
        return found
    }

    /// Where the API listens, as soon as it does; `nil` if it could not.
    func listening(_ address: ListenAddress) async -> ListenAddress? {
        await http.port.map { ListenAddress(host: address.host, port: $0) }
    }

    /// Where `/metrics` is, as soon as it listens; `nil` if it is not asked for.
    func listening(metrics address: ListenAddress?) async -> ListenAddress? {
        guard let address else { return nil }
        return await http.metricsPort.map { ListenAddress(host: address.host, port: $0) }
    }
}

/// The apps as the configuration has them. A reload changes them.
private struct CurrentApps {
    var byName: [String: AppSettings]
    /// Apps that are not configured and have unfinished jobs.
    var leftOver: [String] = []

    static func byName(_ apps: [AppSettings]) -> [String: AppSettings] {
        Dictionary(apps.map { ($0.name, $0) }) { first, _ in first }
    }
}

/// Feeds the figures of `/metrics`.
private struct MeasuredDelivery: DeliveryObserver {
    let metrics: ServiceMetrics

    func changed(_ status: AppStatus) {
        metrics.recipients(failing: status.recipientsFailure != nil, app: status.name)
    }

    func ended(_ event: DeliveryEvent) {
        if let waiting = event.waiting { metrics.record(waiting, .wait, app: event.app) }
        if let sending = event.sending { metrics.record(sending, .send, app: event.app) }
        guard case .finished(let outcome) = event.result else { return }
        metrics.ended(outcome, app: event.app)
        if let waiting = event.waiting, let sending = event.sending {
            metrics.record(waiting + sending, .total, app: event.app)
        }
    }
}
