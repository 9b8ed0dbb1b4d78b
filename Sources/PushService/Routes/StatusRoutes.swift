internal import HTTPTypes
internal import Hummingbird
import PushDelivery
import PushHTTP
import PushJSON
import PushQueue

enum StatusRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/status", .read, query: ["app"], handler: status),
        ServiceRoute(.post, "/v1/apps/{name}/pause", .admin, handler: pause),
        ServiceRoute(.post, "/v1/apps/{name}/resume", .admin, handler: resume),
        ServiceRoute(.get, "/livez", nil, handler: live), ServiceRoute(.get, "/healthz", nil, handler: live),
        ServiceRoute(.get, "/readyz", nil, handler: ready),
        ServiceRoute(.get, "/v1/openapi.json", nil) { _ in
            Response(WebPage.service.document.buffer, type: "application/json")
        },
    ]

    @Sendable private static func live(_ request: APIRequest) -> Response {
        Response(Array("ok\n".utf8), type: "text/plain")
    }

    @Sendable private static func ready(_ request: APIRequest) async throws -> Response {
        request.deadline.shorten(to: request.parts.limits.readyTime)
        try await request.parts.readiness.check()
        // What is stored must also be sent, and its outcome stored.
        if await request.parts.apps.failure() != nil {
            throw APIProblem.later(
                .serviceUnavailable, code: "worker_failing", "A step of the worker has failed for more than 5 seconds.",
                afterSeconds: 2, remedy: "The service's log tells you why.")
        }
        return Response(Array("ok\n".utf8), type: "text/plain")
    }

    @Sendable private static func status(_ request: APIRequest) async throws -> Response {
        let names = try request.askedApps()
        let counts = try await request.parts.queue.counts()
        var statuses = Dictionary(await request.parts.apps.statuses().map { ($0.name, $0) }) { first, _ in first }
        if try await request.parts.queue.seal() != nil {
            statuses = statuses.mapValues { status in
                var status = status
                (status.state, status.reason) = (.down, sealedQueue)
                return status
            }
        }
        let imports = try await DeliveryImportState.all(request.parts.apps, request.parts.queue)
        let items = names.map { app($0, statuses[$0], counts[$0] ?? QueueCounts(), imports[$0]) }
        let lost = await request.parts.apps.lostWorkers().map { worker($0).adding(["lost": true]) }
        let workers = await request.parts.apps.workers().map(worker) + lost
        // An inbox has the rows of several apps.
        let known = request.key?.isForAllApps == true ? request.parts.metrics.snapshot.inboxes : [:]
        let inboxes = known.sorted {
            ($0.key.inbox, $0.key.part) < ($1.key.inbox, $1.key.part)
        }.map(inbox)
        return Response(
            json: .members([
                ("version", .string(request.parts.version)),
                ("now", JobAnswer.time(try await request.parts.queue.now())),
                ("apps", .array(items)), ("workers", workers.isEmpty ? PushJSONValue?.none : .array(workers)),
                ("inboxes", inboxes.isEmpty ? PushJSONValue?.none : .array(inboxes)),
            ]))
    }

    private static func inbox(_ part: ServiceMetrics.InboxPart, _ now: ServiceMetrics.InboxState) -> PushJSONValue {
        .members([
            ("inbox", .string(part.inbox)), ("part", .string(part.part)), ("works", .bool(now.failure == nil)),
            ("reason", now.failure.map(PushJSONValue.string)),
            ("warning", (now.warning?.text).map(PushJSONValue.string)),
            ("warned_at", (now.warning?.time).map(JobAnswer.time)),
        ])
    }

    private static func worker(_ worker: WorkerHeartbeat) -> PushJSONValue {
        [
            "name": .string(worker.name), "version": .string(worker.version),
            "seen_at": JobAnswer.time(worker.time),
        ]
    }

    /// An app that is not configured any more can still have jobs.
    private static func app(
        _ name: String, _ status: AppStatus?, _ counts: QueueCounts, _ delivery: DeliveryImportState?
    ) -> PushJSONValue {
        let reason = status == nil ? "The app isn't in the configuration." : status?.reason
        let warnings = status?.warnings ?? []
        return .members([
            ("name", .string(name)), ("state", .string(status?.state.rawValue ?? "down")),
            ("reason", reason.map(PushJSONValue.string)),
            ("recipients", status?.recipientsFailure.map(PushJSONValue.string)),
            ("warnings", warnings.isEmpty ? nil : .array(warnings.map { .string($0) })),
            ("delivery", delivery?.value),
            ("connected", .bool(status?.isConnected ?? false)),
            ("credentials", .string(status?.credentials.rawValue ?? AppStatus.Credentials.untried.rawValue)),
            ("certificate_days_left", status?.certificateDaysLeft.map(PushJSONValue.integer)),
            ("in_flight", .integer(status?.inFlight ?? 0)),
            ("oldest_due_seconds", status?.oldestDueAge.map { .integer(Int($0.components.seconds)) }),
            ("counts", self.counts(counts)),
        ])
    }

    @Sendable private static func pause(_ request: APIRequest) async throws -> Response {
        // Others read it in the status.
        let reason = try await request.form("reason").string("reason", bytes: 1...200)
        return try await setPaused(reason ?? "", request)
    }

    @Sendable private static func resume(_ request: APIRequest) async throws -> Response {
        _ = try await request.form()
        return try await setPaused(nil, request)
    }

    private static func setPaused(_ reason: String?, _ request: APIRequest) async throws -> Response {
        let name = request.parameters["name"] ?? ""
        let unknown = APIProblem.notFound("There is no app \(name.debugDescription).")
        guard request.key?.isFor(name) == true else { throw unknown }
        let action = reason == nil ? "app.resume" : "app.pause"
        let words = reason?.isEmpty == false ? reason : nil
        try await request.audited(action, app: name, object: name, after: words) { entry in
            guard try await request.parts.apps.setPaused(name, reason, entry) else { throw unknown }
        }
        return .noContent
    }

    private static func counts(_ counts: QueueCounts) -> PushJSONValue {
        [
            "held": .integer(counts.held), "waiting": .integer(counts.waiting), "leased": .integer(counts.leased),
            "started": .integer(counts.started), "kept": .integer(counts.kept),
            "dead_letters": .integer(counts.deadLetters), "accepted": .integer(counts.accepted),
            "rejected": .integer(counts.rejected), "unknown": .integer(counts.unknown),
            "not_sent": .integer(counts.notSent),
        ]
    }
}
