internal import Hummingbird
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushProvider
import PushQueue

/// What this service had accepted, beside what Apple counts.
enum DeliveryRoutes {
    static let all = [ServiceRoute(.get, "/v1/delivery", .read, query: ["app", "days"], handler: list)]

    private static let defaultDays = 30
    /// How much of the memory for an answer a day takes, in entries.
    private static let entriesOfDay = 8
    /// How many days of tallies are read at a time: there are 24 a day for each push type and reason.
    private static let daysAtOnce = 31

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        let (app, queue) = (try request.appName(), request.parts.queue)
        let days = try request.number("days", in: 1...DeliveryCounts.keptDays) ?? defaultDays
        try request.hold(entries: days * entriesOfDay)
        let now = try await queue.now()
        let before = DeliveryCounts.day(days, before: now)
        let counts = try await DeliveryCounts.all(of: app, after: before, atMost: days, queue)
        let accepted = try await accepted(app, days: days, now, queue)
        let state = try await DeliveryImportState.all(request.parts.apps, queue)[app]
        let ofApple = Dictionary(counts.map { ($0.day, $0.types) }) { first, _ in first }
        let comparison = Comparison(app, request.parts.apps.settings())
        let items = Set(ofApple.keys).union(accepted.keys).sorted(by: >).flatMap { day in
            Self.items(day, accepted[day] ?? [:], ofApple[day], comparison)
        }
        return Response(
            json: .members([("app", .string(app)), ("import", state?.value), ("items", .array(items))]))
    }

    private static func accepted(
        _ app: String, days: Int, _ now: QueueTime, _ queue: any QueueBackend
    ) async throws(QueueError) -> [String: [String: Int]] {
        let day = Duration.seconds(DeliveryCounts.secondsOfDay)
        let today = QueueTime(milliseconds: now.milliseconds - now.milliseconds % day.wholeMilliseconds)
        var accepted: [String: [String: Int]] = [:]
        for back in stride(from: days - 1, through: 0, by: -daysAtOnce) {
            let since = today + day * -back
            let tallies = try await queue.tallies(of: [app], .hour, since: since, until: since + day * daysAtOnce)
            for tally in tallies where tally.kind == .accepted {
                let before = accepted[DeliveryCounts.day(0, before: tally.begin)]?[tally.reason] ?? 0
                accepted[DeliveryCounts.day(0, before: tally.begin), default: [:]][tally.reason] = before &+ tally.count
            }
        }
        return accepted
    }

    /// The items of a day: one for each push type that Apple or the service has counted. Broadcasts are not among Apple's counts.
    private static func items(
        _ day: String, _ accepted: [String: Int], _ apple: [String: [String: Int]]?, _ comparison: Comparison
    ) -> [PushJSONValue] {
        // An earlier version did not count the push types.
        let isTyped = accepted[""] == nil
        let types = Set((apple ?? [:]).keys).union(accepted.keys).subtracting(["broadcast", ""])
        return types.sorted().map { type in
            let (own, counts) = (isTyped ? accepted[type, default: 0] : nil, apple?[type])
            let sum = comparison.isOfSandbox ? nil : counts.map { $0.values.reduce(0, +) }
            return .members([
                ("day", .string(day)), ("push_type", .string(type)), ("accepted", own.map(PushJSONValue.integer)),
                ("counts", counts.map(DeliveryCounts.value)),
                ("difference", sum.flatMap { sum in own.map { .integer(sum &- $0) } }),
                ("explanation", .string(comparison.explanation(own, counts, isCounted: apple != nil))),
            ])
        }
    }
}

/// What is known of an app that its counts are compared with.
private struct Comparison {
    /// Whether the pushes go to Apple's sandbox, which Apple does not count.
    let isOfSandbox: Bool
    /// Whether other apps of the service send to the same bundle id. Their names are not for every key.
    private let isShared: Bool
    /// Whether pushes may go to other bundle ids, too.
    private let isWide: Bool

    init(_ name: String, _ apps: [String: AppSettings]) {
        let app = apps[name]
        isOfSandbox = app?.environment.appleService == .sandbox
        isWide = app?.deliveryCounts.map { app?.mayPush(besides: $0.bundleID) == true } ?? false
        let bundleID = app?.deliveryCounts?.bundleID
        isShared = apps.values.contains { other in
            other.name != name && other.environment == app?.environment
                && bundleID.map(other.pushes) == true
        }
    }

    /// Why Apple's counts are not those of this service, as far as it can be known.
    func explanation(_ own: Int?, _ counts: [String: Int]?, isCounted: Bool) -> String {
        if isOfSandbox {
            return
                "The app sends to the sandbox. Apple counts pushes to production only, so the two cannot be compared."
        }
        guard let counts else {
            return isCounted
                ? "Apple's counts of the day don't have this push type. Apple rounds, and can leave out few pushes."
                : "Apple's counts of the day weren't imported. They come no earlier than the next day."
        }
        guard let own else {
            return "The version of the service that ran on this day didn't count its pushes by push type."
        }
        let others = isShared ? "your team's other senders and other apps of this service" : "your team's other senders"
        let all = counts.values.reduce(0, +)
        // A stored push that is delivered later is counted twice.
        let surely = all - counts["stored", default: 0]
        if surely > own {
            return
                "Apple counts \(surely &- own) more: pushes of \(others), and stored ones of earlier days. Apple rounds its counts."
        }
        if all < own {
            let more = isWide ? " Pushes of the app to another bundle id are not in its counts." : ""
            return """
                Apple counts \(own &- all) fewer: it rounds its counts, and a push near midnight can count for the next day.\(more)
                """
        }
        return "Apple's counts fit. They would include pushes of \(others)."
    }
}
