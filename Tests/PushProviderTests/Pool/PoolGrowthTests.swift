import TestSupport
import Testing

@testable import PushProvider

/// A network in figures, on which a pool grows as ``PoolGrowth`` says.
private struct SimulatedNetwork {
    /// How many notifications one connection carries in a round trip, and how long that is.
    var capacity = 44
    var roundTrip: Duration = .milliseconds(150)
    /// Answers per second that the server, or the machine, gives at the most.
    var ceiling = Double.infinity
    /// Notifications per second that are to be sent.
    var demand = Double.infinity

    private(set) var now = MonotonicTime.at(1)
    private(set) var growth: PoolGrowth
    private(set) var serving = 0
    /// How often the number that is wanted has changed, and since when it has not.
    private(set) var changes = 0
    private(set) var unchangedSince = MonotonicTime.at(1)
    private(set) var opened = 0
    private var opening: MonotonicTime?
    private var fullSince: MonotonicTime?

    init(maximum: Int = 8, minimum: Int = 1) {
        growth = PoolGrowth(minimum: minimum, maximum: maximum, idleTime: .seconds(60))
    }

    mutating func limit(to maximum: Int) { growth.limit(to: maximum) }

    var oneConnection: Double { Double(capacity) / (Double(roundTrip.clampedNanoseconds) / 1e9) }
    func rate(of connections: Int) -> Double { min(demand, ceiling, oneConnection * Double(connections)) }
    var rate: Double { rate(of: serving) }

    mutating func run(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end { step() }
    }

    mutating func step(_ pause: Duration = PoolWatch.pause) {
        now = now.advanced(by: pause)
        openOrClose()
        let isFull = serving > 0 && demand > rate
        fullSince = isFull ? fullSince ?? now : nil
        let inFlight = isFull ? capacity * serving : Int(rate * Double(roundTrip.clampedNanoseconds) / 1e9)
        // What is in flight beyond the ceiling waits at the server.
        let answerTime = isFull ? Duration.seconds(Double(inFlight) / rate) : roundTrip
        let sample = PoolGrowth.Sample(
            now: now, serving: serving, fullSince: fullSince, answerTime: answerTime,
            wouldGain: answerTime <= roundTrip * PoolWatch.plateauRatio, inFlight: inFlight, capacity: capacity)
        guard growth.observe(sample) else { return }
        changes += 1
        unchangedSince = now
    }

    /// A handshake takes four round trips, and one connection is opened at a time.
    private mutating func openOrClose() {
        serving = min(serving, growth.wanted)
        if let due = opening {
            guard due <= now else { return }
            opening = nil
            serving += 1
            // It is not full before it has taken something.
            fullSince = nil
        } else if serving < growth.wanted {
            opened += 1
            opening = now.advanced(by: roundTrip * 4)
        }
    }

    mutating func fail() {
        opening = nil
        growth.openingFailed(serving: serving, now: now, chance: 0.5)
    }
}

@Suite struct PoolGrowthTests {
    @Test(arguments: [20, 50, 150])
    func `where only connections are the limit, there are soon as many as there may be, and they stay`(
        milliseconds: Int
    ) {
        var network = SimulatedNetwork()
        network.roundTrip = .milliseconds(milliseconds)
        network.run(.seconds(10))
        #expect(network.growth.wanted == 8)
        #expect(network.changes == 7)
        network.run(.seconds(600))
        #expect(network.growth.wanted == 8)
        #expect(network.changes == 7)
    }

    @Test func `where the server is the limit, at most three connections wait for it`() {
        var network = SimulatedNetwork()
        network.ceiling = network.oneConnection
        network.run(.seconds(600))
        #expect(network.growth.wanted <= 4)
        #expect(network.changes == network.growth.wanted - 1)
    }

    @Test func `where the server is slower than one connection, there is one`() {
        var network = SimulatedNetwork()
        network.ceiling = network.oneConnection / 4
        network.run(.seconds(600))
        #expect(network.opened == 1)
    }

