import PushTime
import Testing

@Suite struct ExponentialBackoffTests {
    private static let backoff = ExponentialBackoff(first: .seconds(1), longest: .seconds(10))

    @Test func `each pause is twice as long as the one before, up to the longest`() {
        #expect((0..<6).map { Self.backoff.pause(after: $0) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
    }

    @Test func `the longest pause also limits the first`() {
        #expect(ExponentialBackoff(first: .seconds(5), longest: .seconds(2)).pause(after: 0) == .seconds(2))
        #expect(ExponentialBackoff(first: .seconds(5), longest: .zero).pause(after: 3) == .zero)
    }

    @Test func `any number of pauses has a pause`() {
        #expect(Self.backoff.pause(after: .max) == .seconds(10))
    }

    @Test func `chance takes at most half of a pause away`() {
        #expect(Self.backoff.pause(after: 2, chance: 0) == .seconds(2))
        #expect(Self.backoff.pause(after: 2, chance: 1) == .seconds(4))
    }
}
