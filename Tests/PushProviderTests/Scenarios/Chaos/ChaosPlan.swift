import MockAPNs
import TestSupport

@testable import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A round of chaos: what the mock does, how the client is set up and what is sent, all drawn from one seed.
struct ChaosPlan: Sendable {
    /// The round of a run, and the run's seed: enough to draw the same plan again.
    let seed: UInt64
    let round: Int

    var faults: [ChaosFault]
    var mock: MockConfiguration
    var client: PushConfiguration
    var senders: [ChaosSender]
    /// After this number of sends has begun, the client is shut down and another one takes its place.
    var handovers: [ChaosHandover]

    var sends: [ChaosSend] { senders.flatMap(\.sends) }
    var isAtMostOnce: Bool { client.retry.guarantee == .atMostOnce }
}

/// One notification, and what its caller does.
struct ChaosSend: Sendable {
    /// The `apns-id`: what the mock's log knows it by.
    let id: UUID
    /// The position in its round.
    let number: Int
    /// `nil` for the client's own.
    var timeout: Duration?
    /// Its task is cancelled after this time.
    var cancelledAfter: Duration?
    /// Its own expiration, in seconds from now.
    var expiresIn: Int?
    /// It breaks a rule.
    var isInvalid = false
    var bodyLength = 5

    /// As the log has it.
    var key: String { id.uuidString.lowercased() }
    /// A quarter of them replace each other, about eight of a round at a time. All have one device token.
    var collapseID: String? { id.uuid.0 < 64 ? "score \(id.uuid.1 % 16)" : nil }
}

/// A task of its own that sends.
struct ChaosSender: Sendable {
    enum Way: Sendable, CaseIterable {
        /// `outcome(of:)`, each after the other.
        case oneByOne
        /// `send(_:)`, each after the other.
        case throwing
        /// `outcome(of:)`, all at once.
        case together
        /// `outcomes(of:)`.
        case sequence
    }

    var way: Way
    var sends: [ChaosSend]
    /// Of a sequence: its task is cancelled after this number of outcomes.
    var cancelledAfterOutcomes: Int?
}

/// A client that goes in the middle of a round.
struct ChaosHandover: Sendable {
    var afterSends: Int
    var drainTime: Duration
}

// MARK: - Drawing

extension ChaosPlan {
    /// Draws a round.
    init(seed: UInt64, round: Int, sends count: Int) {
        self.seed = seed
        self.round = round
        var chance = SeededGenerator(seed: seed &+ UInt64(round) &* 0x9E37_79B9_7F4A_7C15)
        let mood = ChaosFault.Mood(chance: &chance)
        faults = ChaosFault.draw(mood, &chance)
        mock = Self.mock(seed: chance.next(), sends: count, &chance)
        client = Self.client(mood, &chance)
        senders = Self.senders(count, mood, &chance)
        handovers = []
        if chance.oneIn(5) {
            let drainTime: Duration = [.zero, .milliseconds(20), .seconds(20)].randomElement(using: &chance) ?? .zero
            handovers.append(ChaosHandover(afterSends: Int.random(in: 0..<count, using: &chance), drainTime: drainTime))
        }
    }

    private static func mock(seed: UInt64, sends: Int, _ chance: inout SeededGenerator) -> MockConfiguration {
        var mock = MockConfiguration()
        mock.seed = seed
        mock.variants.streamsAfterAuthentication = [8, 50, 300, 1000].randomElement(using: &chance) ?? 1000
        if chance.oneIn(4) { mock.roundTrip = .milliseconds(20) }
        // Nothing may give way: each notification is looked up.
        mock.logCount = sends * 20
        mock.bodyBytes = 0
        mock.recordCount = 10_000
        mock.recordLength = sends * 20
        return mock
    }

