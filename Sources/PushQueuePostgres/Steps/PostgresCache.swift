import PushPlatform
import PushQueue

/// What a writer caches between transactions. Only the thread of its connection uses it.
final class PostgresCache {
    /// The row of the counters in which this writer counts.
    var slot: Int16?
    /// The numbers of apps. An app keeps its number for ever.
    var apps: [String: Int32] = [:]
    /// The speed windows of campaigns, in the row of this writer.
    var windows: [Int32: SpeedWindow] = [:]
    /// The reasons that are counted on their own.
    var reasons: [Int32: Set<CampaignStep.Outcome>] = [:]
    var rows = RowNumbers()
    private weak var connection: PostgresConnection?
    private var random = RandomNumberBuffer()
    private var bodies: [Int64: [UInt8]] = [:]
    private var bodyBytes = 0

    /// The greatest number of campaigns that are remembered.
    private static let most = 1000
    /// The maximum number of bytes of payloads that are remembered.
    private static let mostBytes = 16 << 20

    func randomNumber() -> UInt64 { random.next() }

    /// The id of a new job.
    func newID(due: QueueTime) -> UUID {
        id(row: rows.next(due: due.milliseconds, random: randomNumber()))
    }

    /// The ids of the jobs of a request, which grow for jobs that are due together. `nil` for a job that is refused.
    func newIDs(dues: [QueueTime?]) -> [UUID?] {
        var numbers = RequestNumbers(dues.compactMap(\.self)) { due, count in
            rows.next(due: due, count: count, random: randomNumber())
        }
        return dues.map { due in due.map { id(row: numbers.take($0)) } }
    }

    private func id(row: Int64) -> UUID {
        JobKey(row: row, tag: Int64(bitPattern: randomNumber() & JobKey.tagBits)).id
    }

    /// Remembers what a transaction has committed.
    func remember(_ changes: PostgresChanges) {
        apps.merge(changes.apps) { $1 }
        if windows.count + changes.windows.count > Self.most { windows.removeAll() }
        windows.merge(changes.windows) { $1 }
    }

    // MARK: Payloads

    /// The body of a payload that many jobs share; `nil` if it is not remembered. The number of a payload is not used again.
    func body(_ payload: Int64) -> [UInt8]? { bodies[payload] }

    func remember(_ body: [UInt8], as payload: Int64) {
        if bodyBytes + body.count > Self.mostBytes { forgetBodies() }
        bodies[payload] = body
        bodyBytes += body.count
    }

    /// Forgets the bodies of payloads, because some were erased.
    func forgetBodies() {
        (bodies, bodyBytes) = ([:], 0)
    }

    /// Whether it works with a connection already.
    func knows(_ connection: PostgresConnection) -> Bool { self.connection === connection }

    /// Begins to work with a new connection. All numbers are forgotten: a server that took over without the last transactions gives
    /// them to others.
    func begin(_ connection: PostgresConnection) {
        self.connection = connection
        apps.removeAll()
        forgetBodies()
        forgetUndone()
    }

    /// Forgets everything that is possibly not committed.
    func forgetUndone() {
        windows.removeAll()
        reasons.removeAll()
    }
}
