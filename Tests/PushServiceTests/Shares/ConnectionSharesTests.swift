import NIOConcurrencyHelpers
import NIOCore
import PushHTTP
import TestSupport
import Testing

/// Which connection goes when there are too many.
@Suite struct ConnectionSharesTests {
    @Test func `the oldest one of the address with most connections goes`() {
        var shares = ConnectionShares<Int>(4)
        #expect(shares.connected(1, from: .address("a")) == nil)
        #expect(shares.connected(2, from: .address("b")) == nil)
        #expect(shares.connected(3, from: .address("b")) == nil)
        #expect(shares.connected(4, from: .address("c")) == 2)
        shares.closed(2)
        #expect(shares.count == 3)
    }

    @Test func `one that asks is the youngest, and one with a key stays`() {
        var shares = ConnectionShares<Int>(4)
        for id in 1...3 { #expect(shares.connected(id, from: .address("a")) == nil) }
        #expect(shares.showedKey(1, "k") == true)
        shares.requestBegan(2)
        #expect(shares.connected(4, from: .address("a")) == 3)
        #expect([shares.showedKey(2, "l"), shares.showedKey(4, "m")] == [true, true])
        // All others have a key, so the new one is let in and the server takes no further one.
        #expect(shares.connected(5, from: .address("a")) == nil)
        #expect(shares.count == 4)
    }

    @Test func `a key has half of the places`() {
        var shares = ConnectionShares<Int>(6)
        for id in 1...5 { _ = shares.connected(id, from: .address("a")) }
        #expect((1...4).map { shares.showedKey($0, "k") } == [true, true, true, false])
        #expect([shares.showedKey(3, "k"), shares.showedKey(4, "l")] == [true, true])
        // A connection can change its key, and leaves a place.
        #expect([shares.showedKey(1, "l"), shares.showedKey(5, "k")] == [true, true])
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0::/64"),
        ("2001:db8::1", "2001:db8:0:0::/64"), ("2001:db8:0:0:1::", "2001:db8:0:0::/64"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001::5:0:0:0:1", "2001:0:0:5::/64"),
    ])
    func `all addresses of a network of IPv6 are one client`(address: String, name: String) throws {
        #expect(try SocketAddress(ipAddress: address, port: 1).shareName == name)
    }

    /// An id that counts how often it is looked up.
    private struct CountedID: Hashable, Sendable {
        static let lookUps = NIOLockedValueBox(0)

        var number: Int

        func hash(into hasher: inout Hasher) {
            Self.lookUps.withLockedValue { $0 += 1 }
            hasher.combine(number)
        }
    }

    @Test func `finding the oldest one doesn't take longer with more connections`() {
        var shares = ConnectionShares<CountedID>(2000)
        for number in 0..<10_000 {
            let evicted = shares.connected(CountedID(number: number), from: .address("a"))
            #expect(evicted?.number == (number < 1999 ? nil : number - 1999))
        }
        #expect(CountedID.lookUps.withLockedValue { $0 } < 20 * 10_000)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `after any history the places are counted right`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let maximum = Int.random(in: 2...30, using: &generator)
        var shares = ConnectionShares<Int>(maximum)
        // The holder of each connection, and when it was active last.
        var model: [Int: (holder: SharedLimit.Holder, age: Int)] = [:]
        for step in 0..<3000 {
            let one = model.keys.sorted().randomElement(using: &generator)
            switch (Int.random(in: 0..<8, using: &generator), one) {
            case (4, let one?):
                shares.requestBegan(one)
                if case .address? = model[one]?.holder { model[one]?.age = step }
            case (5, let one?):
                let key = SharedLimit.Holder.key("\(Int.random(in: 0..<2, using: &generator))")
                guard case .key(let text) = key else { continue }
                let isPossible =
                    model[one]?.holder == key
                    || model.values.count { $0.holder == key } < SharedLimit.half(of: maximum)
                #expect(shares.showedKey(one, text) == isPossible)
                if isPossible, model[one]?.holder != key { model[one] = (key, step) }
            case (6..., let one?):
                shares.closed(one)
                model[one] = nil
            default:
                let address = SharedLimit.Holder.address("\(Int.random(in: 0..<3, using: &generator))")
                let evicted = shares.connected(step, from: address)
                model[step] = (address, step)
                if let evicted {
                    let place = model.removeValue(forKey: evicted)
                    guard let place, case .address = place.holder else {
                        Issue.record("\(evicted) had to go, which has a key or is not there")
                        return
                    }
                    #expect(evicted != step && model.count + 1 >= maximum)
                    let isOldest = model.allSatisfy { id, other in
                        other.holder != place.holder || other.age > place.age || id == step
                    }
                    #expect(isOldest)
                    let rest = model.filter { $0.key != step }.values
                    let sizes = Dictionary(grouping: rest, by: \.holder).mapValues(\.count)
                    for case (.address(let address), let size) in sizes {
                        #expect(size <= sizes[place.holder, default: 0] + 1, "\(address)")
                    }
                } else if model.count >= maximum {
                    let hasOther = model.contains { id, place in
                        if case .address = place.holder { id != step } else { false }
                    }
                    #expect(!hasOther)
                }
            }
            #expect(shares.count == model.count)
            for (_, place) in model {
                #expect(shares.count(of: place.holder) == model.values.count { $0.holder == place.holder })
            }
        }
    }
}
