internal import Hummingbird
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// What this service had accepted, beside what Apple counts.
enum DeliveryRoutes {
    static let all = [ServiceRoute(.get, "/v1/delivery", .read, query: ["app", "days"], handler: list)]

    private static let usualDays = 30
    /// How much of the memory for an answer a day takes, in entries: its tallies are 24 for each push type.
    private static let entriesOfDay = 8

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        let (app, queue) = (try request.appName(), request.parts.queue)
        let days = try request.number("days", in: 1...DeliveryCounts.keptDays) ?? usualDays
        try request.hold(entries: days * entriesOfDay)
        let now = try await queue.now()
        let first = DeliveryCounts.day(days - 1, before: now)
        let counts = try await DeliveryCounts.all(of: app, since: first, queue)
        let since = QueueTime(milliseconds: now.milliseconds - now.milliseconds % (DeliveryCounts.secondsOfDay * 1000))
        let tallies = try await queue.tallies(
            of: [app], .hour, since: since + .seconds(-Int64(days - 1) * DeliveryCounts.secondsOfDay))
        var accepted: [String: [String: Int]] = [:]
        for tally in tallies where tally.kind == .accepted {
            accepted[DeliveryCounts.day(0, before: tally.begin), default: [:]][tally.reason, default: 0] += tally.count
        }
        let state = try await DeliveryImportState.of(app, in: request.parts.apps, queue)
        let ofApple = Dictionary(counts.map { ($0.day, $0.types) }) { first, _ in first }
        let items = Set(ofApple.keys).union(accepted.keys).sorted(by: >).flatMap { day in
            Self.items(day, accepted[day] ?? [:], ofApple[day])
        }
        return Response(
            json: .members([("app", .string(app)), ("import", state?.value), ("items", .array(items))]))
    }

    /// The items of a day: one for each push type that Apple or the service has counted. Broadcasts are not among Apple's counts.
    private static func items(
        _ day: String, _ accepted: [String: Int], _ apple: [String: [String: Int]]?
    ) -> [PushJSONValue] {
        // An earlier version did not count the push types.
        let isTyped = accepted[""] == nil
        let types = Set((apple ?? [:]).keys).union(accepted.keys).subtracting(["broadcast", ""])
        return types.sorted().map { type in
            let (own, counts) = (isTyped ? accepted[type, default: 0] : nil, apple?[type])
            let sum = counts.map { $0.values.reduce(0, +) }
            return .members([
                ("day", .string(day)), ("push_type", .string(type)), ("accepted", own.map(PushJSONValue.integer)),
                ("counts", counts.map { .object($0.mapValues(PushJSONValue.integer)) }),
                ("difference", sum.flatMap { sum in own.map { .integer(sum - $0) } }),
                ("explanation", .string(explanation(own, counts, isCounted: apple != nil))),
            ])
        }
    }

    /// Why Apple's counts are not those of this service, as far as it can be known.
    private static func explanation(_ own: Int?, _ counts: [String: Int]?, isCounted: Bool) -> String {
        guard let counts else {
            return isCounted
                ? "Apple's counts of the day don't have this push type. Apple rounds, and can leave out few pushes."
                : "Apple's counts of the day weren't imported. They come no earlier than the next day."
        }
        guard let own else {
            return "The version of the service that ran on this day didn't count its pushes by push type."
        }
        let all = counts.values.reduce(0, +)
        // A stored push that is delivered later is counted twice.
        let surely = all - counts["stored", default: 0]
        if surely > own {
            return """
                Apple counts \(surely - own) more: pushes of your team's other senders, and stored ones of earlier days. Apple rounds its counts.
                """
        }
        if all < own {
            return """
                Apple counts \(own - all) fewer: it rounds its counts, and a push near midnight can count for the next day.
                """
        }
        return "Apple's counts fit. They would include pushes of your team's other senders."
    }
}