    @Test(arguments: [1.3, 1.9, 2.4, 3.3, 5, 7.2])
    func `what is reached is the best, whatever the server can`(ceiling: Double) {
        var network = SimulatedNetwork()
        network.ceiling = network.oneConnection * ceiling
        network.run(.seconds(40))
        #expect(network.rate == network.rate(of: 8))
    }

    @Test(arguments: [1.5, 2.5, 3.5, 5.5]) func `there are not more than what there is to send needs`(share: Double) {
        var network = SimulatedNetwork()
        network.demand = network.oneConnection * share
        network.run(.seconds(60))
        #expect(network.growth.wanted == Int(share.rounded(.up)))
        let changes = network.changes
        network.run(.seconds(300))
        #expect(network.changes == changes)
    }

    @Test func `a short burst opens nothing`() {
        var network = SimulatedNetwork()
        network.run(.milliseconds(900))
        #expect(network.growth.wanted == 1)
    }

    @Test func `what idles is closed, down to the minimum`() {
        var network = SimulatedNetwork(minimum: 2)
        network.run(.seconds(20))
        #expect(network.growth.wanted == 8)
        network.demand = 0
        network.run(.seconds(55))
        #expect(network.growth.wanted == 8)
        network.run(.seconds(10))
        #expect(network.growth.wanted == 2)
        #expect(network.growth.isAtRest)
        // And grows anew.
        network.demand = .infinity
        network.run(.seconds(20))
        #expect(network.growth.wanted == 8)
    }

    @Test func `with less to do they go one by one`() {
        var network = SimulatedNetwork()
        network.run(.seconds(20))
        network.demand = network.oneConnection * 1.2
        network.run(.seconds(70))
        #expect(network.growth.wanted == 7)
        network.run(.seconds(600))
        // Two can carry twice as much.
        #expect(network.growth.wanted == 2 || network.growth.wanted == 3)
    }

    @Test func `a connection that does not come about is not asked for again and again`() {
        var network = SimulatedNetwork()
        for _ in 0..<50 where network.growth.wanted == 1 { network.step() }
        #expect(network.growth.wanted == 2)
        network.fail()
        #expect(network.growth.wanted == 1)
        let opened = network.opened
        network.run(.milliseconds(4900))
        #expect(network.opened == opened)
        network.run(.seconds(20))
        #expect(network.opened > opened)
    }

    // MARK: Another maximum

    @Test func `with a smaller maximum fewer connections are wanted, with a larger one more can be again`() {
        var network = SimulatedNetwork()
        network.run(.seconds(20))
        #expect(network.growth.wanted == 8)
        network.limit(to: 3)
        #expect(network.growth.wanted == 3)
        network.run(.seconds(60))
        #expect(network.growth.wanted == 3)
        network.limit(to: 8)
        network.run(.seconds(60))
        #expect(network.growth.wanted == 8)
    }

    @Test func `a maximum below the minimum counts, until it is raised again`() {
        var growth = PoolGrowth(minimum: 4, maximum: 8, idleTime: .seconds(60))
        growth.limit(to: 2)
        #expect((growth.minimum, growth.maximum, growth.wanted) == (2, 2, 2))
        growth.limit(to: 6)
        #expect((growth.minimum, growth.maximum, growth.wanted) == (4, 6, 4))
    }

    @Test func `a smaller maximum counts while connections are being added, too`() {
        var network = SimulatedNetwork()
        for _ in 0..<200 where network.growth.wanted < 3 { network.step() }
        network.limit(to: 2)
        #expect(network.growth.wanted == 2)
        network.demand = 0
        network.run(.seconds(61))
        #expect(network.growth.isAtRest)
    }

    @Test func `the maximum is never passed, nor the minimum`() {
        var network = SimulatedNetwork(maximum: 3, minimum: 3)
        network.run(.seconds(60))
        #expect(network.growth.wanted == 3)
        network.demand = 0
        network.run(.seconds(200))
        #expect(network.growth.wanted == 3)
        #expect(network.changes == 0)
    }
}
