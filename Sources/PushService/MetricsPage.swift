internal import HTTPTypes
internal import Hummingbird
import PushDelivery
import PushHTTP
import PushQueue

enum MetricsPage {
    static func text(
        of metrics: ServiceMetrics, queue: any QueueBackend, apps: ServedApps, version: String
    ) async throws(QueueError) -> String {
        var page = PrometheusText()
        page.begin("pushserve_build_info", "gauge", "1, with the version of the program.")
        page.value([("version", version)], 1)
        await writeApps(apps, to: &page)
        try await writeWebhooks(queue, apps, to: &page)
        try await writeDelivery(queue, apps, to: &page)
        try await writeQueue(queue, to: &page)
        try await writeCampaigns(queue, to: &page)
        try await writeStorageLoad(queue, to: &page)
        write(metrics.snapshot, to: &page)
        return page.text
    }

    private static func writeApps(_ apps: ServedApps, to page: inout PrometheusText) async {
        // The only worker of a file is this one.
        let workers = await apps.workers().count
        page.begin("pushserve_workers", "gauge", "Workers of the queue that are alive.")
        page.value([], max(workers, 1))
        let statuses = await apps.statuses().sorted { $0.name < $1.name }
        page.begin("pushserve_app_state", "gauge", "1 for the state of the app, 0 for the others.")
        for status in statuses {
            for state in AppStatus.State.allCases {
                page.value([("app", status.name), ("state", state.rawValue)], status.state == state ? 1 : 0)
            }
        }
        page.begin("pushserve_connections", "gauge", "Open connections of this worker to APNs.")
        for status in statuses { page.value([("app", status.name)], status.connections) }
        page.begin(
            "pushserve_credentials_expire_seconds", "gauge",
            "Time until the certificate of the app expires. An app with a provider key has none.")
        for status in statuses {
            guard let left = status.certificateLeft else { continue }
            page.value([("app", status.name)], "\(left / .seconds(1))")
        }
    }

    private static func writeWebhooks(
        _ queue: any QueueBackend, _ apps: ServedApps, to page: inout PrometheusText
    ) async throws(QueueError) {
        let now = try await queue.now()
        var all: [(app: String, waiting: WebhookWaiting)] = []
        for (app, settings) in apps.webhooks().sorted(by: { $0.key < $1.key }) {
            all.append((app, try await WebhookWaiting(app, settings, queue)))
        }
        page.begin(
            "pushserve_webhook_waiting", "gauge", "Events that the webhook has not delivered, at most about 2000.")
        for (app, waiting) in all { page.value([("app", app)], waiting.count) }
        page.begin("pushserve_webhook_oldest_seconds", "gauge", "The age of the oldest of them.")
        for (app, waiting) in all {
            let age = waiting.oldest.map { max((now - $0) / .seconds(1), 0) } ?? 0
            page.value([("app", app)], "\(age)")
        }
    }

    /// What Apple counts, for apps whose counts are imported.
    private static func writeDelivery(
        _ queue: any QueueBackend, _ apps: ServedApps, to page: inout PrometheusText
    ) async throws(QueueError) {
        // Before the first import, there is nothing to tell.
        let all = try await DeliveryImportState.all(apps, queue).sorted { $0.key < $1.key }
            .filter { $0.value.imported != nil || $0.value.failure != nil }
        guard !all.isEmpty else { return }
        page.begin(
            "pushserve_delivery_import_up", "gauge", "Whether the last import of Apple's delivery counts has worked.")
        for (app, state) in all {
            page.value([("app", app)], state.failure == nil ? 1 : 0)
        }
        let now = try await queue.now()
        // What was the newest day long ago is not shown as that of today.
        let current = all.filter { $0.value.isCurrent(now) }
        page.begin(
            "pushserve_delivery_day_pushes", "gauge",
            "What Apple counts of the day that ended two days before the import.")
        for (app, state) in current where !state.newest.isEmpty {
            for name in DeliveryCounts.states {
                page.value([("app", app), ("state", name)], state.newest[name, default: 0])
            }
        }
        page.begin(
            "pushserve_delivery_discarded_ratio", "gauge",
            "The part of them that Apple discarded, and that of the days before.")
        for (app, state) in current {
            for (period, counts) in [("day", state.newest), ("month", state.earlier)] {
                guard let share = DeliveryCounts.discardedShare(counts) else { continue }
                page.value([("app", app), ("period", period)], "\(share)")
            }
        }
    }

