internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// Outcomes in the order in which they were committed: as pages, and as server-sent events whose ids are cursors.
enum ResultRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/results", .read, query: ["app", "limit", "after"], handler: page),
        ServiceRoute(
            .get, "/v1/results/events", .read, query: ["app", "after"], handler: events),
    ]

    @Sendable private static func page(_ request: APIRequest) async throws -> Response {
        let after = try cursor(request.query["after"], field: "after") ?? .start
        let page = try await request.parts.queue.results(
            of: try request.askedApps(), after: after, limit: try request.limit())
        let items = zip(page.items, page.cursors).map { job, cursor in
            JobAnswer.value(job).adding(["cursor": .string(text(cursor))])
        }
        return Response(
            json: ["items": .array(items), "next": .string(text(page.next)), "gap": .bool(page.hasGap)])
    }

    @Sendable private static func events(_ request: APIRequest) async throws -> Response {
        let apps = try request.askedApps()
        let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }.flatMap { $0.isEmpty ? nil : $0 }
        var start = try cursor(last, field: "last-event-id")
        if start == nil { start = try cursor(request.query["after"], field: "after") }
        let reservation = try request.parts.answers.reserve(.eventStream, for: request.holder)
        let first: QueueResultCursor
        if let start { first = start } else { first = try await request.parts.queue.resultsEnd() }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var stream = ResultStream(writer: writer, apps: apps, next: first, request: request)
                try await stream.run()
                withExtendedLifetime(reservation) {}
                try await stream.writer.finish(nil)
            })
    }

    // MARK: Cursors

    static func text(_ cursor: QueueResultCursor) -> String { "r\(cursor.number)" }

    static func cursor(_ text: String?, field: String) throws(APIProblem) -> QueueResultCursor? {
        guard let text else { return nil }
        let digits = text.dropFirst()
        guard text.first == "r", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
        else {
            throw .invalid(
                "This is not a cursor of results.", code: "invalid_cursor", field: field,
                remedy: "Use the \"next\" of an earlier answer, or the id of an event.")
        }
        return QueueResultCursor(number: number)
    }
}