    private static func client(_ mood: ChaosFault.Mood, _ chance: inout SeededGenerator) -> PushConfiguration {
        var client = PushConfiguration()
        client.timeout = .seconds(20)
        client.minimumConnections = Int.random(in: 1...4, using: &chance)
        client.maximumConnections = client.minimumConnections + (chance.oneIn(2) ? 3 : 0)
        if chance.oneIn(4) { client.connectionIdleTime = .milliseconds(200) }
        client.streamsPerConnection = [3, 100, 1000].randomElement(using: &chance) ?? 1000
        client.queuedNotifications = [2, 40, 10_000].randomElement(using: &chance) ?? 10_000
        // Only where a fault keeps a connection from coming about: otherwise a slow machine would.
        if mood.stallsConnections {
            client.handshakeTimeout = .seconds(1)
            client.settingsTimeout = .seconds(1)
        }
        if chance.oneIn(4) {
            client.trustedSilence = .milliseconds(5)
            client.keepAlive = .milliseconds(20)
        }
        // A slow machine must not look like a dead server.
        client.pingTimeout = .seconds(60)
        client.retry.guarantee = chance.oneIn(4) ? .atLeastOnce : .atMostOnce
        let attempts = [1, 2, 4, 8].randomElement(using: &chance) ?? 8
        // To send at least once takes a second attempt.
        client.retry.attempts = client.retry.guarantee == .atLeastOnce ? max(attempts, 2) : attempts
        client.retry.firstPause = .milliseconds(Int.random(in: 1...10, using: &chance))
        client.retry.longestPause = .milliseconds(50)
        return client
    }

    private static func senders(
        _ count: Int, _ mood: ChaosFault.Mood, _ chance: inout SeededGenerator
    ) -> [ChaosSender] {
        var senders: [ChaosSender] = []
        var begun = 0
        while begun < count {
            let way = ChaosSender.Way.allCases.randomElement(using: &chance) ?? .oneByOne
            let share = min(count - begun, Int.random(in: way == .sequence ? 20...150 : 5...40, using: &chance))
            let sends = (begun..<(begun + share)).map { number in
                ChaosSend(number: number, in: way, mood, &chance)
            }
            let cancelledAfter =
                way == .sequence && chance.oneIn(4) ? Int.random(in: 1...share, using: &chance) : nil
            senders.append(ChaosSender(way: way, sends: sends, cancelledAfterOutcomes: cancelledAfter))
            begun += share
        }
        return senders
    }
}

extension ChaosSend {
    init(number: Int, in way: ChaosSender.Way, _ mood: ChaosFault.Mood, _ chance: inout SeededGenerator) {
        self.init(id: UUID(chance: &chance), number: number)
        // Where answers stay away, nobody waits long.
        if mood.leavesUnanswered { timeout = .milliseconds(Int.random(in: 150...600, using: &chance)) }
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<3: timeout = .milliseconds(Int.random(in: 0...40, using: &chance))
        case 3..<7 where way != .sequence:
            cancelledAfter = .milliseconds(Int.random(in: 0...30, using: &chance))
        case 7..<9 where way != .sequence: cancelledAfter = .zero
        case 9..<11: expiresIn = Int.random(in: -100 ... -1, using: &chance)
        case 11..<13: expiresIn = 1
        case 13: isInvalid = true
        case 14..<16: bodyLength = Int.random(in: 100...3000, using: &chance)
        default: break
        }
        // A sequence has one time-out for all.
        if way == .sequence, !mood.leavesUnanswered { timeout = nil }
    }

    /// The notification, with an expiration as of now.
    func notification(secondsSince1970: Int) throws -> PushNotification {
        try .sample { notification in
            notification.id = id
            notification.collapseID = collapseID
            notification.payload = .alert(body: String(repeating: "x", count: isInvalid ? 5000 : bodyLength))
            if let expiresIn { notification.expiration = .until(secondsSince1970: secondsSince1970 + expiresIn) }
        }
    }
}

extension UUID {
    fileprivate init(chance: inout SeededGenerator) {
        let (high, low) = (chance.next(), chance.next())
        func byte(_ bits: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: bits >> (index * 8)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4),
                byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }
}
