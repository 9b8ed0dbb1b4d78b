import TestSupport
import Testing

@testable import MockAPNs

@Suite struct UnfinishedRequestsTests {
    /// Which connections have to end while these keep so much, one after the other.
    private static func ended(limit: Int = 100, _ kept: [(connection: Int, bytes: Int)]) -> [Int?] {
        var requests = UnfinishedRequests(limit: limit)
        return kept.map { requests.keeps($0.bytes, connection: $0.connection) }
    }

    @Test func `up to the limit, no request has to end`() {
        #expect(Self.ended([(1, 50), (2, 50)]) == [nil, nil])
        #expect(Self.ended([(1, 50), (1, 90), (1, 100)]) == [nil, nil, nil])
    }

    @Test func `beyond the limit the largest request has to end, even if another came last`() {
        #expect(Self.ended([(1, 60), (2, 30), (3, 11)]) == [nil, nil, 1])
        #expect(Self.ended([(1, 30), (2, 71)]) == [nil, 2])
    }

    @Test func `what was whole meanwhile, or has ended, does not count`() {
        #expect(Self.ended([(1, 60), (1, 0), (2, 60), (2, 10), (3, 90)]) == [nil, nil, nil, nil, nil])
    }

    @Test func `a request that has to end is reported once, and makes room at once`() {
        #expect(Self.ended([(1, 90), (2, 20), (3, 70), (1, 0), (3, 80)]) == [nil, 1, nil, nil, nil])
    }

    @Test(arguments: 1...8) func `random: the sum of those that stay is never above the limit`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var requests = UnfinishedRequests(limit: 1000)
        var kept: [Int: Int] = [:]
        for _ in 0..<2500 {
            let connection = Int.random(in: 1...20, using: &random)
            kept[connection] = Int.random(in: 0...150, using: &random)
            let total = kept.values.reduce(0, +)
            let ended = requests.keeps(kept[connection] ?? 0, connection: connection)
            #expect((ended != nil) == (total > 1000))
            guard let ended else { continue }
            #expect(kept[ended] == kept.values.max())
            kept[ended] = 0
        }
    }
}
