import TestSupport
import Testing

@testable import PushProvider

@Suite struct MonotonicTimeTests {
    @Test(arguments: [
        (Duration.seconds(30), UInt64(30_000_000_005)),
        (.milliseconds(1), 1_000_005),
        (.nanoseconds(1), 6),
        (.seconds(100 * 24 * 3600), 8_640_000_000_000_005),
        (.zero, 5),
        (.seconds(-1), 5),
        (.nanoseconds(-1), 5),
    ])
    func `a time advances by a duration and never goes back`(duration: Duration, nanoseconds: UInt64) {
        #expect(MonotonicTime(nanoseconds: 5).advanced(by: duration).nanoseconds == nanoseconds)
    }

    @Test func `what is beyond the clock's end never comes`() {
        let late = MonotonicTime(nanoseconds: .max - 10)
        #expect(late.advanced(by: .seconds(1)) == .never)
        #expect(MonotonicTime(nanoseconds: 1).advanced(by: .seconds(Int64.max)) == .never)
        #expect(MonotonicTime.never.advanced(by: .nanoseconds(1)) == .never)
    }

    @Test func `no time and no duration overflow`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let start = MonotonicTime(nanoseconds: .max >> UInt64.random(in: 0..<64, using: &generator))
            let seconds = Int64.max >> Int64.random(in: 0..<63, using: &generator)
            let later = start.advanced(by: .seconds(seconds) + .nanoseconds(Int64.random(in: 0..<9, using: &generator)))
            #expect(later >= start)
            #expect(start.duration(to: later) >= .zero)
        }
    }

    @Test func `the duration between two times is never negative`() {
        #expect(MonotonicTime.at(1).duration(to: .at(3)) == .seconds(2))
        #expect(MonotonicTime.at(3).duration(to: .at(1)) == .zero)
        #expect(MonotonicTime.at(3).duration(to: .at(3)) == .zero)
        #expect(MonotonicTime.at(0).duration(to: .never) == .nanoseconds(Int64.max))
    }

    @Test func `times are ordered`() {
        #expect(MonotonicTime.at(1) < .at(2))
        #expect([MonotonicTime.never, .at(2), .at(1)].min() == .at(1))
    }
}
