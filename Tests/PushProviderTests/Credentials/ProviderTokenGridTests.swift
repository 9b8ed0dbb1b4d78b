import Testing

@testable import PushProvider

@Suite struct ProviderTokenGridTests {
    /// 2026-11-03, and the beginning of time, where the sign changes.
    @Test(arguments: [1_793_664_000, 0])
    func `at every second a token is 10 to 40 minutes old and switches every 30`(middle: Int) {
        var ages = Set<Int>()
        var switches: [Int] = []
        var last = ProviderTokenGrid.issuedAt(middle - 86_401)
        for now in (middle - 86_400)...(middle + 86_400) {
            let issuedAt = ProviderTokenGrid.issuedAt(now)
            ages.insert(now - issuedAt)
            if issuedAt != last { switches.append(now) }
            last = issuedAt
        }
        #expect(ages.min() == 600)
        #expect(ages.max() == 2399)
        #expect(switches.count == 96)
        #expect(zip(switches, switches.dropFirst()).allSatisfy { $1 - $0 == 1800 })
        #expect(switches.allSatisfy { ($0 - 600) % 1800 == 0 })
    }

    @Test(arguments: [
        (1800 + 600, 1800), (1800 + 599, 0), (3600 + 599, 1800), (600, 0), (599, -1800), (0, -1800), (-1200, -1800),
        (-1201, -3600),
    ])
    func `the time of issue is that of the formula`(now: Int, issuedAt: Int) {
        #expect(ProviderTokenGrid.issuedAt(now) == issuedAt)
    }

    @Test(arguments: [0, 1, 599, 1200, 1799, 40_000])
    func `processes that began at different times have the same time of issue`(later: Int) {
        let begun = 1_793_664_000
        var (one, other) = (SteadyTokenGrid(), SteadyTokenGrid())
        for now in stride(from: begun, to: begun + later, by: 60) { _ = one.issuedAt(now) }
        for now in stride(from: begun + later, to: begun + later + 7200, by: 37) {
            #expect(one.issuedAt(now) == other.issuedAt(now))
        }
    }

    // MARK: A clock that is set

    private static let boundary = 1_800_000_600
    private static let newer = 1_800_000_000

    /// A grid that has just taken a step.
    private func stepped() -> SteadyTokenGrid {
        var grid = SteadyTokenGrid()
        #expect(grid.issuedAt(Self.boundary - 1) == Self.newer - 1800)
        #expect(grid.issuedAt(Self.boundary) == Self.newer)
        return grid
    }

    @Test(arguments: [1, 2, 30, 599, 600, 660]) func `a clock that is set back a little keeps the newer token`(
        back: Int
    ) {
        var grid = stepped()
        #expect(grid.issuedAt(Self.boundary - back) == Self.newer)
        #expect(grid.issuedAt(Self.boundary) == Self.newer)
        #expect(grid.issuedAt(Self.boundary + 1799) == Self.newer)
        #expect(grid.issuedAt(Self.boundary + 1800) == Self.newer + 1800)
    }

    @Test(arguments: [661, 3600, 86_400, 50 * 365 * 86_400])
    func `a clock that is set back far takes the token with it`(
        back: Int
    ) {
        var grid = stepped()
        let time = Self.boundary - back
        #expect(grid.issuedAt(time) == ProviderTokenGrid.issuedAt(time))
        #expect(grid.issuedAt(Self.boundary) == Self.newer)
    }

    @Test(arguments: [1800, 10_800, 50 * 365 * 86_400]) func `a clock that is set forward takes the token with it`(
        forward: Int
    ) {
        var grid = stepped()
        let time = Self.boundary + forward
        #expect(grid.issuedAt(time) == ProviderTokenGrid.issuedAt(time))
        // And back again, since the token lies in the future then.
        #expect(grid.issuedAt(Self.boundary) == Self.newer)
    }

    @Test func `a clock that trembles at a boundary changes the token once`() {
        var grid = SteadyTokenGrid()
        var changes = 0
        var last = grid.issuedAt(Self.boundary - 400)
        for number in -300..<300 {
            let issuedAt = grid.issuedAt(Self.boundary + number + (number % 2 == 0 ? 200 : -200))
            if issuedAt != last { changes += 1 }
            last = issuedAt
        }
        #expect(changes == 1)
        #expect(last == Self.newer)
    }
}
