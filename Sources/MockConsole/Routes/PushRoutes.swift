import APNSVocabulary
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
import VirtualPhones

/// The requests that arrived: lists, single ones, waiting, deleting.
enum PushRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/pushes", query: ["q", "limit", "after", "order"], handler: list),
        ConsoleRoute(.delete, "/v1/pushes", handler: clear),
        ConsoleRoute(.get, "/v1/pushes/count", query: ["q"], handler: count),
        ConsoleRoute(.get, "/v1/pushes/summary", handler: summary),
        ConsoleRoute(.get, "/v1/pushes/latest", query: ["q"], handler: latest),
        ConsoleRoute(.post, "/v1/pushes/wait") { try await check($0, waits: true) },
        ConsoleRoute(.post, "/v1/pushes/assert") { try await check($0, waits: false) },
        ConsoleRoute(.get, "/v1/pushes/{number}", handler: one),
        ConsoleRoute(.delete, "/v1/pushes/{number}", handler: remove),
        ConsoleRoute(.get, "/v1/pushes/{number}/body", handler: body),
        ConsoleRoute(.get, "/v1/pushes/{number}/frames", handler: frames),
    ]

    // MARK: Reading

    @Sendable private static func list(_ request: ConsoleRequest) async throws -> Response {
        let search = try request.search()
        let limit = try request.pageLength()
        let order = try request.choice("order", ListOrder.self) ?? .oldest
        let after = try request.number("after", in: 0...Int.max)
        let mock = request.namespace.mock
        let phones = request.namespace.phones
        await phones.caughtUp()
        // Read before the requests: a reader that gets a number here also gets the requests up to it.
        let (total, dropped) = (mock.arrivalCount, mock.droppedThrough)
        let arrivals = mock.arrivals
        let candidates: [MockArrival] =
            switch order {
            case .oldest: arrivals.filter { $0.number > after ?? 0 }
            case .newest: arrivals.reversed().filter { $0.number < after ?? .max }
            }
        var found: [MockArrival] = []
        for arrival in candidates where search.matches(arrival, seenBy: phones) {
            found.append(arrival)
            if found.count > limit { break }
        }
        return .list(
            found, limit: limit, cursor: { String($0.number) },
            more: { writer in
                writer.member("total", total)
                writer.member("kept", arrivals.count)
                writer.member("dropped_through", dropped)
            }
        ) { request.namespace.write($1, to: &$0) }
    }

    @Sendable private static func count(_ request: ConsoleRequest) async throws -> Response {
        let search = try request.search()
        if search.concernsPhones { await request.namespace.phones.caughtUp() }
        let count = request.namespace.mock.arrivals(matching: search).count
        return .object { $0.member("count", count) }
    }

    /// How many pushes have each outcome, and how many arrived lately.
    @Sendable private static func summary(_ request: ConsoleRequest) async throws -> Response {
        let feed = request.namespace.phones
        let (counts, spans) = await feed.read { phones, now in (phones.counts, phones.tally.spans(until: now)) }
        // The outcomes count from the last reset or clearing of the log, and so does their sum.
        let total = max(0, request.namespace.mock.arrivalCount - feed.uncounted)
        return .object { writer in
            writer.object("counts") { writer in
                writer.member("all", total)
                for kind in PhoneOutcome.Kind.allCases {
                    writer.member(kind.rawValue, counts[kind, default: 0])
                }
            }
            writer.member("minutes") { writer in
                writer.array(spans) { writer, span in
                    writer.array([span.all, span.rejected]) { $0.integer($1) }
                }
            }
        }
    }

    @Sendable private static func latest(_ request: ConsoleRequest) async throws -> Response {
        let search = try request.search()
        let phones = request.namespace.phones
        await phones.caughtUp()
        guard let arrival = request.namespace.mock.arrivals.last(where: { search.matches($0, seenBy: phones) }) else {
            throw APIProblem.notFound(
                "No push in the log matches.", remedy: "POST /v1/pushes/wait waits for one.")
        }
        return whole(arrival, in: request.namespace)
    }

    @Sendable private static func one(_ request: ConsoleRequest) async throws -> Response {
        let arrival = try arrival(request)
        await request.namespace.phones.caughtUp()
        return whole(arrival, in: request.namespace)
    }

    @Sendable private static func body(_ request: ConsoleRequest) async throws -> Response {
        let arrival = try arrival(request)
        return Response(arrival.request.body, type: "application/octet-stream", fileName: "push-\(arrival.number).json")
    }

    @Sendable private static func frames(_ request: ConsoleRequest) async throws -> Response {
        let arrival = try arrival(request)
        guard let record = request.namespace.mock.connectionRecords.first(where: { $0.number == arrival.connection }),
            let stream = record.stream(arrival.streamID)
        else { throw APIProblem.notFound("The record of this stream is no longer kept.") }
        return .object { ConnectionForm.write(stream, to: &$0) }
    }

    private static func arrival(_ request: ConsoleRequest) throws(APIProblem) -> MockArrival {
        let number = try request.pathNumber("number")
        guard let arrival = request.namespace.mock.arrival(numbered: number) else {
            let total = request.namespace.mock.arrivalCount
            throw .notFound(
                number > total
                    ? "Push \(number) hasn't arrived: there were \(total)." : "Push \(number) is no longer in the log."
            )
        }
        return arrival
    }

    private static func whole(_ arrival: MockArrival, in namespace: MockNamespace) -> Response {
        let record = namespace.phones.record(of: arrival.number)
        return .object { writer in
            PushForm.write(arrival, to: &writer, record: record, remedy: namespace.mock.text(of:))
            PushForm.writeHeaders(arrival, to: &writer)
            if let record { RecordForm.writeDetails(of: record, below: namespace.path, to: &writer) }
        }
    }

    // MARK: Deleting

    @Sendable private static func clear(_ request: ConsoleRequest) async throws -> Response {
        await request.namespace.phones.caughtUp()
        request.namespace.mock.clearArrivals()
        request.namespace.phones.countAnew()
        return .noContent
    }

    @Sendable private static func remove(_ request: ConsoleRequest) async throws -> Response {
        let number = try arrival(request).number
        await request.namespace.phones.caughtUp()
        if request.namespace.mock.removeArrival(number) { request.namespace.phones.uncount(number) }
        return .noContent
    }

    // MARK: Waiting

    private static func check(_ request: ConsoleRequest, waits: Bool) async throws -> Response {
        let form = try request.form("query", "in_order", "at_least", "exactly", "none", "after", "within", "settle")
        let expectation = try expectation(form)
        let within = try form.duration("within", atMost: .seconds(3600)) ?? .seconds(10)
        let wait = waits ? within : .zero
        let mock = request.namespace.mock
        do {
            guard wait > .zero else {
                return try await answer(to: try await mock.decide(expectation, within: .zero), in: request.namespace)
            }
            let reservation = try request.answers.reserve(.wait)
            defer { withExtendedLifetime(reservation) {} }
            let result = try await request.waiting { try await mock.decide(expectation, within: wait) }
            return try await answer(to: result, in: request.namespace)
        } catch is MockWaitError {
            // The mock stops, or the caller no longer waits for the answer.
            throw CancellationError()
        }
    }

    private static func answer(
        to result: MockArrivalExpectation.Result, in namespace: MockNamespace
    ) async throws(APIProblem) -> Response {
        await namespace.phones.caughtUp()
        guard result.holds else {
            var writer = JSONWriter()
            writer.object { ExpectationForm.writeMembers(of: result, in: namespace, to: &$0) }
            throw APIProblem(
                status: .conflict, code: "expectation_failed", detail: result.explanation, moreText: writer.bytes)
        }
        return .object { writer in
            writer.member("detail", result.explanation)
            ExpectationForm.writeMembers(of: result, in: namespace, to: &writer)
        }
    }

    private static func expectation(_ form: FormReader) throws(APIProblem) -> MockArrivalExpectation {
        let after = try form.integer("after", in: 0...Int.max) ?? 0
        let least = try form.integer("at_least", in: 1...1_000_000)
        let exact = try form.integer("exactly", in: 0...1_000_000)
        let none = try form.bool("none") ?? false
        guard [least != nil, exact != nil, none].count(where: \.self) <= 1 else {
            throw .invalid("Give only one of at_least, exactly and none.", field: "")
        }
        if let texts = try form.strings("in_order") {
            guard form.value("query") == nil, least == nil, exact == nil, !none else {
                throw form.problem("in_order", "in_order can't be combined with query, at_least, exactly or none.")
            }
            guard (1...100).contains(texts.count) else {
                throw form.problem("in_order", "in_order needs 1 to 100 searches.")
            }
            var searches: [MockArrivalSearch] = []
            for (index, text) in texts.enumerated() {
                searches.append(try ConsoleRequest.search(text, field: "/in_order/\(index)"))
            }
            return MockArrivalExpectation(inOrder: searches, after: after)
        }
        let search = try ConsoleRequest.search(
            try form.string("query") ?? "", field: "/query", at: form.value("query")?.position)
        let amount: MockArrivalExpectation.Amount =
            none ? .exactly(0) : exact.map { .exactly($0) } ?? .atLeast(least ?? 1)
        let settle = try form.duration("settle", atMost: .seconds(600))
        return MockArrivalExpectation(amount, of: search, after: after, settlingTime: settle ?? .milliseconds(500))
    }
}