    private static func writeQueue(_ queue: any QueueBackend, to page: inout PrometheusText) async throws(QueueError) {
        let counts = try await queue.counts().sorted { $0.key < $1.key }
        let now = try await queue.now()
        page.begin("pushserve_queue_jobs", "gauge", "Jobs that have no outcome yet.")
        for (app, count) in counts {
            let numbers: [(QueueJobState, Int)] = [
                (.held, count.held), (.waiting, count.waiting), (.leased, count.leased), (.started, count.started),
            ]
            for (state, number) in numbers {
                page.value([("app", app), ("state", state.name)], number)
            }
        }
        page.begin("pushserve_queue_age_seconds", "gauge", "How long the oldest due job has waited.")
        for (app, _) in counts {
            let age = try await queue.nextDue(of: [app]).map { max((now - $0) / .seconds(1), 0) } ?? 0
            page.value([("app", app)], "\(age)")
        }
        page.begin("pushserve_dead_letters", "gauge", "Dead letters that were not put back into the queue.")
        for (app, count) in counts { page.value([("app", app)], count.deadLetters) }
        page.begin("pushserve_outcomes_total", "counter", "Total outcomes of the app.")
        for (app, count) in counts {
            let numbers: [(QueueJobOutcome.Kind, Int)] = [
                (.accepted, count.accepted), (.rejected, count.rejected), (.unknown, count.unknown),
                (.notSent, count.notSent),
            ]
            for (kind, number) in numbers {
                page.value([("app", app), ("outcome", kind.name)], number)
            }
        }
    }

    /// The campaigns that were started and have not ended. Others have no figures, so that there are never many.
    private static func writeCampaigns(
        _ queue: any QueueBackend, to page: inout PrometheusText
    ) async throws(QueueError) {
        let campaigns = try await queue.activeCampaigns()
        page.begin("pushserve_campaign_lines", "gauge", "Lines of campaigns that have not ended.")
        for campaign in campaigns {
            let counts = campaign.counts
            for (state, number) in [
                ("held", counts.held), ("waiting", counts.waiting), ("in_flight", counts.inFlight),
                ("finished", counts.finished), ("refused", counts.refused),
            ] {
                page.value(
                    [("app", campaign.app), ("campaign", JobAnswer.text(campaign.id)), ("state", state)], number)
            }
        }
    }

    /// Only a database that other programs can use has these figures.
    private static func writeStorageLoad(_ queue: any QueueBackend, to page: inout PrometheusText)
        async throws(QueueError)
    {
        guard let load = try await queue.storageLoad() else { return }
        let figures = [
            (
                "pushserve_database_oldest_transaction_seconds",
                "The age of the oldest open transaction of any program. Rows that changed after it began cannot be cleaned up.",
                "\((load.oldest?.age ?? .zero) / .seconds(1))"
            ),
            (
                "pushserve_database_hidden_connections",
                "Connections of other roles whose transactions the role of the service may not see.", "\(load.hidden)"
            ),
            (
                "pushserve_database_dead_rows", "Rows of unfinished jobs that are waiting to be cleaned up.",
                "\(load.deadRows)"
            ),
        ]
        for (name, help, value) in figures {
            page.begin(name, "gauge", help)
            page.value([], value)
        }
    }

