internal import Hummingbird
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

enum DeadLetterRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/dead-letters", .read, query: ["app", "limit", "after", "alerts"], handler: list),
        ServiceRoute(.post, "/v1/dead-letters/redrive", .admin, query: ["app"], handler: redrive),
    ]

    private static let maximumIDs = 1000

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        var query = QueueJobQuery(app: try request.appName(), filter: .deadLetters, limit: try request.limit())
        query.after = request.query["after"]
        let page = try await request.parts.queue.jobs(query)
        return request.list(try await JobAlert.values(of: page.items, request), next: page.next)
    }

    @Sendable private static func redrive(_ request: APIRequest) async throws -> Response {
        let form = try await request.form("app", "ids", "ttl")
        let app = try request.appName(try form.word("app"), field: form.field("app"))
        let ids = try ids(form)
        let expiry: NewQueueJob.Expiry =
            if let ttl = try form.lifetime("ttl") { .after(ttl) } else {
                request.parts.apps[app]?.expiry.map { .after($0) } ?? .never
            }
        let object = ids.count == 1 ? JobAnswer.text(ids[0]) : nil
        let results = try await request.audited("dead_letters.redrive", app: app, object: object) { entry in
            try await request.parts.queue.redrive(ids, app: app, expiry: expiry, audit: entry.counting)
        } noted: {
            $1.adding(count: $0.count { $0.isQueued })
        }
        let made = try await RedrivenJob.find(results, of: ids, app: app, request.parts.queue)
        return .list(zip(ids, results).map { value($0, $1, made) }, next: nil)
    }

    private static func ids(_ form: EntryForm) throws(APIProblem) -> [UUID] {
        let texts = try form.required("ids", try form.strings("ids"))
        guard (1...maximumIDs).contains(texts.count) else {
            throw form.problem("ids", "\"ids\" must have 1 to \(maximumIDs) ids, not \(texts.count).")
        }
        return try texts.map { (text) throws(APIProblem) in
            guard let id = UUID(uuidString: text) else {
                throw form.problem(
                    "ids", "\(String(text.prefix(60)).debugDescription) isn't the id of a notification.",
                    remedy: "GET /v1/dead-letters lists the ids.")
            }
            return id
        }
    }

    private static func value(
        _ id: UUID, _ result: QueueRedriveResult, _ made: [UUID: RedrivenJob]
    ) -> PushJSONValue {
        let (name, new): (String, UUID?) =
            switch result {
            case .queued(let new): ("queued", new)
            case .redriven(let new): ("already_redriven", new)
            case .notBuried: ("not_a_dead_letter", nil)
            case .erased: ("payload_erased", nil)
            case .unknownJob: ("not_found", nil)
            }
        return .members(
            [
                ("id", .string(JobAnswer.text(id))), ("result", .string(name)),
                ("redriven_as", new.map { .string(JobAnswer.text($0)) }),
            ] + (new.flatMap { made[$0]?.members } ?? []))
    }
}
