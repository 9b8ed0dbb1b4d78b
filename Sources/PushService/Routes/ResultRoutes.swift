#if PushService
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
                .get, "/v1/results/events", .read, query: ["app", "after"], isEndless: true, handler: events),
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
            let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }
            var start = try cursor(last, field: "last-event-id")
            if start == nil { start = try cursor(request.query["after"], field: "after") }
            let place = try request.parts.answers.place(for: .eventStream)
            let first: ResultCursor
            if let start { first = start } else { first = try await end(of: apps, request.parts.queue) }
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
                body: ResponseBody { writer in
                    var stream = ResultStream(writer: writer, apps: apps, next: first, request: request)
                    try await stream.run()
                    withExtendedLifetime(place) {}
                    try await stream.writer.finish(nil)
                })
        }

        /// The position after the last outcome. The number of the last one is searched, as the queue does not tell it.
        static func end(of apps: [String], _ queue: any QueueBackend) async throws(QueueError) -> ResultCursor {
            var (low, high) = (Int64(0), Int64(1))
            while try await has(after: high, apps, queue) { (low, high) = (high, high * 2) }
            // Something follows after `low`, or it is 0, and nothing follows after `high`.
            while low < high {
                let middle = low + (high - low) / 2
                if try await has(after: middle, apps, queue) { low = middle + 1 } else { high = middle }
            }
            return ResultCursor(number: high)
        }

        private static func has(
            after number: Int64, _ apps: [String], _ queue: any QueueBackend
        ) async throws(QueueError) -> Bool {
            let page = try await queue.results(of: apps, after: ResultCursor(number: number), limit: 1)
            return !page.items.isEmpty
        }

        // MARK: Cursors

        static func text(_ cursor: ResultCursor) -> String { "r\(cursor.number)" }

        static func cursor(_ text: String?, field: String) throws(APIProblem) -> ResultCursor? {
            guard let text else { return nil }
            let digits = text.dropFirst()
            guard text.first == "r", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
            else {
                throw .invalid(
                    "This is not a cursor of results.", code: "invalid_cursor", field: field,
                    remedy: "Use the \"next\" of an earlier answer, or the id of an event.")
            }
            return ResultCursor(number: number)
        }
    }
#endif
