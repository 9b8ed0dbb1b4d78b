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
    /// How many days are kept.
    static let keptDays = 366
    static let secondsOfDay = Int64(86_400)

    static func key(_ app: String, _ day: String) -> String { "\(app)/\(day)" }

    /// The name of a day, a number of days before a time.
    static func day(_ back: Int, before now: QueueTime) -> String {
        String((now + .seconds(-Int64(back) * secondsOfDay)).date.rfc3339.prefix(10))
    }

    /// The counts of an app, the earliest first.
    static func all(
        of app: String, since day: String, _ queue: any QueueBackend
    ) async throws(QueueError) -> [DeliveryCounts] {
        try await queue.records(kind: kind, after: key(app, ""), limit: 1000)
            .prefix { $0.key.hasPrefix(key(app, "")) }
            .compactMap { record in
                let name = String(record.key.dropFirst(app.utf8.count + 1))
                return name < day ? nil : DeliveryCounts(day: name, types: types(record.value))
            }
    }

    /// Stores the counts of a day in place of those that are there.
    func store(_ app: String, _ queue: any QueueBackend) async throws(QueueError) {
        let value = PushJSONValue.object(types.mapValues { .object($0.mapValues(PushJSONValue.integer)) })
        _ = try await queue.store(value.encoded, kind: Self.kind, key: Self.key(app, day), ifVersion: nil)
    }

    /// Removes days that are no longer kept.
    static func forget(app: String, before day: String, _ queue: any QueueBackend) async throws(QueueError) {
        for old in try await all(of: app, since: "", queue) where old.day < day {
            _ = try await queue.removeRecord(kind: kind, key: key(app, old.day), ifVersion: nil)
        }
    }

    /// Forgets everything about an app.
    package static func forget(app: String, _ queue: any QueueBackend) async throws(QueueError) {
        try await forget(app: app, before: "9", queue)
        _ = try await queue.removeRecord(kind: DeliveryImportState.kind, key: app, ifVersion: nil)
    }

    private static func types(_ bytes: [UInt8]) -> [String: [String: Int]] {
        guard case .object(let types)? = PushJSONValue(json: bytes) else { return [:] }
        return types.mapValues { counts in
            guard case .object(let members) = counts else { return [:] }
            return members.compactMapValues { if case .integer(let count) = $0 { count } else { nil } }
        }
    }

    /// The part of the pushes that Apple discarded; `nil` if it counted none.
    static func discardedShare(_ days: some Sequence<DeliveryCounts>) -> Double? {
        let counts = days.flatMap(\.types.values)
        let all = counts.reduce(0) { $0 + $1.values.reduce(0, +) }
        return all == 0 ? nil : Double(counts.reduce(0) { $0 + $1["discarded", default: 0] }) / Double(all)
    }
}

/// How the imports of an app go. A record of the queue, so that one worker imports, and all show it.
struct DeliveryImportState: Equatable {
    /// When the next import begins. A worker that imports moves it, so that no other one begins.
    var due = QueueTime.earliest
    /// When the last import that worked began; `nil` before the first one.
    var imported: QueueTime?
    /// Why the last import failed, in a sentence that says what to do; `nil` if it worked.
    var failure: String?
    /// How often it has failed since.
    var failures = 0

    static let kind = "delivery_import"

    init() {}

    /// Reads what ``encoded`` has written; a state before the first import if it is something else.
    init(_ bytes: [UInt8]) {
        guard let value = PushJSONValue(json: bytes) else { return }
        due = value["due"]?.time ?? due
        imported = value["imported"]?.time
        if case .string(let text)? = value["failure"] { failure = text }
        if case .integer(let count)? = value["failures"] { failures = min(max(count, 0), 1000) }
    }

    var encoded: [UInt8] {
        PushJSONValue.members([
            ("due", .integer(Int(due.milliseconds))), ("imported", imported.map { .integer(Int($0.milliseconds)) }),
            ("failure", failure.map(PushJSONValue.string)), ("failures", .integer(failures)),
        ]).encoded
    }

    /// How the imports of an app go; `nil` if its counts are not imported.
    static func of(
        _ app: String, in apps: ServedApps, _ queue: any QueueBackend
    ) async throws(QueueError) -> DeliveryImportState? {
        guard apps[app]?.deliveryCounts != nil else { return nil }
        return DeliveryImportState(try await queue.record(kind: kind, key: app)?.value ?? [])
    }

    /// As `GET /v1/status` shows it.
    var value: PushJSONValue {
        .members([
            ("imported_at", imported.map(JobAnswer.time)), ("failure", failure.map(PushJSONValue.string)),
            ("next_at", due == .earliest ? nil : JobAnswer.time(due)),
        ])
    }
}
