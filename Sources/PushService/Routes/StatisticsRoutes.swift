internal import Hummingbird
import PushHTTP
import PushJSON
internal import PushPlatform
import PushQueue
import PushTime

/// Outcomes that are counted when they are stored, so that nothing is counted for an answer.
enum StatisticsRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/statistics", .read, query: ["app", "since", "by"], handler: answer)
    ]

    private enum Grouping: String, CaseIterable {
        case reason
        case app
        case minute
    }

    /// Counts of a longer time are those of hours, so that an answer adds up few of them.
    private static let longestInMinutes = Duration.seconds(3 * 3600)
    private static let longestByMinute = Duration.seconds(86_400)
    /// How many spans are read at a time: each has up to some hundred counts.
    private static let spansAtOnce = 168
    /// How much of the memory for an answer these counts and their sums take, in entries.
    private static let entries = 500

    @Sendable private static func answer(_ request: APIRequest) async throws -> Response {
        let apps = try request.askedApps()
        let grouping = try request.choice("by", Grouping.self) ?? .reason
        let now = try await request.parts.queue.now()
        let asked = try request.time("since") ?? now + .seconds(-3600)
        if grouping == .minute, now - asked > longestByMinute + .seconds(60) {
            throw APIProblem.invalid(
                "With by=minute, since can be at most a day ago.", field: "since", remedy: "Use by=reason or by=app.")
        }
        let span: QueueTallySpan = grouping == .minute || now - asked <= longestInMinutes ? .minute : .hour
        let since = span.begin(of: asked)
        try request.hold(entries: entries)
        let kept = span.begin(of: max(since, now + span.kept * -1))
        let tallies = try await sums(of: apps, span, since: kept, until: now, grouping, request.parts.queue)
        let items =
            switch grouping {
            case .reason: byReason(tallies)
            case .app: by(tallies, \.app).sorted { $0.total > $1.total }.map { $0.value([("app", .string($0.key))]) }
            case .minute:
                by(tallies, \.begin).sorted { $0.key < $1.key }.map { $0.value([("at", JobAnswer.time($0.key))]) }
            }
        return Response(
            json: [
                "since": JobAnswer.time(since), "now": JobAnswer.time(now), "by": .string(grouping.rawValue),
                "items": .array(items),
            ])
    }

    /// The counts from a time to another one, added up where the grouping does not tell them apart.
    private static func sums(
        of apps: [String], _ span: QueueTallySpan, since: QueueTime, until now: QueueTime, _ grouping: Grouping,
        _ queue: any QueueBackend
    ) async throws(QueueError) -> [QueueTally] {
        var sums: [QueueTally: Int] = [:]
        let step = Duration.milliseconds(span.rawValue * max(24, spansAtOnce * 4 / max(4, apps.count)))
        var begin = since
        while begin <= now, !Task.isCancelled {
            for var tally in try await queue.tallies(of: apps, span, since: begin, until: begin + step) {
                let count = tally.count
                tally.count = 0
                if grouping != .app { tally.app = "" }
                if grouping != .minute { tally.begin = since }
                if grouping != .reason { tally.reason = "" }
                sums[tally, default: 0] += count
            }
            begin = begin + step
        }
        return sums.map { tally, count in
            var sum = tally
            sum.count = count
            return sum
        }
    }

    private struct Reason: Hashable {
        var kind: QueueJobOutcome.Kind
        var reason: String
    }

    private static func byReason(_ tallies: [QueueTally]) -> [PushJSONValue] {
        var counts: [Reason: Int] = [:]
        for tally in tallies {
            // Of accepted pushes, it is the push type.
            let reason = tally.kind == .accepted ? "" : tally.reason
            counts[Reason(kind: tally.kind, reason: reason), default: 0] += tally.count
        }
        let sorted = counts.sorted {
            ($1.value, $0.key.kind.rawValue, $0.key.reason) < ($0.value, $1.key.kind.rawValue, $1.key.reason)
        }
        return sorted.map { key, count in
            .members([
                ("kind", .string(key.kind.name)), ("reason", key.reason.isEmpty ? nil : .string(key.reason)),
                ("count", .integer(count)),
            ])
        }
    }

    private struct Counted<Key> {
        var key: Key
        var counts: [QueueJobOutcome.Kind: Int] = [:]

        var total: Int { counts.values.reduce(0, +) }

        func value(_ members: [(String, PushJSONValue?)]) -> PushJSONValue {
            .members(members + QueueJobOutcome.Kind.allCases.map { ($0.name, .integer(counts[$0, default: 0])) })
        }
    }

    private static func by<Key: Hashable>(
        _ tallies: [QueueTally], _ path: KeyPath<QueueTally, Key>
    ) -> [Counted<Key>] {
        var groups: [Key: Counted<Key>] = [:]
        for tally in tallies {
            let key = tally[keyPath: path]
            groups[key, default: Counted(key: key)].counts[tally.kind, default: 0] += tally.count
        }
        return Array(groups.values)
    }
}

extension APIRequest {
    func time(_ name: String) throws(APIProblem) -> QueueTime? {
        guard let text = query[name] else { return nil }
        return try rethrowing(QueueTime(milliseconds: try TimeText.millisecondsSince1970(text, in: name))) {
            (error: TimeText.Mistake) in
            APIProblem.invalid(error.problem, field: name, remedy: error.advice)
        }
    }
}
