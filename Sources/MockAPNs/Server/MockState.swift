internal import NIOConcurrencyHelpers

/// The state that all connections of a mock share, protected by a lock.
final class MockState: Sendable {
    /// A copy of the state that a connection needs to check a batch of requests without holding the lock.
    struct Snapshot: Sendable {
        var world: World
        var reader: ProviderTokenReader
        /// Increases whenever a key is added. Provider tokens that were read before must then be read again.
        var trustGeneration: Int
        /// Whether a fault could act on a request.
        var hasFaults: Bool
        /// The number of requests that arrived before the batch.
        var requestsBefore: Int
    }

    private struct State {
        var world: World
        var keyring: Keyring
        var trustGeneration = 0
        var faults: FaultPlan
        var requests = 0
    }

    let configuration: MockConfiguration
    let journal: MockJournal
    let records: ConnectionRecords
    let tlsContexts: FaultTLSContexts
    let paddings = FaultPaddings()
    let connections = OpenConnections()
    private let unfinished: NIOLockedValueBox<UnfinishedRequests>
    private let state: NIOLockedValueBox<State>

    init(configuration: MockConfiguration, world: World, keyring: Keyring, credentials: MockCredentials) {
        self.configuration = configuration
        tlsContexts = FaultTLSContexts(credentials)
        journal = MockJournal(bound: .init(count: configuration.logCount, bytes: configuration.logBytes))
        records = ConnectionRecords(bound: configuration.recordCount, length: configuration.recordLength)
        unfinished = NIOLockedValueBox(UnfinishedRequests(limit: configuration.limits.unfinishedBytes ?? .max))
        let faults = FaultPlan(seed: configuration.seed)
        state = NIOLockedValueBox(State(world: world, keyring: keyring, faults: faults))
    }

    /// Returns the state for checking a batch of requests, and counts the requests.
    ///
    /// - Parameter requests: The number of requests in the batch.
    /// - Returns: A copy of the state.
    func snapshot(for requests: Int) -> Snapshot {
        state.withLockedValue { state in
            state.requests += requests
            let checks = state.world.authentication == .trustedKeys
            return Snapshot(
                world: state.world,
                reader: checks ? state.keyring.reader : Keyring.indifferent,
                trustGeneration: state.trustGeneration,
                hasFaults: !state.faults.isEmpty,
                requestsBefore: state.requests - requests
            )
        }
    }

    var world: World { state.withLockedValue { $0.world } }

    func change<Result>(_ body: (inout World) -> Result) -> Result {
        state.withLockedValue { body(&$0.world) }
    }

    /// Counts a request that is not checked.
    func countRequest() {
        state.withLockedValue { $0.requests += 1 }
    }

    func trust(_ key: TrustedKey, _ change: (inout Keyring) -> Void) {
        state.withLockedValue { state in
            state.world.trust(key)
            change(&state.keyring)
            state.trustGeneration += 1
        }
    }

    /// Updates the number of bytes of incomplete requests on a connection.
    ///
    /// - Returns: The number of the connection to close, if all connections together have too many bytes.
    func keepsUnfinished(_ bytes: Int, connection: Int) -> Int? {
        unfinished.withLockedValue { $0.keeps(bytes, connection: connection) }
    }

    // MARK: Faults

    func changeFaults<Result>(_ body: (inout FaultPlan) -> Result) -> Result {
        state.withLockedValue { body(&$0.faults) }
    }

    /// Whether a fault could act on the headers of a request.
    var hasFaultsAtHeaders: Bool { state.withLockedValue { $0.faults.concernsHeaders } }

    func order(for happening: FaultHappening) -> FaultOrder? {
        state.withLockedValue { $0.faults.isEmpty ? nil : $0.faults.order(for: happening) }
    }
}
