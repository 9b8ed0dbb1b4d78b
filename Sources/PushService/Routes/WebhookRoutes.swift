internal import Hummingbird
internal import NIOPosix
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// The webhooks of the apps: how their posts go, a test event, and what has failed again.
enum WebhookRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/webhooks", .read, query: ["app"], handler: list),
        ServiceRoute(.post, "/v1/webhooks/{app}/test", .admin, handler: test),
        ServiceRoute(.post, "/v1/webhooks/{app}/retry", .admin, handler: retry),
    ]

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        let all = request.parts.apps.webhooks()
        var items: [PushJSONValue] = []
        for app in try request.askedApps() {
            guard let settings = all[app] else { continue }
            try request.hold(entries: WebhookReport.maximum)
            items.append(try await value(app, settings, request))
            // A body can be longer than an entry.
            try request.memory.grow(by: items[items.count - 1].encoded.count)
        }
        return .list(items, next: nil)
    }

    private static func value(
        _ app: String, _ settings: WebhookSettings, _ request: APIRequest
    ) async throws(QueueError) -> PushJSONValue {
        let queue = request.parts.queue
        // Nothing is awaited while the report, which can have hundreds of kilobytes, is in memory uncounted.
        let waiting = try await WebhookWaiting(app, settings, queue)
        let report = try await WebhookReports.read(app, queue)
        let failures = report.failures.map { $0.value(time: JobAnswer.time($0.time)) }
        let state = report.failingSince != nil ? "failing" : report.lastAnswer == nil ? "untried" : "delivering"
        return .members([
            ("app", .string(app)), ("url", .string(WebhookURL(settings.url)?.shown ?? "")), ("state", .string(state)),
            ("outcomes", .array(settings.outcomes.map(\.name).sorted().map(PushJSONValue.string))),
            ("waiting", .integer(waiting.count)), ("oldest_waiting_at", waiting.oldest.map(JobAnswer.time)),
            ("last_answer", report.failingSince == nil ? nil : report.failures.first.map { .string($0.detail) }),
            ("last_answer_at", report.lastAnswer.map(JobAnswer.time)),
            ("failing_since", report.failingSince.map(JobAnswer.time)), ("failures", .array(failures)),
        ])
    }

    private static func find(_ request: APIRequest) throws(APIProblem) -> (app: String, settings: WebhookSettings) {
        let app = request.parameters["app"] ?? ""
        guard request.key?.isFor(app) == true, let settings = request.parts.apps.webhooks()[app] else {
            throw .notFound("There is no app \(String(app.prefix(100)).debugDescription) with a webhook.")
        }
        return (app, settings)
    }

    @Sendable private static func test(_ request: APIRequest) async throws -> Response {
        _ = try await request.form()
        let (app, settings) = try find(request)
        let reservation = try request.parts.answers.reserve(.webhookTest, for: request.holder)
        defer { withExtendedLifetime(reservation) {} }
        let answer = try await request.audited("webhook.test", app: app) { entry in
            try await request.parts.queue.note(entry)
            let now = try await request.parts.queue.now()
            let body: PushJSONValue = [
                "type": "webhook.test", "timestamp": JobAnswer.time(now), "data": ["app": .string(app)],
            ]
            return try await request.waiting {
                guard let poster = WebhookPoster(settings, group: MultiThreadedEventLoopGroup.singleton) else {
                    return WebhookPoster.Answer.refused(settings.problem ?? "")
                }
                let answer = await poster.post(
                    id: "msg_\(UUID().uuidString.lowercased())", body: body.encoded, now: now.date)
                await poster.close()
                return answer
            }
        }
        switch answer {
        case .taken: return Response(json: ["result": "taken"])
        case .failed(let reason, _), .refused(let reason):
            return Response(json: ["result": "failed", "detail": .string(reason)])
        }
    }

    @Sendable private static func retry(_ request: APIRequest) async throws -> Response {
        _ = try await request.form()
        let (app, settings) = try find(request)
        let queue = request.parts.queue
        let record = try await queue.record(kind: WebhookRecord.kind, key: app)
        var count = record.flatMap { WebhookPosition($0.value) }?.parked.count ?? 0
        // A failure is reported before the worker stores that it will post the event again.
        if count == 0, try await WebhookReports.read(app, queue).failingSince != nil {
            count = try await WebhookWaiting(app, settings, queue).count
        }
        guard count > 0 else { return Response(json: ["result": "nothing_failed", "events": 0]) }
        try await request.audited("webhook.retry", app: app) { entry in
            _ = try await queue.store(
                [1], kind: WebhookReports.retryKind, key: app, ifVersion: nil, audit: entry)
        }
        return Response(json: ["result": "retrying", "events": .integer(count)], status: .accepted)
    }

    // MARK: One notification

    /// Whether the outcome of a job was posted; `nil` if the app has no webhook, the job has no outcome, or nobody knows any more.
    static func delivery(
        of job: QueueJobRecord, _ result: QueueResultCursor?, _ request: APIRequest
    ) async throws -> PushJSONValue? {
        guard let settings = request.parts.apps.webhooks()[job.app], let outcome = job.outcome, let result else {
            return nil
        }
        let queue = request.parts.queue
        guard settings.outcomes.contains(outcome.kind) else { return ["state": "not_wanted"] }
        let record = try await queue.record(kind: WebhookRecord.kind, key: job.app)
        try request.memory.grow(by: record?.value.count ?? 0)
        // The worker stores a failure before the position that has passed it. Nothing is awaited while the report is in memory.
        let report = try await WebhookReports.read(job.app, queue)
        let failure = report.failures.first { $0.job == JobAnswer.text(job.id) }
        let position = record.flatMap { WebhookPosition($0.value) }
        let detail = failure.map { PushJSONValue.string($0.detail) }
        if let parked = position?.parked.first(where: { $0.cursor == result }) {
            return .members([
                ("state", "failing"), ("failures", .integer(parked.failures)), ("next_at", JobAnswer.time(parked.due)),
                ("detail", detail),
            ])
        }
        if report.isBeforeBeginning(result, outcome.kind) { return ["state": "not_wanted"] }
        let isGivenUp = report.isGivenUp(result)
        if isGivenUp == true { return .members([("state", "given_up"), ("detail", detail)]) }
        guard let position, result <= position.cursor else { return ["state": "waiting"] }
        guard let isGivenUp, !isGivenUp else { return nil }
        return ["state": "delivered"]
    }
}
