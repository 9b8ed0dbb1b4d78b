import TestSupport
import Testing

@testable import PushProvider

@Suite struct ProviderTokenScheduleTests {
    /// Ten minutes into a step of the grid.
    private static let now = 1_800_001_200
    private static let here = "api.push.apple.com"
    private static let elsewhere = "localhost:2197"
    private static let ahead = 3 * 3600

    var schedule = ProviderTokenSchedule()

    /// Both clocks as long after ``now``, and then the wall clock set by a step.
    private func after(_ seconds: Int, step: Int = 0) -> ClockSample {
        ClockSample(secondsSince1970: Self.now + seconds + step, monotonicSeconds: 5000 + seconds)
    }

    private func grid(_ seconds: Int) -> Int { ProviderTokenGrid.issuedAt(Self.now + seconds) }

    private mutating func issuedAt(_ seconds: Int, step: Int = 0, for environment: String = here) -> Int {
        schedule.issuedAt(for: environment, at: after(seconds, step: step))
    }

    private mutating func refused(_ issuedAt: Int, serverAhead: Int? = nil, _ seconds: Int = 0) -> Bool {
        let time = after(seconds)
        return schedule.refusedAsTooOld(
            issuedAt, by: Self.here, serverTime: serverAhead.map { time.secondsSince1970 + $0 }, at: time)
    }

    /// A server three hours ahead has refused a token, and sent its time.
    private mutating func learn() {
        let refused = issuedAt(0)
        #expect(self.refused(refused, serverAhead: Self.ahead) == true)
        #expect(issuedAt(0) == grid(Self.ahead))
    }

