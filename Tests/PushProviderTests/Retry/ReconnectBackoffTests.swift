import PushTime
import Testing

@testable import PushProvider

@Suite struct ReconnectBackoffTests {
    private static let now = MonotonicTime(nanoseconds: 1_000_000_000)

    private static func pauses(_ count: Int, chance: Double) -> [Duration] {
        var backoff = ReconnectBackoff()
        return (1...count).map { _ in
            backoff.connectionEnded(.none, now: now, chance: chance)
            return now.duration(to: backoff.notBefore)
        }
    }

    @Test func `each connection without an answer doubles the pause, up to its longest`() {
        let milliseconds = Self.pauses(9, chance: 1).map { $0 / .milliseconds(1) }
        #expect(milliseconds.map { $0.rounded() } == [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000])
    }

    @Test func `chance takes at most half of a pause away`() {
        #expect(Self.pauses(2, chance: 0) == [.milliseconds(25), .milliseconds(50)])
    }

    @Test(arguments: [(ReconnectBackoff.ConnectionUse.little, [25, 50]), (.much, [0, 50])])
    func `answers end the growing, and chance spreads what comes after them`(
        use: ReconnectBackoff.ConnectionUse, milliseconds: [Int64]
    ) {
        let pauses = [0.0, 1.0].map { chance in
            var backoff = ReconnectBackoff()
            for _ in 1...5 { backoff.connectionEnded(.none, now: Self.now, chance: 1) }
            backoff.connectionEnded(use, now: Self.now, chance: chance)
            #expect(backoff.fruitless == 0)
            return Self.now.duration(to: backoff.notBefore)
        }
        #expect(pauses == milliseconds.map { .milliseconds($0) })
    }

    @Test func `a thousand failures do no harm`() {
        #expect(Self.pauses(1000, chance: 1).last == ReconnectBackoff.backoff.longest)
    }
}
