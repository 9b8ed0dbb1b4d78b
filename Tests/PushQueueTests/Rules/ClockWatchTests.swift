import NIOConcurrencyHelpers
import PushPlatform
import Testing

@testable import PushQueue

struct ClockWatchTests {
    private let noon = QueueTime(milliseconds: 1_000_000)
    private let start = SteadyTime(milliseconds: 1_000_000)

    private func sample(_ wall: Duration, _ uptime: Duration, boot: String = "a") -> ClockSample {
        ClockSample(wall: noon + wall, uptime: .seconds(10) + uptime, boot: boot)
    }

    /// A watch that has seen noon, after the machine had run for 10 seconds.
    private func watch() -> ClockWatch {
        var watch = ClockWatch(boot: "", base: 0, seen: SteadyTime(milliseconds: 0), shift: 0)
        #expect(watch.tick(sample(.zero, .zero)) == ClockWatch.Tick(now: start, action: .note))
        return watch
    }

    private func tick(
        _ watch: inout ClockWatch, _ wall: Duration, _ uptime: Duration, boot: String = "a"
    ) -> (Duration, ClockWatch.Action) {
        let tick = watch.tick(sample(wall, uptime, boot: boot))
        return (.milliseconds(tick.now.milliseconds - start.milliseconds), tick.action)
    }

    @Test func `a new queue begins with the wall clock`() {
        #expect(watch() == ClockWatch(boot: "a", base: 990_000, seen: start, shift: 0))
    }

    @Test func `time that goes by is noted now and then`() {
        var watch = watch()
        #expect(tick(&watch, .milliseconds(999), .milliseconds(999)) == (.milliseconds(999), .nothing))
        #expect(watch.seen == start)
        #expect(tick(&watch, .milliseconds(1000), .milliseconds(1000)) == (.seconds(1), .note))
        #expect(watch.seen == start + .seconds(1))
    }

    @Test func `a jump in either direction is corrected for once, and the steady clock does not see it`() {
        for jump in [Duration.seconds(3600), .seconds(-60), .milliseconds(2001), .milliseconds(-2001)] {
            var watch = watch()
            #expect(tick(&watch, .seconds(1) + jump, .seconds(1)) == (.seconds(1), .move(jump)))
            #expect(tick(&watch, .seconds(1) + jump, .seconds(1)) == (.seconds(1), .nothing))
            #expect(tick(&watch, .seconds(4) + jump, .seconds(4)) == (.seconds(4), .note))
            #expect(tick(&watch, .seconds(4), .seconds(4)) == (.seconds(4), .move(.zero - jump)))
        }
    }

    @Test func `small jumps are left alone until they add up`() {
        var watch = watch()
        #expect(tick(&watch, .seconds(2), .zero) == (.zero, .nothing))
        #expect(tick(&watch, .seconds(-2), .zero) == (.zero, .nothing))
        #expect(tick(&watch, .milliseconds(2500), .zero) == (.zero, .move(.milliseconds(2500))))
    }

    @Test func `after a start of the machine, the wall clock says how long it was off`() {
        var watch = watch()
        #expect(tick(&watch, .seconds(600), .seconds(-8), boot: "b") == (.seconds(600), .note))
        #expect(tick(&watch, .seconds(601), .seconds(-7), boot: "b") == (.seconds(601), .note))
        #expect(tick(&watch, .seconds(602), .seconds(10), boot: "b") == (.seconds(618), .move(.seconds(-16))))
    }

    @Test func `a wall clock that went back while the machine was off does not stop the steady clock`() {
        var watch = watch()
        #expect(tick(&watch, .seconds(-500), .seconds(-8), boot: "b") == (.zero, .move(.seconds(-500))))
        #expect(tick(&watch, .seconds(-470), .seconds(22), boot: "b") == (.seconds(30), .note))
        // The time of the network comes late.
        #expect(tick(&watch, .seconds(60), .seconds(22), boot: "b") == (.seconds(30), .move(.seconds(530))))
    }

    @Test func `an uptime that went back is another start, even if its name is the same`() {
        var watch = watch()
        #expect(tick(&watch, .seconds(600), .seconds(-8)) == (.seconds(600), .note))
    }

    @Test func `clocks are read again if the thread was interrupted between them`() {
        let uptimes = NIOLockedValueBox<[Duration]>([.seconds(1), .seconds(9), .seconds(9), .seconds(9)])
        let walls = NIOLockedValueBox<[QueueTime]>([noon, noon + .seconds(8)])
        var options = QueueOptions()
        options.uptime = { uptimes.withLockedValue { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        options.clock = { walls.withLockedValue { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        options.boot = "a"
        let expected = ClockSample(wall: noon + .seconds(8), uptime: .seconds(9), boot: "a")
        #expect(ClockSample(options) == expected)
    }

    @Test func `the uptime of the machine only grows, and its start has a name`() {
        let first = MachineClock.uptime()
        #expect(first > .zero && MachineClock.uptime() >= first)
        #if os(Linux)
            #expect(MachineClock.boot.contains("time:["))
            #expect(MachineClock.boot.utf8.count > 36)
        #endif
    }
}

struct SteadyTimeTests {
    @Test func `a steady time never leaves its range`() {
        let time = SteadyTime(milliseconds: 5)
        #expect(time + .seconds(Int64.max) == .latest)
        #expect(SteadyTime.latest + .seconds(Int64.max) == .latest)
        #expect(time - .seconds(1) == SteadyTime(milliseconds: 0))
        #expect(time - .seconds(Int64.max) == SteadyTime(milliseconds: 0))
        #expect(time + .milliseconds(7) == SteadyTime(milliseconds: 12))
    }
}
