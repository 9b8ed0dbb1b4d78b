internal import DequeModule
internal import NIOConcurrencyHelpers

/// What all connections of a mock share, behind one lock.
final class MockState: Sendable {
    /// What a connection needs to judge a batch of requests: a copy, so that judging holds no lock.
    struct Snapshot: Sendable {
        var world: World
        var reader: ProviderTokenReader
        /// Grows whenever other keys are trusted: readings made before are worth nothing then.
        var trustGeneration: Int
        var hasForcedAnswers: Bool
    }

    private struct State {
        var world: World
        var keyring: Keyring
        var trustGeneration = 0
        var forced: Deque<ForcedAnswer> = []
        var connections = 0
    }

    let configuration: MockConfiguration
    let journal: MockJournal
    private let state: NIOLockedValueBox<State>

    init(configuration: MockConfiguration, world: World, keyring: Keyring) {
        self.configuration = configuration
        journal = MockJournal(bound: .init(count: configuration.logCount, bytes: configuration.logBytes))
        state = NIOLockedValueBox(State(world: world, keyring: keyring))
    }

    func snapshot() -> Snapshot {
        state.withLockedValue { state in
            let checks = state.world.authentication == .trustedKeys
            return Snapshot(
                world: state.world,
                reader: checks ? state.keyring.reader : Keyring.indifferent,
                trustGeneration: state.trustGeneration,
                hasForcedAnswers: !state.forced.isEmpty
            )
        }
    }

    var world: World { state.withLockedValue { $0.world } }

    func change(_ body: (inout World) -> Void) {
        state.withLockedValue { body(&$0.world) }
    }

    func trust(_ key: TrustedKey, _ change: (inout Keyring) -> Void) {
        state.withLockedValue { state in
            state.world.trust(key)
            change(&state.keyring)
            state.trustGeneration += 1
        }
    }

    func force(_ answer: ForcedAnswer, times: Int) {
        state.withLockedValue { $0.forced.append(contentsOf: repeatElement(answer, count: max(0, times))) }
    }

    func takeForced() -> ForcedAnswer? {
        state.withLockedValue { $0.forced.popFirst() }
    }

    func nextConnectionNumber() -> Int {
        state.withLockedValue { state in
            state.connections += 1
            return state.connections
        }
    }

    var connectionCount: Int { state.withLockedValue { $0.connections } }
}

/// An answer that a test has ordered.
struct ForcedAnswer: Sendable {
    var status: Int
    var reason: RejectionReason?
    var timestamp: Moment?

    static let fact = Fact("The answer was ordered by a test.", .confirmed)

    func verdict(for request: MockRequest) -> Verdict {
        Verdict(
            status: status,
            reason: reason,
            timestamp: timestamp,
            messageID: request.id ?? "",
            check: "forced answer",
            fact: Self.fact
        )
    }
}