    @Test mutating func `as long as nothing is refused, the grid counts`() {
        for seconds in stride(from: 0, to: 10_000, by: 100) { #expect(issuedAt(seconds) == grid(seconds)) }
    }

    // MARK: Refused as too old

    @Test mutating func `without the server's clock the other token is of now, and one for all`() {
        let refused = issuedAt(0)
        #expect(self.refused(refused) == true)
        #expect(issuedAt(0) == Self.now)
        #expect(self.refused(refused, 1) == true)
        #expect(issuedAt(2) == Self.now)
    }

    @Test mutating func `with the server's clock the token is on the grid by that`() {
        let refused = issuedAt(0)
        #expect(self.refused(refused, serverAhead: 4000) == true)
        #expect(issuedAt(0) == grid(4000))
        #expect(issuedAt(7200) == grid(11_200))
    }

    @Test mutating func `a server whose clock is behind gets a token of its own past`() {
        let refused = issuedAt(0)
        #expect(self.refused(refused, serverAhead: -7200) == true)
        #expect(issuedAt(0) == grid(-7200))
    }

    @Test mutating func `a server with the same clock gets a token of now`() {
        let refused = issuedAt(0)
        #expect(self.refused(refused, serverAhead: 1) == true)
        #expect(issuedAt(0) == Self.now + 1)
        // A thread that has read its clock a little earlier gets the same.
        #expect(issuedAt(-2) == Self.now + 1)
    }

    @Test mutating func `the second one refused too, no more are made`() {
        let refused = issuedAt(0)
        #expect(self.refused(refused) == true)
        #expect(self.refused(Self.now, 5) == false)
        #expect(issuedAt(5) == Self.now)
    }

    @Test mutating func `the token out of turn gives way to the grid, and never within twenty minutes`() {
        #expect(refused(issuedAt(0)) == true)
        var last = Self.now
        for seconds in 0..<20_000 {
            let issuedAt = issuedAt(seconds)
            if issuedAt != last { #expect(issuedAt - last >= ProviderTokenSchedule.shortestLife) }
            #expect(Self.now + seconds - issuedAt < 3600)
            last = issuedAt
        }
        #expect(last == grid(19_999))
    }

    // MARK: Whose clock it is

    @Test(arguments: [nil, 4000, -7200]) mutating func `one environment's clock changes no token for another`(
        serverAhead: Int?
    ) {
        let refused = issuedAt(0)
        #expect(self.refused(refused, serverAhead: serverAhead) == true)
        #expect(issuedAt(0) != refused)
        #expect(issuedAt(0, for: Self.elsewhere) == refused)
        #expect(schedule.steadyIssuedAt(Self.now) == refused)
        #expect(schedule.isInForce(refused))
        #expect(schedule.isInForce(issuedAt(0)))
    }

    @Test mutating func `two environments have two timing`() {
        let refused = issuedAt(0)
        #expect(self.refused(refused, serverAhead: 4000) == true)
        let time = after(0)
        #expect(
            schedule.refusedAsTooOld(
                refused, by: Self.elsewhere, serverTime: time.secondsSince1970 - 7200, at: time) == true)
        #expect(issuedAt(1) == grid(4001))
        #expect(issuedAt(1, for: Self.elsewhere) == grid(-7199))
    }

    @Test mutating func `an age is by the clock that the token follows`() throws {
        learn()
        _ = issuedAt(0, for: Self.elsewhere)
        for environment in [Self.here, Self.elsewhere] {
            let age = try #require(schedule.age(for: environment, at: after(0)))
            #expect((600..<2400).contains(age))
        }
    }

    // MARK: Unlearned

    @Test mutating func `refused as invalid, a token by the server's clock gives way to one by our own`() {
        learn()
        schedule.refusedAsInvalid(issuedAt(10), by: Self.here, at: after(10))
        #expect(issuedAt(10) == grid(10))
        // The server contradicts itself: for twenty minutes nothing is learned from it.
        #expect(refused(issuedAt(20), serverAhead: Self.ahead, 20) == false)
        #expect(issuedAt(20) == grid(20))
        let later = 10 + ProviderTokenSchedule.shortestLife
        #expect(refused(issuedAt(later), serverAhead: Self.ahead, later) == true)
    }

    @Test mutating func `refused as invalid, another token changes nothing`() {
        let old = issuedAt(0)
        schedule.refusedAsInvalid(old, by: Self.here, at: after(0))
        learn()
        schedule.refusedAsInvalid(old, by: Self.here, at: after(1))
        schedule.refusedAsInvalid(issuedAt(1), by: Self.elsewhere, at: after(1))
        #expect(issuedAt(1) == grid(Self.ahead + 1))
    }

    @Test(arguments: [3 * 3600, -3 * 3600, 61, -61, 50 * 365 * 86_400])
    mutating func
        `when the wall clock is set, the skew is forgotten`(step: Int)
    {
        learn()
        #expect(issuedAt(10, step: step) == grid(10 + step))
        // It stays forgotten, also when the clock is set back.
        #expect(issuedAt(20) == grid(20))
    }

    @Test(arguments: [1, -1, 60, -60]) mutating func `a small step of the wall clock forgets nothing`(step: Int) {
        learn()
        #expect(issuedAt(10, step: step) == grid(Self.ahead))
    }

    @Test mutating func `small steps add up`() {
        learn()
        for number in 1...6 { #expect(issuedAt(number, step: 10 * number) == grid(Self.ahead)) }
        #expect(issuedAt(7, step: 70) == grid(77))
    }

    /// A clock that is corrected slowly shows no step: the monotonic clock runs at the same speed.
    @Test mutating func `after six hours this machine's clock is asked again`() {
        learn()
        #expect(issuedAt(LearnedClock.lifetime - 1) == grid(Self.ahead + LearnedClock.lifetime - 1))
        #expect(issuedAt(LearnedClock.lifetime) == grid(LearnedClock.lifetime))
        #expect(refused(issuedAt(LearnedClock.lifetime), serverAhead: Self.ahead, LearnedClock.lifetime) == true)
        #expect(issuedAt(LearnedClock.lifetime) == grid(Self.ahead + LearnedClock.lifetime))
    }

    @Test mutating func `doubt ends when the wall clock is set`() {
        learn()
        schedule.refusedAsInvalid(issuedAt(1), by: Self.here, at: after(1))
        let corrected = after(2, step: -7200)
        let issuedAt = schedule.issuedAt(for: Self.here, at: corrected)
        #expect(
            schedule.refusedAsTooOld(issuedAt, by: Self.here, serverTime: Self.now, at: corrected) == true)
    }

    // MARK: Any clocks

    /// The clocks and servers of this test do whatever they like.
    @Test(arguments: 0..<20) mutating func `no token is too old or far in the future by the clock that it follows`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        var (step, ahead) = (0, 0)
        for seconds in stride(from: 0, to: 200_000, by: 97) {
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: step = Int.random(in: -90_000...90_000, using: &generator)
            case 1: step += Int.random(in: -5...5, using: &generator)
            case 2: ahead = Int.random(in: -9000...9000, using: &generator)
            default: break
            }
            let time = after(seconds, step: step)
            let issuedAt = schedule.issuedAt(for: Self.here, at: time)
            let age = schedule.age(for: Self.here, at: time) ?? .max
            #expect((-SteadyTokenGrid.longestLead..<3600).contains(age))
            #expect(schedule.issuedAt(for: Self.elsewhere, at: time) == schedule.steadyIssuedAt(time.secondsSince1970))
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: schedule.refusedAsInvalid(issuedAt, by: Self.here, at: time)
            case 1, 2:
                let serverTime = Bool.random(using: &generator) ? time.secondsSince1970 + ahead : nil
                let isOther = schedule.refusedAsTooOld(issuedAt, by: Self.here, serverTime: serverTime, at: time)
                #expect(isOther == (schedule.issuedAt(for: Self.here, at: time) != issuedAt))
            default: break
            }
        }
    }

    @Test func `timing that say anything at all overflow nothing`() {
        let extremes = [Int.min, -1, 0, 1, Int.max]
        var schedule = schedule
        for wall in extremes {
            for monotonic in extremes {
                let time = ClockSample(secondsSince1970: wall, monotonicSeconds: monotonic)
                let issuedAt = schedule.issuedAt(for: Self.here, at: time)
                _ = schedule.refusedAsTooOld(issuedAt, by: Self.here, serverTime: 253_402_300_799, at: time)
                _ = schedule.refusedAsTooOld(issuedAt, by: Self.here, serverTime: nil, at: time)
                _ = schedule.issuedAt(for: Self.here, at: time)
            }
        }
    }
}
