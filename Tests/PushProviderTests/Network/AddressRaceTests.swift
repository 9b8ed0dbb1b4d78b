import TestSupport
import Testing

@testable import PushProvider

/// Happy Eyeballs: who is tried when.
@Suite struct AddressRaceTests {
    private static let three: [NetworkAddress] = [.v6(1), .v4(1), .v6(2)]

    @Test func `one after the other, each with its head start`() {
        var race = AddressRace(Self.three)
        #expect(race.begin(now: .second(0)) == .connect(.v6(1), next: .second(0.25)))
        #expect(race.headStartIsOver(now: .second(0.25)) == .connect(.v4(1), next: .second(0.5)))
        #expect(race.headStartIsOver(now: .second(0.5)) == .connect(.v6(2), next: nil))
        #expect(race.headStartIsOver(now: .second(0.75)) == .none)
        #expect(race.trying == Self.three)
    }

    @Test func `a failure makes way for the next one at once`() {
        var race = AddressRace(Self.three)
        _ = race.begin(now: .second(0))
        #expect(race.failed(.v6(1), now: .second(0.01)) == .connect(.v4(1), next: .second(0.26)))
        #expect(race.failed(.v4(1), now: .second(0.02)) == .connect(.v6(2), next: nil))
        #expect(race.failed(.v6(2), now: .second(0.03)) == .giveUp)
    }

    @Test func `the last failure ends the race only when no other address is tried`() {
        var race = AddressRace([.v6(1), .v4(1)])
        _ = race.begin(now: .second(0))
        _ = race.headStartIsOver(now: .second(0.25))
        #expect(race.failed(.v4(1), now: .second(0.3)) == .none)
        #expect(race.failed(.v4(1), now: .second(0.3)) == .none, "it has failed once")
        #expect(race.failed(.v6(1), now: .second(0.4)) == .giveUp)
    }

    @Test func `the first that answers wins, and the address with the head start is reported`() {
        var race = AddressRace(Self.three)
        _ = race.begin(now: .second(0))
        _ = race.headStartIsOver(now: .second(0.25))
        _ = race.headStartIsOver(now: .second(0.5))
        #expect(race.connected(.v4(1)) == [.v6(1)])
        #expect(race.connected(.v6(1)) == nil, "too late")
        #expect(race.failed(.v6(2), now: .second(0.6)) == .none)
        #expect(race.headStartIsOver(now: .second(0.75)) == .none)
    }

    @Test func `a cancelled race tries no further address`() {
        var race = AddressRace(Self.three)
        _ = race.begin(now: .second(0))
        race.cancel()
        #expect(race.headStartIsOver(now: .second(0.25)) == .none)
        #expect(race.failed(.v6(1), now: .second(0.3)) == .none)
        #expect(race.connected(.v6(1)) == nil)
    }

    @Test func `no address is no race`() {
        var race = AddressRace([])
        #expect(race.begin(now: .second(0)) == .giveUp)
    }

    @Test func `a name with too many addresses gets a limited number of sockets`() {
        var race = AddressRace((0..<200).map { NetworkAddress.v4($0) })
        var count = 1
        _ = race.begin(now: .second(0))
        while case .connect = race.headStartIsOver(now: .second(Double(count))) { count += 1 }
        #expect(count == AddressRace.maximumAddresses)
    }

    /// Random happenings, and what must hold whatever they are.
    @Test func `each address is tried once, none after the end, and there is always an end`() {
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var chance = SeededGenerator(seed: seed)
            let addresses = (0..<UInt8.random(in: 1...6, using: &chance)).map { NetworkAddress.v4($0) }
            var race = AddressRace(addresses)
            var (tried, isOver): ([NetworkAddress], Bool) = ([], false)
            var action = race.begin(now: .second(0))
            for step in 1...100 {
                switch action {
                case .connect(let address, _): tried.append(address)
                case .giveUp: isOver = true
                case .none: break
                }
                if isOver { break }
                let pick = race.trying.randomElement(using: &chance)
                if let pick, chance.oneIn(8) {
                    isOver = race.connected(pick) != nil
                    #expect(isOver, "seed \(seed)")
                    action = race.headStartIsOver(now: .second(Double(step)))
                    #expect(action == .none, "seed \(seed)")
                } else if let pick, chance.oneIn(2) {
                    action = race.failed(pick, now: .second(Double(step)))
                } else {
                    action = race.headStartIsOver(now: .second(Double(step)))
                }
            }
            #expect(isOver, "seed \(seed)")
            #expect(Set(tried).count == tried.count && tried == Array(addresses.prefix(tried.count)), "seed \(seed)")
        }
    }
}
