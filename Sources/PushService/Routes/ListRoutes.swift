import APNSVocabulary
internal import Hummingbird
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// One job, and lists of jobs.
enum ListRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/notifications/{id}", .read, query: ["app", "history"], handler: one),
        ServiceRoute(
            .get, "/v1/notifications", .read, query: ["ids", "outcome", "state", "app", "limit", "after"],
            handler: many),
    ]

    /// The maximum number of ids in a request.
    private static let mostIDs = 1000

    @Sendable private static func one(_ request: APIRequest) async throws -> Response {
        let id = try request.id()
        let withHistory = try request.bool("history") ?? false
        let job = try await find(id, request)
        let history = withHistory ? try await request.parts.queue.history(of: id, app: job.app) : nil
        return Response(json: JobAnswer.value(job, history: history))
    }

    /// Finds a job of the apps of the key. To other keys, it is as if it did not exist.
    static func find(_ id: UUID, _ request: APIRequest) async throws -> QueueJobRecord {
        for app in try request.askedApps() {
            if let job = try await request.parts.queue.jobs([id], app: app).first { return job }
        }
        throw APIProblem.notFound("There is no such notification.")
    }

    @Sendable private static func many(_ request: APIRequest) async throws -> Response {
        let filters = ["ids", "outcome", "state"].filter { request.query[$0] != nil }
        guard filters.count <= 1 else {
            throw APIProblem.invalid(
                "\(filters.joined(separator: " and ")) cannot be combined.", field: filters[1],
                remedy: "Use one of them.")
        }
        if let ids = request.query["ids"] { return try await byIDs(ids, request) }
        let query = QueueJobQuery(
            app: try request.appName(), filter: try filter(request), limit: try request.limit())
        var page = query
        page.after = request.query["after"]
        let found = try await request.parts.queue.jobs(page)
        return .list(found.items.map { JobAnswer.value($0) }, next: found.next)
    }

    private static func byIDs(_ text: String, _ request: APIRequest) async throws -> Response {
        let parts = text.split(separator: ",")
        let ids = parts.compactMap { UUID(uuidString: String($0)) }
        guard ids.count == parts.count, (1...mostIDs).contains(ids.count) else {
            throw APIProblem.invalid(
                "ids must be 1 to \(mostIDs) ids with commas between them.", field: "ids")
        }
        try request.hold(entries: ids.count)
        var found: [UUID: QueueJobRecord] = [:]
        for app in try request.askedApps() where found.count < ids.count {
            for job in try await request.parts.queue.jobs(ids, app: app) { found[job.id] = job }
        }
        return .list(ids.compactMap { found[$0] }.map { JobAnswer.value($0) }, next: nil)
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

    private static func value<Value: NamedCase>(
        named name: String, _ field: String
    ) throws(APIProblem) -> Value {
        guard let value = Value(name: name) else {
            throw .invalid(
                "\(String(name.prefix(100)).debugDescription) is not a valid \(field).", field: field,
                remedy: NearestName.remedy(name, among: Value.names))
        }
        return value
    }
}
