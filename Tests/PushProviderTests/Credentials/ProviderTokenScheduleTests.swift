import Testing

@testable import PushProvider

@Suite struct ProviderTokenScheduleTests {
    /// Ten minutes into a step of the grid.
    private static let now = 1_800_001_200
    var schedule = ProviderTokenSchedule()

    @Test mutating func `as long as nothing is refused, the grid counts`() {
        for time in stride(from: Self.now, to: Self.now + 10_000, by: 100) {
            #expect(schedule.issuedAt(time) == ProviderTokenGrid.issuedAt(time))
        }
    }

    @Test mutating func `without the server's clock the other token is of now, and one for all`() {
        let refused = schedule.issuedAt(Self.now)
        #expect(schedule.refused(refused, serverTime: nil, now: Self.now) == true)
        #expect(schedule.issuedAt(Self.now) == Self.now)
        #expect(schedule.refused(refused, serverTime: nil, now: Self.now + 1) == true)
        #expect(schedule.issuedAt(Self.now + 2) == Self.now)
    }

    @Test mutating func `with the server's clock the token is on the grid by that`() {
        let refused = schedule.issuedAt(Self.now)
        #expect(schedule.refused(refused, serverTime: Self.now + 4000, now: Self.now) == true)
        #expect(schedule.skew == 4000)
        #expect(schedule.issuedAt(Self.now) == ProviderTokenGrid.issuedAt(Self.now + 4000))
        #expect(schedule.issuedAt(Self.now + 7200) == ProviderTokenGrid.issuedAt(Self.now + 11_200))
    }

    @Test mutating func `a server with the same clock gets a token of now`() {
        let refused = schedule.issuedAt(Self.now)
        #expect(schedule.refused(refused, serverTime: Self.now + 1, now: Self.now) == true)
        #expect(schedule.issuedAt(Self.now) == Self.now + 1)
    }

    @Test mutating func `the second one refused too, no more are made`() {
        let refused = schedule.issuedAt(Self.now)
        #expect(schedule.refused(refused, serverTime: nil, now: Self.now) == true)
        #expect(schedule.refused(Self.now, serverTime: nil, now: Self.now + 5) == false)
        #expect(schedule.issuedAt(Self.now + 5) == Self.now)
    }

    @Test mutating func `the token out of turn gives way to the grid, and never within twenty minutes`() {
        #expect(schedule.refused(schedule.issuedAt(Self.now), serverTime: nil, now: Self.now) == true)
        var last = Self.now
        for time in Self.now..<Self.now + 20_000 {
            let issuedAt = schedule.issuedAt(time)
            if issuedAt != last { #expect(issuedAt - last >= ProviderTokenSchedule.shortestLife) }
            #expect(time - issuedAt < 3600)
            last = issuedAt
        }
        #expect(last == ProviderTokenGrid.issuedAt(Self.now + 19_999))
    }
}
