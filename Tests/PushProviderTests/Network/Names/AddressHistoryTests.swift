import TestSupport
import Testing

@testable import PushProvider

/// In which order the addresses of a name are tried.
@Suite struct AddressHistoryTests {
    private static let answer: [NetworkAddress] = [.v6(1), .v6(2), .v4(1), .v4(2), .v4(3)]

    @Test func `families alternate, and the resolver's first begins`() {
        let history = AddressHistory()
        #expect(history.order(Self.answer, now: .at(0), chance: 0) == [.v6(1), .v4(1), .v6(2), .v4(2), .v4(3)])
        #expect(history.order([.v4(1), .v6(1)], now: .at(0), chance: 0) == [.v4(1), .v6(1)])
    }

    @Test func `what comes twice is tried once`() {
        #expect(AddressHistory().order([.v4(1), .v4(1), .v4(2)], now: .at(0), chance: 0) == [.v4(1), .v4(2)])
        #expect(AddressHistory().order([], now: .at(0), chance: 0).isEmpty)
    }

    @Test(arguments: [(0, 1), (0.34, 2), (0.67, 3), (0.999, 3), (1, 3), (-1, 1)])
    func `chance says who begins in a new process`(chance: Double, first: UInt8) {
        let answer: [NetworkAddress] = [.v4(1), .v4(2), .v4(3)]
        let order = AddressHistory().order(answer, now: .at(0), chance: chance)
        #expect(order.first == .v4(first))
        #expect(Set(order) == Set(answer))
    }

    @Test func `connections spread over the addresses, whatever the order of the answers and chance`() {
        var history = AddressHistory()
        var chance = SeededGenerator(seed: 7)
        let answer = (1...8).map { NetworkAddress.v4($0) }
        var counts: [NetworkAddress: Int] = [:]
        for _ in 0..<80 {
            let order = history.order(
                answer.shuffled(using: &chance), now: .at(0), chance: .random(in: 0..<1, using: &chance))
            history.begun(order[0])
            history.served(order[0])
            counts[order[0], default: 0] += 1
        }
        #expect(counts.values.allSatisfy { $0 == 10 }, "\(counts)")
    }

    @Test func `one that failed lately comes last, and has its turn again later`() {
        var history = AddressHistory()
        history.failed(.v6(1), now: .at(10))
        history.failed(.v6(2), now: .at(10))
        #expect(history.order(Self.answer, now: .at(69), chance: 0) == [.v4(1), .v4(2), .v4(3), .v6(1), .v6(2)])
        #expect(history.order(Self.answer, now: .at(71), chance: 0).first == .v6(1))
    }

    @Test func `one that serves again is as good as the others`() {
        var history = AddressHistory()
        history.begun(.v4(1))
        history.failed(.v4(1), now: .at(1))
        #expect(history.order([.v4(1), .v6(1)], now: .at(2), chance: 0).first == .v6(1))
        history.served(.v4(1))
        #expect(history.order([.v4(1), .v6(1)], now: .at(2), chance: 0).first == .v4(1))
    }

    @Test func `answers without end do not fill the history`() {
        var history = AddressHistory()
        history.failed(.v6(1), now: .at(0))
        for number in 0..<(2 * AddressHistory.maximumAddresses) {
            history.begun(NetworkAddress(ipv4: (1, 2, UInt8(number / 256), UInt8(number % 256)), port: 443))
        }
        #expect(history.order([.v6(1), .v4(1)], now: .at(1), chance: 0).first == .v6(1), "it is forgotten")
    }
}
