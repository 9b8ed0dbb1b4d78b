import APNSVocabulary
internal import Hummingbird
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

enum ListRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/notifications/{id}", .read, query: ["app", "history"], handler: one),
        ServiceRoute(
            .get, "/v1/notifications", .read, query: filters + ["due_before", "app", "limit", "after", "alerts"],
            handler: many),
    ]

    /// Of these, a request has one.
    private static let filters = ["ids", "token", "collapse_id", "dedupe_key", "outcome", "state"]
    private static let maximumIDs = 1000

    @Sendable private static func one(_ request: APIRequest) async throws -> Response {
        let id = try request.id()
        let withHistory = try request.bool("history") ?? false
        let (job, queue) = (try await find(id, request), request.parts.queue)
        let content = try await queue.contents(of: [id], app: job.app)[id]
        try request.memory.grow(by: (content?.payload?.count ?? 0) + (content?.variables?.count ?? 0))
        let detail = JobDetail(
            job, content, history: try await queue.history(of: id, app: job.app) ?? [],
            showsPayload: request.parts.showsPayloads,
            alert: JobAlert.value(of: content),
            webhook: try await WebhookRoutes.delivery(of: job, content?.result, request))
        return Response(detail.bytes(withHistory: withHistory), type: "application/json")
    }

    /// To keys of other apps, it is as if the job did not exist.
    static func find(_ id: UUID, _ request: APIRequest) async throws -> QueueJobRecord {
        for app in try request.askedApps() {
            if let job = try await request.parts.queue.jobs([id], app: app).first { return job }
        }
        throw APIProblem.noNotification
    }

    @Sendable private static func many(_ request: APIRequest) async throws -> Response {
        let filters = filters.filter { request.query[$0] != nil }
        guard filters.count <= 1 else {
            throw APIProblem.invalid(
                "\(filters.joined(separator: " and ")) can't be combined.", field: filters[1],
                remedy: "Use one of them.")
        }
        let dueBefore = try request.time("due_before")
        guard dueBefore == nil || request.query["state"] == QueueJobState.waiting.name else {
            throw APIProblem.invalid(
                "due_before is only for notifications that wait.", field: "due_before", remedy: "Add state=waiting.")
        }
        if let ids = request.query["ids"] { return try await byIDs(ids, request) }
        if let filter = try searched(request) { return try await search(filter, request) }
        var page = QueueJobQuery(
            app: try request.appName(), filter: try filter(request), limit: try request.limit())
        (page.after, page.dueBefore) = (request.query["after"], dueBefore)
        let found = try await request.parts.queue.jobs(page)
        return request.list(try await JobAlert.values(of: found.items, request), next: found.next)
    }

    // MARK: Search

    private static func searched(_ request: APIRequest) throws(APIProblem) -> QueueJobQuery.Filter? {
        if let token = try request.token() { return .target(.device(token.hex)) }
        if let id = try request.word("collapse_id", 1...64) { return .collapseID(id) }
        return try request.word("dedupe_key", 1...NewQueueJob.longestName).map { .dedupeKey($0) }
    }

    /// App after app. The cursor is that of an app, with its name.
    private static func search(_ filter: QueueJobQuery.Filter, _ request: APIRequest) async throws -> Response {
        var (apps, after) = (try request.askedApps()[...], String?.none)
        if let cursor = request.query["after"] {
            let parts = cursor.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            apps = apps.drop { $0 != parts.last ?? "" }
            guard parts.count == 2, !apps.isEmpty else {
                throw APIProblem.invalid(
                    "This cursor belongs to another list.", code: "invalid_cursor", field: "after",
                    remedy: "Use the \"next\" of the previous page.")
            }
            after = parts[0].isEmpty ? nil : String(parts[0])
        }
        let limit = try request.limit()
        var items: [QueueJobRecord] = []
        while let app = apps.first, items.count < limit {
            var query = QueueJobQuery(app: app, filter: filter, limit: limit - items.count)
            query.after = after
            let page = try await request.parts.queue.jobs(query)
            items += page.items
            after = page.next
            if after == nil { apps.removeFirst() }
        }
        return request.list(
            try await JobAlert.values(of: items, request), next: apps.first.map { "\(after ?? "")@\($0)" })
    }

    private static func byIDs(_ text: String, _ request: APIRequest) async throws -> Response {
        let parts = text.split(separator: ",")
        let ids = parts.compactMap { UUID(uuidString: String($0)) }
        guard ids.count == parts.count, (1...maximumIDs).contains(ids.count) else {
            throw APIProblem.invalid(
                "ids must be 1 to \(maximumIDs) ids with commas between them.", field: "ids")
        }
        try request.hold(entries: ids.count)
        var found: [UUID: QueueJobRecord] = [:]
        for app in try request.askedApps() where found.count < ids.count {
            for job in try await request.parts.queue.jobs(ids, app: app) { found[job.id] = job }
        }
        return .list(try await JobAlert.values(of: ids.compactMap { found[$0] }, request), next: nil)
    }

    private static func filter(_ request: APIRequest) throws(APIProblem) -> QueueJobQuery.Filter {
        if let name = request.query["outcome"] {
            return .outcome(try value(named: name, "outcome"))
        }
        if let name = request.query["state"] {
            return .state(try value(named: name, "state"))
        }
        return .all
    }

    static func value<Value: NamedCase>(
        named name: String, _ field: String
    ) throws(APIProblem) -> Value {
        guard let value = Value(name: name) else {
            throw .invalid(
                "\(String(name.prefix(100)).debugDescription) isn't a valid \(field).", field: field,
                remedy: NearestName.remedy(name, among: Value.names))
        }
        return value
    }
}
