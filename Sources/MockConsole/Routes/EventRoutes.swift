internal import HTTPTypes
internal import Hummingbird
import MockAPNs

/// The requests as they arrive, as server-sent events. The id of an event is the number of the request, so a client that
/// connects again continues after the last event that it read.
enum EventRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/events", query: ["q", "after"], isEndless: true, handler: events)
    ]

    /// How often an idle stream gets a comment, so that a client that is gone is noticed.
    private static let heartbeat = Duration.seconds(15)

    @Sendable private static func events(_ request: ConsoleRequest) async throws -> Response {
        let search = try request.search()
        let mock = request.space.mock
        let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }
        var start = mock.arrivalCount
        if let last {
            guard let number = Int(last), number >= 0 else {
                throw ConsoleProblem.invalid(
                    "Last-Event-ID must be the number of a push, not \(last.debugDescription).", field: "last-event-id")
            }
            start = number
        } else if let after = try request.number("after", in: 0...Int.max) {
            start = after
        }
        let first = start
        let place = try request.answers.place(for: .eventStream)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var stream = EventWriter(writer: writer)
                defer { withExtendedLifetime(place) {} }
                try await Self.send(mock, search, after: first, to: &stream, for: request)
                try await stream.writer.finish(nil)
            })
    }

    private struct EventWriter {
        var writer: any ResponseBodyWriter

        mutating func write(_ text: String) async throws { try await writer.write(ByteBuffer(string: text)) }

        mutating func write(event: String, id: Int, _ body: (inout JSONWriter) -> Void) async throws {
            var json = JSONWriter()
            json.object(body)
            var buffer = ByteBuffer(string: "event: \(event)\nid: \(id)\ndata: ")
            buffer.writeBytes(json.bytes)
            buffer.writeString("\n\n")
            try await writer.write(buffer)
        }
    }

    private static func send(
        _ mock: MockServer, _ search: ArrivalSearch, after first: Int, to stream: inout EventWriter,
        for request: ConsoleRequest
    ) async throws {
        // Any number can be asked for, also the largest.
        let isAhead = first > mock.arrivalCount
        var next = isAhead ? 1 : first + 1
        try await stream.write("retry: 1000\n\n")
        if isAhead {
            // The number comes from an earlier mock, whose requests are unknown here.
            try await stream.write(event: "gap", id: 0) {
                $0.member("missed", "everything: the mock was started again")
            }
        }
        while !Task.isCancelled {
            let from = next
            guard
                let arrivals = try? await request.waiting({
                    await mock.arrivals(from: from, atMost: 500, within: heartbeat)
                })
            else { return }
            guard let oldest = arrivals.first, let newest = arrivals.last else {
                try await stream.write(": still here\n\n")
                continue
            }
            if mock.droppedThrough >= next {
                let missed = mock.droppedThrough - next + 1
                try await stream.write(event: "gap", id: oldest.number - 1) { $0.member("missed", missed) }
            }
            for arrival in arrivals where search.matches(arrival) {
                try await stream.write(event: "push", id: arrival.number) {
                    PushForm.write(arrival, to: &$0, remedy: \.description)
                }
            }
            next = newest.number + 1
        }
    }
}
