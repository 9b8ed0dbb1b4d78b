internal import PushDelivery
import PushJSON
import PushPlatform
package import PushQueue
internal import PushTime

/// What Apple counts of an app in a day, for each push type. A record of the queue for each app and day: a day that is imported again is
/// replaced.
package struct DeliveryCounts: Equatable {
    /// The day in UTC, as `2026-11-27`.
    var day: String
    /// The counts of each push type, by their names: `delivered`, `stored`, `discarded`, and others that Apple adds.
    var types: [String: [String: Int]]

    static let kind = "delivery_counts"
    static let keptDays = 366
    static let secondsOfDay = Int64(86_400)
    /// The states that have a name in the metrics.
    static let states = ["delivered", "stored", "discarded"]
    /// The greatest count that is read. Many of them fit into an `Int`.
    private static let maximumCount = 1 << 50

    static func key(_ app: String, _ day: String) -> String { "\(app)/\(day)" }

    static func day(_ back: Int, before now: QueueTime) -> String {
        String((now + .seconds(-Int64(back) * secondsOfDay)).date.rfc3339.prefix(10))
    }

    /// The earliest first.
    static func all(
        of app: String, after day: String = "", atMost limit: Int = 1000, _ queue: any QueueBackend
    ) async throws(QueueError) -> [DeliveryCounts] {
        try await queue.records(kind: kind, after: key(app, day), limit: limit)
            .prefix { $0.key.hasPrefix(key(app, "")) }
            .map { DeliveryCounts(day: Self.day(ofKey: $0.key), types: types($0.value)) }
    }

    private static func day(ofKey key: String) -> String {
        key.lastIndex(of: "/").map { String(key[key.index(after: $0)...]) } ?? ""
    }

    /// The record, with which others can be stored.
    func record(of app: String) -> (kind: String, key: String, value: [UInt8]) {
        let value = PushJSONValue.object(types.mapValues(Self.value))
        return (Self.kind, Self.key(app, day), value.encoded)
    }

    /// Removes the days before the given one, of all apps.
    static func forget(before day: String, _ queue: any QueueBackend) async throws(QueueError) {
        var last: String?
        repeat {
            let page = try await queue.records(kind: kind, after: last, limit: 500)
            last = page.last?.key
            for record in page where self.day(ofKey: record.key) < day {
                _ = try await queue.removeRecord(kind: kind, key: record.key, ifVersion: nil)
            }
        } while last != nil
    }

    /// Forgets everything about an app. An import that runs stores nothing any more, because its state is gone.
    package static func forget(app: String, _ queue: any QueueBackend) async throws(QueueError) {
        _ = try await queue.removeRecord(kind: DeliveryImportState.kind, key: app, ifVersion: nil)
        var found: [DeliveryCounts]
        repeat {
            found = try await all(of: app, queue)
            for old in found { _ = try await queue.removeRecord(kind: kind, key: key(app, old.day), ifVersion: nil) }
        } while !found.isEmpty
    }

    private static func types(_ bytes: [UInt8]) -> [String: [String: Int]] {
        guard case .object(let types)? = PushJSONValue(json: bytes) else { return [:] }
        return types.mapValues(counts)
    }

    /// Reads counts. What is none is left out: a damaged one must not end the process in an addition.
    static func counts(_ value: PushJSONValue?) -> [String: Int] {
        guard case .object(let members)? = value else { return [:] }
        return members.compactMapValues {
            if case .integer(let count) = $0, (0...maximumCount).contains(count) { count } else { nil }
        }
    }

    static func value(_ counts: [String: Int]) -> PushJSONValue { .object(counts.mapValues(PushJSONValue.integer)) }

    static func sums(_ days: some Sequence<DeliveryCounts>) -> [String: Int] {
        var sums: [String: Int] = [:]
        for (state, count) in days.flatMap(\.types.values).joined() {
            sums[states.contains(state) ? state : "other", default: 0] += count
        }
        return sums
    }

    /// `nil` if Apple counted none.
    static func discardedShare(_ counts: [String: Int]) -> Double? {
        let all = counts.values.reduce(0, +)
        return all == 0 ? nil : Double(counts["discarded", default: 0]) / Double(all)
    }
}

/// How the imports of an app go. A record of the queue, so that one worker imports, and all show it.
struct DeliveryImportState {
    var due = QueueTime.earliest
    /// Until then, no import begins: a worker imports, or one has failed. If the worker dies, another one begins then.
    var busy = QueueTime.earliest
    /// When the last import that worked began; `nil` before the first one.
    var imported: QueueTime?
    /// Why the last import failed, in a sentence that says what to do; `nil` if it worked.
    var failure: String?
    /// How often it has failed since.
    var failures = 0
    /// The export that Apple is making, and when it was requested; `nil` if there is none. Whoever imports next looks whether it is ready.
    var export: (address: String, asked: QueueTime)?
    /// A digest of the token, the app, the team and the server that were used last. All workers see so which ones have been tried.
    var used: String?
    /// What Apple counted of the newest complete day, by state.
    var newest: [String: Int] = [:]
    /// What it counted of the days before.
    var earlier: [String: Int] = [:]

    static let kind = "delivery_import"

    init() {}

    /// Reads what ``encoded`` has written; a state before the first import if it is something else.
    init(_ bytes: [UInt8]) {
        guard let value = PushJSONValue(json: bytes) else { return }
        (due, busy) = (value["due"]?.time ?? due, value["busy"]?.time ?? busy)
        imported = value["imported"]?.time
        if case .string(let text)? = value["failure"] { failure = text }
        if case .integer(let count)? = value["failures"] { failures = min(max(count, 0), 1000) }
        if case .string(let address)? = value["export"], let asked = value["asked"]?.time { export = (address, asked) }
        if case .string(let text)? = value["used"] { used = text }
        (newest, earlier) = (DeliveryCounts.counts(value["newest"]), DeliveryCounts.counts(value["earlier"]))
    }

    var encoded: [UInt8] {
        PushJSONValue.members([
            ("due", .integer(Int(due.milliseconds))), ("busy", .integer(Int(busy.milliseconds))),
            ("imported", imported.map { .integer(Int($0.milliseconds)) }),
            ("failure", failure.map(PushJSONValue.string)), ("failures", .integer(failures)),
            ("export", export.map { .string($0.address) }),
            ("asked", export.map { .integer(Int($0.asked.milliseconds)) }), ("used", used.map(PushJSONValue.string)),
            ("newest", DeliveryCounts.value(newest)), ("earlier", DeliveryCounts.value(earlier)),
        ]).encoded
    }

    static func all(
        _ apps: ServedApps, _ queue: any QueueBackend
    ) async throws(QueueError) -> [String: DeliveryImportState] {
        let names = apps.settings().values.filter { $0.deliveryCounts != nil }.map(\.name)
        guard !names.isEmpty else { return [:] }
        let records = Dictionary(try await queue.records(kind: kind).map { ($0.key, $0.value) }) { first, _ in first }
        return Dictionary(names.map { ($0, DeliveryImportState(records[$0] ?? [])) }) { first, _ in first }
    }

    /// Whether ``newest`` is of these days.
    func isCurrent(_ now: QueueTime) -> Bool {
        imported.map { now - $0 < .seconds(3 * DeliveryCounts.secondsOfDay) } ?? false
    }

    /// As `GET /v1/status` shows it.
    var value: PushJSONValue {
        .members([
            ("imported_at", imported.map(JobAnswer.time)), ("failure", failure.map(PushJSONValue.string)),
            ("next_at", due == .earliest ? PushJSONValue?.none : JobAnswer.time(due)),
        ])
    }
}
