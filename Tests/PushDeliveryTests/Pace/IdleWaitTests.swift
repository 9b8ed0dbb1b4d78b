import PushQueue
import Testing

@testable import PushDelivery

struct IdleWaitTests {
    private static let now = QueueTime(milliseconds: 1_800_000_000_000)

    @Test func `the engine waits until the next job is due`() {
        var idle = IdleWait()
        #expect(idle.wait(due: nil, now: Self.now, longest: .seconds(5)) == .seconds(5))
        #expect(idle.wait(due: Self.now + .seconds(2), now: Self.now, longest: .seconds(5)) == .seconds(2))
        #expect(idle.wait(due: Self.now + .seconds(60), now: Self.now, longest: .seconds(5)) == .seconds(5))
    }

    @Test func `a job that is due and cannot be claimed does not keep the engine busy`() {
        var idle = IdleWait()
        let waits = (0..<12).map { _ in idle.wait(due: Self.now, now: Self.now, longest: .seconds(5)) }
        #expect(waits.first == .milliseconds(5))
        #expect(waits.last == .seconds(5))
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
        // A job that becomes due later is not late for it.
        #expect(idle.wait(due: Self.now + .milliseconds(20), now: Self.now, longest: .seconds(5)) == .milliseconds(20))
        #expect(idle.wait(due: Self.now, now: Self.now, longest: .seconds(5)) == .milliseconds(5))
    }
}
