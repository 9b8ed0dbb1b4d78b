import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

/// One thing that can go wrong between a client and APNs: how it is brought about, and what must become of the pushes.
struct FaultRow: Sendable {
    /// What a fault may do to a notification.
    enum Kind: Sendable {
        /// Provably not processed: sent again by itself, not sent when that ends.
        case returned
        /// Nobody knows: sent again under at-least-once only.
        case unknown
        /// The connection breaks: what was written is unknown, the rest is sent again.
        case connectionBreaks
        /// No effect: what the server said is the outcome.
        case harmless
        /// Reported at once, in words that say what to do, and nothing is sent.
        case terminal
        /// The whole client stops, with one alarm.
        case clientStops
    }

    /// How the fault is brought about.
    enum Arrangement: Sendable {
        /// A mock with faults, which end when the row is over.
        case mock([MockFault], @Sendable (inout MockConfiguration) -> Void = { _ in })
        /// A server that obeys a script until the row is over, and answers everything from then on.
        case script(@Sendable () -> ServerScript)
        /// A port where nobody listens before the row is over, or asks for it.
        case nobody
        /// One where even the packets are lost until then.
        case nowhere
    }

    /// What the outcomes must be.
    enum Expected: Sendable {
        /// Each of them.
        case all(String)
        /// How many of each, and no others.
        case counts([String: Int])
        /// Each begins so: where how far it had come depends on the speed of the machine.
        case allBegin(String)
    }

    /// Its number in the list of faults, and a letter where it has several forms.
    var number: String
    var words: String
    var kind: Kind
    var arrangement: Arrangement
    /// How many are pushed; ``play`` may push more.
    var pushes = 6
    /// What is pushed; a short alert by default.
    var payload: PushPayload?
    /// The ports of 127.0.0.1 that the server's name stands for when it is asked for again and again, from 1, and how long
    /// the answer takes; without it there is no name.
    var resolve: (@Sendable (_ query: Int, _ serverPort: Int) -> ResolvedPorts)?
    /// How the proxy before the server treats a connection with a number, from 1, until the row is over; without it there is no
    /// proxy.
    var proxy: (@Sendable (_ connection: Int) -> TestProxy.Manner)?
    /// What the client says to the proxy: `user:password`.
    var proxyUser: String?
    /// With what the client proves who it is; by provider tokens of the stage's key by default.
    var credentials: @Sendable (FaultStage) throws -> PushCredentials = { .token($0.key) }
    /// What the server calls an answer cannot be understood.
    var spoilsAnswers = false
    /// The server's log knows of the reason that it has given.
    var saysItsReason = true
    /// How the client differs from one that sends again whatever may be sent again.
    var configure: @Sendable (inout PushConfiguration) -> Void = { _ in }
    /// How many connections there may be before the fault is over.
    var maximumConnections = 2
    /// The outcomes where nothing is sent twice.
    var expected = Expected.all("accepted")
    /// The outcomes where what is unknown is sent again.
    var expectedAtLeastOnce = Expected.all("accepted")
    /// The client can be used when the row is over.
    var clientSurvives = true
    /// Starts the pushes, and does what the server does not do by itself.
    var play: @Sendable (FaultTrial) async throws -> Void = { try await $0.start($0.row.pushes) }
    /// What else must be true when all have their outcome, in both runs.
    var also: @Sendable (FaultTrial, [PushOutcome]) async throws -> Void = { _, _ in }

    /// Whether it may leave somebody in doubt.
    var mayLeaveUnknown: Bool {
        switch kind {
        case .unknown, .connectionBreaks: true
        case .returned, .harmless, .terminal, .clientStops: false
        }
    }
}

extension FaultRow {
    static let all =
        names + connecting + proxies + handshakes + settings + windows + streams + answers + oddAnswers + frames
        + goAways
        + connections + silence + credentials + refusedCredentials
}

/// A row, and what is done where nobody knows.
struct FaultRun: Sendable, CustomTestStringConvertible {
    var row: FaultRow
    var guarantee: PushConfiguration.RetryPolicy.Guarantee

    static let all = FaultRow.all.flatMap { row in
        let guarantees: [PushConfiguration.RetryPolicy.Guarantee] =
            row.mayLeaveUnknown ? [.atMostOnce, .atLeastOnce] : [.atMostOnce]
        return guarantees.map { FaultRun(row: row, guarantee: $0) }
    }

    var expected: FaultRow.Expected { guarantee == .atMostOnce ? row.expected : row.expectedAtLeastOnce }

    var testDescription: String {
        "\(row.number) \(row.words)\(guarantee == .atLeastOnce ? ", at least once" : "")"
    }
}