    private static func writeInboxes(_ state: ServiceMetrics.State, to page: inout PrometheusText) {
        guard !state.inboxes.isEmpty else { return }
        page.begin("pushserve_inbox_up", "gauge", "Whether a part of an inbox works: its mover, or its outcomes.")
        for (part, now) in state.inboxes.sorted(by: { ($0.key.inbox, $0.key.part) < ($1.key.inbox, $1.key.part) }) {
            page.value([("inbox", part.inbox), ("part", part.part)], now.failure == nil ? 1 : 0)
        }
        page.begin("pushserve_inbox_oldest_seconds", "gauge", "The age of the oldest row in an inbox, by its app.")
        let ages = Dictionary(state.inboxAges.values.joined().map { ($0.app, $0.seconds) }, uniquingKeysWith: max)
        for (app, age) in ages.sorted(by: { $0.key < $1.key }) {
            page.value([("app", app)], "\(age)")
        }
        page.begin(
            "pushserve_inbox_moved_total", "counter", "Rows that left an inbox since the start of the process.")
        page.values(ofApps: state.moved)
    }

    private static func write(_ state: ServiceMetrics.State, to page: inout PrometheusText) {
        page.begin("pushserve_outcome_reasons_total", "counter", "Outcomes by reason since the start of the process.")
        let outcomes = state.outcomes.map { outcome, count in
            (labels: [("app", outcome.app), ("outcome", outcome.kind.name), ("reason", outcome.reason)], count: count)
        }
        for (labels, count) in outcomes.sorted(by: { $0.labels.map(\.1).lexicographicallyPrecedes($1.labels.map(\.1)) })
        {
            page.value(labels, count)
        }
        page.begin(
            "pushserve_recipients_failing", "gauge",
            "Whether the table of devices of the app cannot be queried, so that its pushes to users wait.")
        for (app, isFailing) in state.recipientsFailing.sorted(by: { $0.key < $1.key }) {
            page.value([("app", app)], isFailing ? 1 : 0)
        }
        page.begin(
            "pushserve_queued_total", "counter", "Jobs that the API has accepted since the start of the process.")
        page.values(ofApps: state.queued)
        writeInboxes(state, to: &page)
        let totals = [
            (
                "pushserve_superseded_total", "Pushes that a newer one has replaced before they were sent.",
                state.superseded
            ),
            ("pushserve_gone_tokens_total", "Answers of Apple that a device token is gone.", state.gone),
        ]
        for (name, help, counts) in totals {
            page.begin(name, "counter", "\(help) Since the start of the process.")
            page.values(ofApps: counts)
        }
        page.begin("pushserve_http_requests_total", "counter", "Answers of the API since the start of the process.")
        for (status, count) in state.requests.sorted(by: { $0.key < $1.key }) {
            page.value([("status", String(status))], count)
        }
        page.begin("pushserve_phase_seconds", "histogram", "Duration of each phase of a push.")
        let latencies = state.latencies.sorted {
            ($0.key.app, $0.key.phase.rawValue) < ($1.key.app, $1.key.phase.rawValue)
        }
        for (key, histogram) in latencies {
            page.histogram([("app", key.app), ("phase", key.phase.rawValue)], histogram)
        }
    }
}

/// Answers the requests to the listener for figures, which needs no key.
struct MetricsServer: Sendable {
    let metrics: ServiceMetrics
    let queue: any QueueBackend
    let apps: ServedApps
    let version: String
    let gate: RequestGate
    let answers: AnswersInProgress
    /// How long an answer may take.
    let answerTime: Duration

    func respond(to request: Request) async -> Response {
        var response: Response
        do { response = try await page(request) } catch { response = APIProblem(of: error, in: "service").response }
        response.dropBody(ofAnswerTo: request)
        return response
    }

    private func page(_ request: Request) async throws -> Response {
        try gate.check(request, isOpen: true)
        guard request.uri.path == "/metrics" else { throw APIProblem.notFound("There is only /metrics here.") }
        guard request.method == .get || request.method == .head else {
            throw APIProblem(
                status: .methodNotAllowed, code: "method_not_allowed", detail: "Only GET and HEAD are allowed here.",
                headers: [HTTPField(name: .allow, value: "GET, HEAD")])
        }
        let text = try await answers.run(within: answers.deadline(in: answerTime)) {
            try await MetricsPage.text(of: metrics, queue: queue, apps: apps, version: version)
        }
        return Response(Array(text.utf8), type: "text/plain; version=0.0.4")
    }
}
