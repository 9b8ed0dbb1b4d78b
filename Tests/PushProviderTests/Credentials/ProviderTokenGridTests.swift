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
}
