import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider

/// What holds lines back.
struct BatchGateTests {
    /// Whether more lines may be read now, or nothing is left to do.
    private static func mayRead(_ gate: BatchGate, _ count: Int) async -> Bool {
        if case .read = await gate.next(count, isAtEnd: false) { true } else { false }
    }

    @Test func `no more are marked than the window, until some have their outcomes`() async {
        let gate = BatchGate(window: 10)
        #expect(await Self.mayRead(gate, 4))
        gate.marked(4, bytes: 0, releasable: [0, 1, 2, 3])
        gate.marked(4, bytes: 0, releasable: [4, 5, 6, 7])
        let waiting = Task { await Self.mayRead(gate, 4) }
        gate.concluded(2, bytes: 0)
        #expect(await waiting.value)
    }

    @Test func `however few lines there are, their bytes are bounded`() async {
        let gate = BatchGate(window: 1000)
        gate.marked(1, bytes: 15 << 20, releasable: [0])
        #expect(await Self.mayRead(gate, 1))
        gate.marked(1, bytes: 2 << 20, releasable: [1])
        let hasRoom = Watched(false)
        let waiting = Task {
            let room = await Self.mayRead(gate, 1)
            hasRoom.change { $0 = true }
            return room
        }
        for _ in 0..<1000 { await Task.yield() }
        #expect(!hasRoom.value)
        gate.concluded(1, bytes: 2 << 20)
        #expect(await waiting.value)
    }

    @Test func `more than the window goes when nothing else is under way`() async {
        let gate = BatchGate(window: 2)
        #expect(await Self.mayRead(gate, 500))
    }

    @Test func `a stop wakes who waits, and gives back what was not handed on`() async {
        let gate = BatchGate(window: 3)
        gate.marked(3, bytes: 0, releasable: [0, 1, 2])
        #expect(gate.give(0) == .granted)
        let waiting = Task { await Self.mayRead(gate, 1) }
        gate.stop(BatchStop(.asked, "Enough."))
        gate.stop(BatchStop(.time, "Later."))
        #expect(await !waiting.value)
        #expect(gate.give(1) == .refused)
        #expect(gate.leftovers() == [1, 2])
        #expect(gate.stopped?.code == .asked)
    }

    @Test func `a line that comes back is sent again at its time, also when the input is at its end`() async throws {
        let now = Watched(MonotonicTime(nanoseconds: 0))
        let gate = BatchGate(window: 10, clock: { now.value })
        gate.marked(1, bytes: 0, releasable: [0])
        #expect(gate.give(0) == .granted)
        let line = try PushNotification.sample()
        #expect(gate.putBack(line, after: BatchGate.Pause(time: .seconds(5))))
        now.change { $0 = $0.advanced(by: .seconds(5)) }
        guard case .sendAgain(let lines) = await gate.next(4, isAtEnd: true) else {
            Issue.record("Nothing is sent again.")
            return
        }
        #expect(lines.count == 1)
        gate.concluded(1, bytes: 0)
        guard case .end = await gate.next(4, isAtEnd: true) else {
            Issue.record("It does not end.")
            return
        }
    }

    enum Change: CaseIterable {
        case putBack, concluded, answered, stopped, cancelled

        func make(_ gate: BatchGate) throws {
            switch self {
            case .putBack: _ = gate.putBack(try .sample(), after: BatchGate.Pause(time: .seconds(5)))
            case .concluded: gate.concluded(1, bytes: 0)
            case .answered:
                _ = gate.concluded([.answered])
                gate.concluded(0, bytes: 0)
            case .stopped: gate.stop(BatchStop(.asked, "Enough."))
            case .cancelled: gate.cancelReading()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: Change.allCases, [false, true])
    func `a change between the look and the wait ends the wait`(change: Change, hasAlarm: Bool) async throws {
        let gate = BatchGate(window: 10, clock: { MonotonicTime(nanoseconds: 0) })
        gate.marked(3, bytes: 0, releasable: [0, 1, 2])
        for index in 0..<3 { #expect(gate.give(index) == .granted) }
        if hasAlarm {
            _ = gate.putBack(try .sample(), after: BatchGate.Pause(time: .seconds(900)))
            // Its wake-up ends this wait. Below, only the change can end one.
            await gate.waitForChange(until: nil)
        }
        guard case .wait(let due) = gate.look(4, isAtEnd: true) else {
            Issue.record("There is something to do.")
            return
        }
        #expect((due != nil) == hasAlarm)
        try change.make(gate)
        await gate.waitForChange(until: due)
    }

    @Test func `nothing is taken back after a stop`() throws {
        let gate = BatchGate(window: 10)
        gate.stop(BatchStop(.asked, "Enough."))
        let line = try PushNotification.sample()
        #expect(!gate.putBack(line, after: BatchGate.Pause(time: .zero)))
    }

    @Test func `the pace is even, and a pause is not made up for by a flood`() {
        var pace = RatePace(perSecond: 1000)
        let first = (0..<4).map { _ in pace.wait(now: 0) }
        #expect(first == [0, 1_000_000, 2_000_000, 3_000_000])
        let due = pace.wait(now: 4_000_000)
        #expect(due == 0)
        let late: Int64 = 60_000_000_000
        let waits = (0..<100).map { _ in pace.wait(now: late) }
        #expect(waits.count { $0 == 0 } <= 51)
        #expect(waits.last.map { $0 > 40_000_000 } == true)
    }

    @Test func `a token is seen once, whatever its case and length`() throws {
        var seen = SeenTokens()
        let usual = DeviceToken.sampleHex
        let tokens = [usual, usual.uppercased(), String(usual.reversed()), "00aa", "00AA"]
        let isNew = try tokens.map { seen.insert(try DeviceToken($0)) }
        #expect(isNew == [true, false, true, true, false])
    }

    @Test func `the ids of a campaign's lines are all different, and the same each time`() {
        let campaign = CampaignID(bits: 7)
        let ids = (0..<10_000).map(campaign.requestID)
        #expect(Set(ids).count == ids.count)
        #expect(CampaignID(bits: 7).requestID(77) == ids[77])
        #expect(CampaignID(bits: 8).requestID(77) != ids[77])
        #expect(RequestID(ids[5].uuid) == ids[5])
    }
}
