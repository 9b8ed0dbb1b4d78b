internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// Outcomes in the order in which they were committed: as pages, and as server-sent events whose ids are cursors.
enum ResultRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/results", .read, query: ["app", "limit", "after", "alerts"] + newest, handler: page),
        ServiceRoute(
            .get, "/v1/results/events", .read, query: ["app", "after"], handler: events),
    ]

    /// What lists the newest outcomes first.
    private static let newest = ["order", "outcome", "reason", "campaign", "since", "before"]

    @Sendable private static func page(_ request: APIRequest) async throws -> Response {
        let filter = newest.dropFirst().first { request.query[$0] != nil }
        let order = try request.choice("order", ListOrder.self) ?? (filter == nil ? .oldest : .newest)
        if order == .newest { return try await newestPage(request) }
        if let filter {
            throw APIProblem.invalid("\(filter) needs order=newest.", field: filter)
        }
        let after = try cursor(request.query["after"], field: "after") ?? .start
        let page = try await request.parts.queue.results(
            of: try await request.appsWithOutcomes(), after: after, limit: try request.limit())
        let items = try await items(page.items, page.cursors, request)
        return Response(json: ["items": items, "next": .string(text(page.next, request)), "gap": .bool(page.hasGap)])
    }

    private static func items(
        _ jobs: [QueueJobRecord], _ cursors: [QueueResultCursor], _ request: APIRequest
    ) async throws -> PushJSONValue {
        .array(
            zip(try await JobAlert.values(of: jobs, request), cursors).map { job, cursor in
                job.adding(["cursor": .string(text(cursor, request))])
            })
    }

    // MARK: The newest first

    private static func newestPage(_ request: APIRequest) async throws -> Response {
        guard request.query["after"] == nil else {
            throw APIProblem.invalid(
                "With the newest first, after has no meaning.", field: "after",
                remedy: "Use the \"next\" of the previous page as before.")
        }
        let queue = request.parts.queue
        var query = QueueNewestQuery(of: try request.askedApps(), limit: try request.limit())
        if let name = request.query["outcome"] {
            query.kind = try ListRoutes.value(named: name, "outcome")
        }
        query.reason = try request.word("reason", 1...200)
        if let text = request.query["campaign"] {
            guard let id = UUID(uuidString: text) else {
                throw APIProblem.invalid(
                    "campaign must be the id of a campaign.", field: "campaign",
                    remedy: "GET /v1/campaigns lists them.")
            }
            query.campaign = id
        }
        let since = try request.time("since")
        if let before = request.query["before"] {
            if before.first == "r" {
                query.before = try cursor(before, field: "before")
            } else {
                query.before = try await first(since: try time(before, request), query.apps, queue)
            }
        }
        var page = try await queue.newest(query)
        if let since, let end = page.items.firstIndex(where: { $0.finished ?? $0.queued < since }) {
            page.items.removeSubrange(end...)
            page.next = nil
        }
        let next: PushJSONValue = page.next.map { .string(text($0, request)) } ?? .null
        let items = try await items(page.items, page.cursors, request)
        return Response(json: ["items": items, "next": next, "gap": .bool(false)])
    }

    /// What is no number may have been meant as a cursor.
    private static func time(_ text: String, _ request: APIRequest) throws(APIProblem) -> QueueTime {
        let problem = APIProblem.invalid(
            "before is neither a cursor nor a time.", field: "before",
            remedy: "Use the \"next\" of an earlier answer, or a time such as 2026-11-28T12:00:00Z.")
        do throws(APIProblem) {
            guard let time = try request.time("before") else { throw problem }
            return time
        } catch {
            throw Double(text) == nil ? problem : error
        }
    }

    /// The position of the first outcome since a time. Outcomes are in the order of their commits, which is nearly that of their times: it
    /// is found in some sixty reads of one outcome.
    private static func first(
        since time: QueueTime, _ apps: [String], _ queue: any QueueBackend
    ) async throws(QueueError) -> QueueResultCursor {
        var (low, high) = (Int64(0), try await queue.resultsEnd().number + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let page = try await queue.results(of: apps, after: QueueResultCursor(number: middle), limit: 1)
            guard let job = page.items.first, let cursor = page.cursors.first, cursor.number <= high else {
                high = middle
                continue
            }
            if (job.finished ?? job.queued) < time { low = cursor.number } else { high = middle }
        }
        return QueueResultCursor(number: high + 1)
    }

    @Sendable private static func events(_ request: APIRequest) async throws -> Response {
        // An app that isn't there is refused before the stream begins.
        _ = try request.askedApps()
        let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }.flatMap {
            $0.isEmpty ? nil : request.cursors?.open($0)
        }
        var start = try cursor(last, field: "last-event-id")
        if start == nil { start = try cursor(request.query["after"], field: "after") }
        let reservation = try request.parts.answers.reserve(.eventStream, for: request.holder)
        let first: QueueResultCursor
        if let start { first = start } else { first = try await request.parts.queue.resultsEnd() }
        return .stream("text/event-stream", keeping: reservation) { writer in
            var stream = ResultStream(writer: writer, next: first, request: request)
            try await stream.run()
        }
    }

    // MARK: Cursors

    static func text(_ cursor: QueueResultCursor, _ request: APIRequest) -> String {
        request.sealed("r\(cursor.number)")
    }

    static func cursor(_ text: String?, field: String) throws(APIProblem) -> QueueResultCursor? {
        guard let text else { return nil }
        let digits = text.dropFirst()
        guard text.first == "r", digits.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(digits)
        else {
            throw .invalid(
                "This isn't a cursor of results.", code: "invalid_cursor", field: field,
                remedy: "Use the \"next\" of an earlier answer, or the id of an event.")
        }
        return QueueResultCursor(number: number)
    }
}
