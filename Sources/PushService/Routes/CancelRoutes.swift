import APNSVocabulary
internal import Hummingbird
import PushDelivery
import PushHTTP
import PushJSON
internal import PushPlatform
import PushQueue

/// Cancels what still waits.
enum CancelRoutes {
    static let all = [
        ServiceRoute(.delete, "/v1/notifications/{id}", .cancel, query: ["app"], handler: one),
        ServiceRoute(.post, "/v1/notifications/cancel", .cancel, query: ["app"], handler: everything),
    ]

    @Sendable private static func one(_ request: APIRequest) async throws -> Response {
        let job = try await ListRoutes.find(try request.id(), request)
        let id = JobAnswer.text(job.id)
        let result = try await request.audited("notification.cancel", app: job.app, object: id) { entry in
            try await request.parts.queue.cancel([job.id], app: job.app, audit: QueueAudit { _ in entry }).first
        } noted: {
            $0?.isStopped == true ? $1 : nil
        }
        switch result {
        case .stopped: return Response(json: ["id": .string(JobAnswer.text(job.id)), "result": "cancelled"])
        case .stoppedUncertain:
            // It is not tried again, and an earlier try may have reached Apple.
            return Response(
                json: [
                    "id": .string(JobAnswer.text(job.id)), "result": "unknown",
                    "detail": "It won't be retried. An earlier try may have reached Apple.",
                ])
        case .started:
            throw APIProblem.conflict(
                "The push is being sent.", code: "already_started", remedy: "Read its outcome in a moment.")
        case .finished(let kind):
            var problem = APIProblem.conflict(
                "The notification has its outcome already: \(kind.name).", code: "already_finished")
            problem.more["outcome"] = .string(kind.name)
            throw problem
        case .unknownJob, nil: throw APIProblem.noNotification
        }
    }

    @Sendable private static func everything(_ request: APIRequest) async throws -> Response {
        // A body that is missing by mistake must not mean everything.
        let form = try await request.form(
            "app", "suspected", "token", "collapse_id", "due_before", "dry_run", isRequired: true)
        let app = try request.appName(try form.word("app"), field: form.field("app"))
        let isDry = try form.bool("dry_run") ?? false
        let matching = try MatchingJobs(form, app: app)
        if try form.bool("suspected") == true {
            guard !isDry, matching == nil else {
                throw form.problem(
                    "suspected", "\"suspected\" can't be combined with others.", remedy: "Use it with \"app\" alone.")
            }
            let (deadline, queue) = (request.deadline, request.parts.queue)
            let cancelled = try await request.audited("notifications.cancel", app: app, object: "suspected") { entry in
                try await SuspectedJobs.cancel(of: app, in: queue, audit: entry.counting) { deadline.renew() }
            } noted: {
                $1.adding(count: $0.total)
            }
            return Response(json: cancelled.json)
        }
        if isDry {
            let (count, hasMore) =
                if let matching { try await matching.count(request) } else { (try await all(of: app, request), false) }
            return Response(json: ["matching": .integer(count), "more": .bool(hasMore)])
        }
        let cancelled = try await request.audited("notifications.cancel", app: app, object: matching?.words) { entry in
            if let matching { return try await matching.cancel(request, entry.counting) }
            return try await request.parts.queue.cancelAll(app: app, audit: entry.counting) {
                request.deadline.renew()
                try Task.checkCancellation()
            }
        } noted: {
            $1.adding(count: $0.total)
        }
        return Response(json: cancelled.json)
    }

    /// How many jobs wait, with the lines of campaigns that run or are paused.
    private static func all(of app: String, _ request: APIRequest) async throws(QueueError) -> Int {
        let queue = request.parts.queue
        let held = try await queue.activeCampaigns().filter { $0.app == app }.reduce(0) { $0 + $1.counts.held }
        let counts = try await queue.counts()[app, default: QueueCounts()]
        return counts.waiting + counts.leased + held
    }
}

/// The jobs of an app that have not been started, and match what a request says.
private struct MatchingJobs {
    private let app: String
    private let token: String?
    private let collapseID: String?
    private let dueBefore: QueueTime?

    /// The maximum number of jobs that are counted, and of pages that are read for it.
    private static let (maximumCounted, maximumPages) = (10_000, 100)

    /// `nil` if the request says nothing.
    init?(_ form: EntryForm, app: String) throws(APIProblem) {
        self.app = app
        // A variable that is null by mistake must not mean everything.
        for name in ["app", "suspected", "token", "collapse_id", "due_before", "dry_run"]
        where form.has(name) && form.value(name) == nil {
            throw form.problem(
                name, "\"\(name)\" is null, so more would be cancelled than is meant.",
                remedy: "Give it a value. To cancel everything that waits, leave it out.")
        }
        let text = try form.header("token")
        token = try text.map { (text) throws(APIProblem) in try form.deviceToken("token", text) }
        collapseID = try form.string("collapse_id", bytes: 1...64)
        dueBefore = try form.time("due_before")
        if token == nil, collapseID == nil, dueBefore == nil { return nil }
    }

    var words: String {
        let parts = [
            token.map { "token \(DeviceToken.shortened($0))" }, collapseID.map { "collapse_id \($0)" },
            dueBefore.map { "due_before \($0.rfc3339)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private var queries: [QueueJobQuery] {
        func query(_ filter: QueueJobQuery.Filter, dueBefore: QueueTime? = nil) -> QueueJobQuery {
            var query = QueueJobQuery(app: app, filter: filter, limit: 1000)
            query.dueBefore = dueBefore
            return query
        }
        if let token { return [query(.target(.device(token)), dueBefore: dueBefore)] }
        if let collapseID { return [query(.collapseID(collapseID), dueBefore: dueBefore)] }
        return [query(.state(.leased)), query(.state(.waiting), dueBefore: dueBefore)]
    }

    /// What a worker has but not started waits, too: for another push with its collapse id, or for a table of devices.
    private func matches(_ job: QueueJobRecord) -> Bool {
        guard [.waiting, .held, .leased].contains(job.state) else { return false }
        if let dueBefore, job.due >= dueBefore { return false }
        guard let collapseID else { return true }
        return PushDetails(encoded: job.push)?.collapseID == collapseID
    }

    /// How many there are, and whether there may be more.
    func count(_ request: APIRequest) async throws -> (Int, Bool) {
        var (queries, count, pages) = (queries[...], 0, 0)
        while count < Self.maximumCounted, pages < Self.maximumPages {
            guard var query = queries.popFirst() else { return (count, false) }
            let page = try await request.parts.queue.jobs(query)
            (count, pages) = (count + page.items.count(where: matches), pages + 1)
            if let next = page.next {
                query.after = next
                queries.insert(query, at: queries.startIndex)
            }
            request.deadline.renew()
            try Task.checkCancellation()
        }
        return (count, true)
    }

    func cancel(_ request: APIRequest, _ audit: QueueAudit) async throws -> QueueCancelled {
        var (queries, cancelled, audit) = (queries[...], QueueCancelled(), audit)
        while var query = queries.popFirst() {
            let page = try await request.parts.queue.jobs(query)
            if let next = page.next {
                query.after = next
                queries.insert(query, at: queries.startIndex)
            }
            let ids = page.items.filter(matches).map(\.id)
            cancelled += try await request.parts.queue.cancel(ids, app: app, isLast: queries.isEmpty, &audit)
            request.deadline.renew()
            try Task.checkCancellation()
        }
        return cancelled
    }
}

extension QueueCancelled {
    fileprivate var json: PushJSONValue { ["cancelled": .integer(notSent), "unknown": .integer(unknown)] }
}
