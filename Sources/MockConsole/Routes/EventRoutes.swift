internal import HTTPTypes
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
import VirtualPhones

/// The requests as they arrive and what changes on phones, as server-sent events. The id of an event is the number of the
/// request, so a client that connects again continues after the last event that it read. Changes on phones have no id.
enum EventRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/events", query: ["q", "after"], handler: events)
    ]

    /// How often an idle stream gets a comment, so that a client that is gone is noticed.
    private static let heartbeat = Duration.seconds(15)
    private static let requestsAtOnce = 500

    @Sendable private static func events(_ request: ConsoleRequest) async throws -> Response {
        let search = try request.search()
        let mock = request.namespace.mock
        let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }
        var start = mock.arrivalCount
        if let last {
            guard let number = Int(last), number >= 0 else {
                throw APIProblem.invalid(
                    "Last-Event-ID must be the number of a push, not \(last.debugDescription).", field: "last-event-id")
            }
            start = number
        } else if let after = try request.number("after", in: 0...Int.max) {
            start = after
        }
        let first = start
        let reservation = try request.answers.reserve(.eventStream)
        return .stream("text/event-stream", keeping: reservation) { writer in
            var stream = EventWriter(writer: writer)
            try await send(request.namespace, search, after: first, to: &stream, for: request)
        }
    }

    private struct EventWriter {
        var writer: any ResponseBodyWriter

        mutating func write(_ text: String) async throws { try await writer.write(ByteBuffer(string: text)) }

        mutating func write(event: String, id: Int?, _ body: (inout JSONWriter) -> Void) async throws {
            var json = JSONWriter()
            json.object(body)
            var buffer = ByteBuffer()
            buffer.writeEvent(event, id: id.map(String.init), json.bytes)
            try await writer.write(buffer)
        }
    }

    private static func send(
        _ namespace: MockNamespace, _ search: MockArrivalSearch, after first: Int, to stream: inout EventWriter,
        for request: ConsoleRequest
    ) async throws {
        let phones = namespace.phones
        let mock = namespace.mock
        // Any number is possible, even the largest.
        let isAhead = first > mock.arrivalCount
        var next = isAhead ? 1 : first + 1
        var known = phones.changeCount
        try await stream.write("retry: 1000\n\n")
        if isAhead {
            // The number comes from an earlier mock, whose requests are unknown here.
            try await stream.write(event: "gap", id: 0) {
                $0.member("missed", "everything: the mock was started again")
            }
        }
        while !Task.isCancelled {
            // Only pushes that the phones have processed, so that each event has its outcome.
            let page = phones.changes(after: known)
            let through = phones.processedThrough
            let arrivals = mock.arrivalsNow(from: next, atMost: requestsAtOnce).filter { $0.number <= through }
            if let oldest = arrivals.first, mock.droppedThrough >= next {
                let missed = mock.droppedThrough - next + 1
                try await stream.write(event: "gap", id: oldest.number - 1) { $0.member("missed", missed) }
            }
            for arrival in arrivals where search.matches(arrival, seenBy: phones) {
                try await stream.write(event: "push", id: arrival.number) {
                    namespace.write(arrival, to: &$0)
                }
            }
            next = arrivals.last.map { $0.number + 1 } ?? next
            try await send(page, of: phones, to: &stream)
            known = page.count
            guard arrivals.isEmpty, page.phones.isEmpty else {
                // A reader that keeps up never suspends a write, and other tasks need a thread, too.
                await Task.yield()
                continue
            }
            if phones.isOver { return }
            let seen = known
            guard let isChanged = try? await request.waiting({ await phones.change(after: seen, within: heartbeat) })
            else {
                return
            }
            if !isChanged { try await stream.write(": still here\n\n") }
        }
    }

    private static func send(
        _ page: PhoneChanges.Page, of phones: PhoneFeed, to stream: inout EventWriter
    ) async throws {
        for phone in page.phones {
            try await stream.write(event: "phone", id: nil) { writer in
                writer.member("phone", phone.id)
                writer.objects("changed", phone.pushes) { writer, push in
                    writer.member("number", push)
                    writer.object("outcome", of: phones.record(of: push)?.outcome) { RecordForm.write($1, to: &$0) }
                }
                writer.member("cut", phone.isCut)
            }
        }
    }
}
