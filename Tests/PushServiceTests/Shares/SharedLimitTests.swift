import TestSupport
import Testing

@testable import PushHTTP

/// The value behind every limit that clients share.
@Suite struct SharedLimitTests {
    private static let holders: [SharedLimit.Holder] = [.key("a"), .key("b"), .address("a"), .address("192.0.2.1")]

    @Test func `one holder gets half, and two of them everything`() {
        var limit = SharedLimit(10)
        #expect(limit.take(5, for: .key("a")) == nil)
        #expect(limit.take(1, for: .key("a")) == .share)
        #expect(limit.take(5, for: .key("b")) == nil)
        #expect(limit.take(1, for: .key("c")) == .whole)
        limit.giveBack(1, of: .key("a"))
        #expect(limit.take(1, for: .key("c")) == nil)
    }

    @Test func `a key and an address of the same name are two holders`() {
        var limit = SharedLimit(2)
        #expect(limit.take(1, for: .key("a")) == nil)
        #expect(limit.take(1, for: .address("a")) == nil)
    }

    @Test func `a limit of one has room for one`() {
        var limit = SharedLimit(1)
        #expect(limit.take(1, for: .key("a")) == nil)
        #expect(limit.take(1, for: .key("b")) == .whole)
    }

    @Test func `a number that nothing holds is refused and changes nothing`() {
        var limit = SharedLimit(10)
        let before = limit
        #expect(limit.take(.max, for: .key("a")) == .share)
        #expect(limit == before)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `after any history the sums are right, and nobody has more than a half`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let maximum = Int.random(in: 1...40, using: &generator)
        var limit = SharedLimit(maximum)
        var model: [SharedLimit.Holder: Int] = [:]
        for _ in 0..<2000 {
            let holder = Self.holders[Int.random(in: 0..<Self.holders.count, using: &generator)]
            let count = Int.random(in: 0...7, using: &generator)
            let (own, all) = (model[holder, default: 0], model.values.reduce(0, +))
            if generator.oneIn(2) {
                let refusal = limit.take(count, for: holder)
                #expect((refusal == .share) == (own + count > max(maximum / 2, 1)))
                #expect((refusal == .whole) == (refusal != .share && all + count > maximum))
                if refusal == nil { model[holder] = own + count }
            } else if count <= own {
                limit.giveBack(count, of: holder)
                model[holder] = own - count
            }
            #expect(limit.used == model.values.reduce(0, +) && limit.used <= maximum)
            for holder in Self.holders { #expect(limit.used(by: holder) == model[holder, default: 0]) }
        }
        for (holder, count) in model where count > 0 { limit.giveBack(count, of: holder) }
        // Nothing is left behind, also no holder.
        #expect(limit == SharedLimit(maximum) && limit.holderCount == 0)
    }

    @Test func `addresses get half of the memory together, and leave the other half to the keys`() throws {
        let memory = SharedMemory(100)
        let (one, other) = (memory.reservation(for: .address("a")), memory.reservation(for: .address("b")))
        try one.set(25)
        #expect(throws: SharedMemoryFull(refusal: .share)) { try one.grow(by: 1) }
        try other.set(25)
        #expect(throws: SharedMemoryFull(refusal: .whole)) { try memory.reservation(for: .address("c")).set(1) }
        let (key, last) = (memory.reservation(for: .key("a")), memory.reservation(for: .key("b")))
        try key.set(40)
        try last.set(10)
        #expect(memory.used == 100)
        try other.set(20)
        // What the keys took first is missing for the addresses, and nothing is left of a refused attempt.
        try last.grow(by: 5)
        #expect(throws: SharedMemoryFull(refusal: .whole)) { try other.grow(by: 1) }
        try last.set(0)
        try other.grow(by: 5)
        #expect(memory.used == 90)
        withExtendedLifetime((one, other, key, last)) {}
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `after any history the memory of all reservations is counted, without their free bytes`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let memory = SharedMemory(100)
        do {
            let held = (0..<8).map { memory.reservation(for: Self.holders[$0 % 4], uncounted: $0) }
            var counts = Array(repeating: 0, count: held.count)
            for _ in 0..<2000 {
                let index = Int.random(in: 0..<held.count, using: &generator)
                let new = Int.random(in: 0...40, using: &generator)
                if (try? held[index].set(new)) != nil { counts[index] = new }
                let counted = counts.enumerated().map { max($1 - $0, 0) }
                #expect(memory.used == counted.reduce(0, +) && memory.used <= 100)
                // The third and the fourth holder are addresses.
                #expect(counted.indices.filter { $0 % 4 >= 2 }.reduce(0) { $0 + counted[$1] } <= 50)
            }
        }
        #expect(memory.used == 0)
    }

    @Test func `bytes that don't count are free in full memory`() throws {
        let memory = SharedMemory(100)
        let (one, other) = (memory.reservation(for: .key("a")), memory.reservation(for: .key("b")))
        try one.set(50)
        try other.set(50)
        let small = memory.reservation(for: .key("c"), uncounted: 10)
        try small.set(10)
        #expect(throws: SharedMemoryFull(refusal: .whole)) { try small.grow(by: 1) }
        #expect(memory.used == 100)
        withExtendedLifetime((one, other, small)) {}
    }

    @Test func `memory that is released can be used again`() throws {
        let memory = SharedMemory(100)
        do {
            let one = memory.reservation(for: .key("a"))
            try one.set(30)
            try one.grow(by: 20)
            #expect(throws: SharedMemoryFull(refusal: .share)) { try one.grow(by: 1) }
            let other = memory.reservation(for: .key("a"))
            #expect(throws: SharedMemoryFull(refusal: .share)) { try other.set(1) }
            try one.set(49)
            try other.set(1)
            #expect(memory.used == 50)
            let third = memory.reservation(for: .key("b"))
            try third.set(50)
            #expect(throws: SharedMemoryFull(refusal: .whole)) { try memory.reservation(for: .key("c")).set(1) }
            withExtendedLifetime((one, other, third)) {}
        }
        #expect(memory.used == 0)
    }
}
