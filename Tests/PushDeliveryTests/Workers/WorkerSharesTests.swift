import PushProvider
import PushQueue
import Testing

@testable import PushDelivery

/// What a worker may rely on: single steps. ``WorkerFleetTests`` has the whole.
@Suite struct WorkerSharesTests {
    private static let times = HeartbeatTimes()
    private var shares = WorkerShares(name: "b", times: times)

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000).advanced(by: .seconds(seconds))
    }

    private func record(_ name: String, since: Int64 = 5, version: Int64 = 1) -> QueueServiceRecord {
        var heartbeat = WorkerHeartbeat(name: name, time: QueueTime(milliseconds: version))
        heartbeat.apps = ["shop": QueueTime(milliseconds: since)]
        return QueueServiceRecord(key: name, value: heartbeat.encoded, version: version)
    }

    /// This worker renews its record and looks, in no time.
    private mutating func round(_ seconds: Double, _ others: [QueueServiceRecord] = []) {
        _ = shares.renewing(["shop"], at: QueueTime(milliseconds: 10))
        shares.wasRenewed(began: at(seconds), at: at(seconds))
        _ = shares.saw(others, began: at(seconds), at: at(seconds))
    }

    private func standing(_ seconds: Double) -> WorkerStanding { shares.standing(of: "shop", at: at(seconds)) }

    @Test func `before the first look nothing is certain`() {
        #expect(standing(0) == .uncertain(WorkerPosition(), from: nil))
    }

    @Test mutating func `a worker that finds nobody is certain at once`() {
        round(0)
        #expect(standing(0) == .certain(WorkerPosition(), until: at(3)))
    }

    @Test mutating func `a worker that was alone stays certain when another one joins`() {
        round(0)
        round(1, [record("a", since: 20)])
        #expect(standing(1) == .certain(WorkerPosition(rank: 0, count: 2), until: at(4)))
    }

    @Test mutating func `a worker that finds others waits until they have seen it`() {
        round(0, [record("a")])
        let position = WorkerPosition(rank: 1, count: 2)
        #expect(standing(0) == .uncertain(position, from: at(3)))
        round(2.5, [record("a", version: 2)])
        #expect(standing(2.9) == .uncertain(position, from: at(3)))
        #expect(standing(3) == .certain(position, until: at(5.5)))
    }

    @Test mutating func `a worker relies on what it has read for three seconds`() {
        round(0)
        _ = shares.renewing(["shop"], at: QueueTime(milliseconds: 10))
        shares.wasRenewed(began: at(2), at: at(2))
        #expect(standing(2.9) == .certain(WorkerPosition(), until: at(3)))
        #expect(standing(3) == .uncertain(WorkerPosition(), from: nil))
    }

    @Test mutating func `a worker relies on its own record for three seconds`() {
        round(0)
        _ = shares.saw([], began: at(2), at: at(2))
        #expect(standing(3) == .uncertain(WorkerPosition(), from: nil))
        round(3.5)
        #expect(standing(3.5) == .certain(WorkerPosition(), until: at(6.5)))
    }

    @Test mutating func `a worker that was silent for too long joins again`() {
        round(0, [record("a")])
        round(3, [record("a", version: 2)])
        #expect(standing(3) == .certain(WorkerPosition(rank: 1, count: 2), until: at(6)))
        round(8, [record("a", version: 3)])
        #expect(standing(8) == .uncertain(WorkerPosition(rank: 1, count: 2), from: at(11)))
    }

    @Test mutating func `a worker is lost until another one replaces it, unless it ended by itself`() {
        round(0, [record("a"), record("old")])
        round(1, [record("a", version: 2), record("old")])
        #expect(shares.lost.isEmpty)
        // The old one had ended before this worker began.
        round(6.5, [record("a", version: 2), record("old")])
        #expect(shares.lost.map(\.heartbeat.name) == ["a"])
        round(7, [record("a", version: 2), record("c")])
        round(8, [record("a", version: 2), record("c", version: 2), record("d")])
        #expect(shares.lost.isEmpty)
        round(9, [record("c", version: 3)])
        #expect(shares.lost.isEmpty && shares.living.map(\.name) == ["c"])
    }

    @Test mutating func `a lost worker that comes back is not lost any more, although another one has left`() {
        round(0, [record("a"), record("b")])
        round(1, [record("a", version: 2), record("b", version: 2)])
        round(6, [record("a", version: 2), record("b", version: 3)])
        #expect(shares.lost.map(\.heartbeat.name) == ["a"])
        round(7, [record("a", version: 3)])
        #expect(shares.lost.isEmpty && shares.living.map(\.name) == ["a"])
    }

    @Test mutating func `a lost worker is remembered for an hour`() {
        round(0, [record("a")])
        round(1, [record("a", version: 2)])
        round(7, [record("a", version: 2)])
        round(70)
        #expect(shares.lost.map(\.heartbeat.name) == ["a"])
        round(3606)
        #expect(shares.lost.count == 1)
        round(3607)
        #expect(shares.lost.isEmpty)
    }

    @Test mutating func `a record that does not change is dead after five seconds, and forgotten after a minute`() {
        for second in stride(from: 0.0, to: 5, by: 1) { round(second, [record("a")]) }
        #expect(standing(4.5) == .certain(WorkerPosition(rank: 1, count: 2), until: at(7)))
        round(5, [record("a")])
        #expect(standing(5) == .certain(WorkerPosition(), until: at(8)))
        #expect(shares.living.isEmpty)
        #expect(shares.saw([record("a")], began: at(59), at: at(59)) == [])
        #expect(shares.saw([record("a")], began: at(60), at: at(60)) == [record("a")])
    }

    @Test mutating func `who has sent an app for longer comes first, then the name decides`() {
        round(0, [record("a", since: 11), record("c", since: 9), record("d", since: 10)])
        guard case .uncertain(let position, _) = standing(0) else { return #expect(Bool(false)) }
        #expect(position == WorkerPosition(rank: 1, count: 4))
    }

    @Test mutating func `an app that is left out of the record is not sent from then on, and is joined again later`() {
        round(0)
        _ = shares.renewing([], at: QueueTime(milliseconds: 20))
        #expect(standing(0) == .uncertain(WorkerPosition(), from: nil))
        round(1, [record("a")])
        #expect(standing(1) == .uncertain(WorkerPosition(rank: 1, count: 2), from: at(4)))
    }

    @Test mutating func `a damaged record counts for no app`() {
        round(0, [QueueServiceRecord(key: "a", value: [1, 2, 3], version: 1)])
        #expect(standing(0) == .certain(WorkerPosition(), until: at(3)))
    }

    @Test func `a record has what was put into it`() throws {
        var heartbeat = WorkerHeartbeat(name: "one", time: QueueTime(milliseconds: 7))
        heartbeat.version = "1.2.3"
        heartbeat.apps = ["shop": QueueTime(milliseconds: 3)]
        var status = AppStatus(name: "news", state: .refused)
        (status.reason, status.correction, status.credentials) = ("Why", .topic, .accepted)
        (status.isConnected, status.inFlight, status.certificateDaysLeft) = (true, 12, 30)
        heartbeat.statuses = [status, AppStatus(name: "shop", state: .running)]
        let read = WorkerHeartbeat(QueueServiceRecord(key: "one", value: heartbeat.encoded, version: 1))
        #expect(read == heartbeat)
    }

    @Test func `a record that would be too long has no statuses`() throws {
        var heartbeat = WorkerHeartbeat(name: "one", time: QueueTime(milliseconds: 7))
        var status = AppStatus(name: "news", state: .refused)
        status.reason = String(repeating: "x", count: QueueServiceRecord.longestValue)
        heartbeat.statuses = [status]
        #expect(heartbeat.encoded.count <= QueueServiceRecord.longestValue)
        let read = WorkerHeartbeat(QueueServiceRecord(key: "one", value: heartbeat.encoded, version: 1))
        #expect(read?.statuses.isEmpty == true)
    }
}
