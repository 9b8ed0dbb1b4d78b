internal import NIOConcurrencyHelpers
import PushPlatform

/// The state that all connections of a mock share, protected by a lock.
final class MockState: Sendable {
    /// A copy of the state that a connection needs to check a batch of requests without holding the lock.
    final class Snapshot: Sendable {
        let apnsSnapshot: APNSSnapshot
        let reader: ProviderTokenReader
        /// Increases whenever a key is added. Provider tokens that were read before must then be read again.
        let trustGeneration: Int
        /// The mocks of the namespaces that a key id chooses on the ports of this one.
        let keyRoutes: [String: MockState]
        /// Whether a fault could act on a request.
        let hasFaults: Bool
        /// Whether a fault depends on the answer to a request.
        let hasFaultsAboutVerdicts: Bool
        /// The number of requests that arrived before the batch.
        let requestsBefore: Int
        let now: Date
        // What each request needs. Reading them from the state would copy it.
        let acceptsMagicTokens: Bool
        let streamsAfterAuthentication: UInt32
        /// Whether rejections can end a connection.
        let countsRejections: Bool
        /// Whether a push to a device changes the state: it counts for the rate of the device.
        let limitsDevices: Bool

        /// - Parameters:
        ///   - state: The state now.
        ///   - requests: The number of requests in the batch, which are counted already.
        fileprivate init(_ state: State, requests: Int) {
            apnsSnapshot = APNSSnapshot(state.apns)
            reader = state.apns.authentication == .trustedKeys ? state.keyring.reader : Keyring.indifferent
            trustGeneration = state.trustGeneration
            keyRoutes = state.keyRoutes
            hasFaults = !state.faults.isEmpty
            hasFaultsAboutVerdicts = state.faults.concernsVerdicts
            requestsBefore = state.requests - requests
            now = state.clock.time(at: .now)
            acceptsMagicTokens = state.apns.acceptsMagicTokens
            streamsAfterAuthentication = state.apns.variants.streamsAfterAuthentication
            countsRejections = state.apns.variants.errorsBeforeGoAway != nil
            limitsDevices = state.apns.variants.deviceRateLimit != nil
        }

        var apns: APNSState { apnsSnapshot.apns }
    }

    fileprivate struct State {
        var apns: APNSState
        var keyring: Keyring
        var trustGeneration = 0
        var faults: FaultPlan
        var requests = 0
        var clock = MockClock()
        var keyRoutes: [String: MockState] = [:]
        /// Keys that are not trusted for a while.
        var suspended: [String: MockTrustedKey] = [:]
        /// To what a reset returns: settings, keys and devices, and faults.
        var apnsAtStart: APNSState
        var keyringAtStart: Keyring
        var faultsAtStart: [MockFault] = []

        init(apns: APNSState, keyring: Keyring, faults: FaultPlan) {
            self.apns = apns
            self.keyring = keyring
            self.faults = faults
            apnsAtStart = apns
            keyringAtStart = keyring
        }
    }

    let configuration: MockConfiguration
    let journal: MockJournal
    let violations: ViolationLog
    let expectations: ExpectationLog
    private let behaviour = NIOLockedValueBox(ClientBehaviour())
    let records: ConnectionRecords
    let tlsContexts: FaultTLSContexts
    let paddings = FaultPaddings()
    let connections = OpenConnections()
    private let observerBox = NIOLockedValueBox<(any ArrivalObserver)?>(nil)
    private let unfinished: NIOLockedValueBox<UnfinishedRequests>
    private let state: NIOLockedValueBox<State>

    init(configuration: MockConfiguration, apns: APNSState, keyring: Keyring, credentials: MockCredentials) {
        self.configuration = configuration
        let (ledger, namespace) = (configuration.ledger, configuration.namespace)
        violations = ViolationLog { ledger?.add($0) }
        expectations = ExpectationLog { ledger?.add($0, in: namespace) }
        tlsContexts = FaultTLSContexts(credentials)
        var whenRemoved: (@Sendable ([MockArrival]) -> Void)?
        if let ledger {
            whenRemoved = { [expectations] removed in
                ledger.leave(unmatched: removed.filter { !expectations.isMatched($0.number) }, in: namespace)
            }
        }
        var whenAppended: (@Sendable ([MockArrival]) -> Void)?
        if let recorder = ledger?.recorder { whenAppended = { recorder($0, namespace) } }
        journal = MockJournal(
            bound: .init(count: configuration.logCount, bytes: configuration.logBytes), violations: violations,
            whenAppended: whenAppended, whenRemoved: whenRemoved)
        records = ConnectionRecords(bound: configuration.recordCount, length: configuration.recordLength)
        unfinished = NIOLockedValueBox(UnfinishedRequests(limit: configuration.limits.unfinishedBytes ?? .max))
        let faults = FaultPlan(seed: configuration.seed)
        var apns = apns
        apns.acceptsMagicTokens = configuration.acceptsMagicTokens
        state = NIOLockedValueBox(State(apns: apns, keyring: keyring, faults: faults))
    }

    /// Returns the state for checking a batch of requests, and counts the requests.
    ///
    /// - Parameter requests: The number of requests in the batch.
    /// - Returns: A copy of the state.
    func snapshot(for requests: Int) -> Snapshot {
        state.withLockedValue { state in
            state.requests += requests
            return Snapshot(state, requests: requests)
        }
    }

    /// Subtracts requests from the count, because another mock judges them.
    func uncount(_ requests: Int) {
        state.withLockedValue { $0.requests -= requests }
    }

    /// The mocks of the namespaces that a key id chooses on the ports of this one.
    var keyRoutes: [String: MockState] { state.withLockedValue { $0.keyRoutes } }

    /// Adds key ids that select another mock.
    ///
    /// - Returns: `false` if one of them already chooses a third one. Then nothing changes.
    func route(_ keyIDs: [String], to other: MockState) -> Bool {
        state.withLockedValue { state in
            guard keyIDs.allSatisfy({ state.keyRoutes[$0].map { $0 === other } ?? true }) else { return false }
            for id in keyIDs { state.keyRoutes[id] = other }
            return true
        }
    }

    func endRoutes(to other: MockState) {
        state.withLockedValue { state in state.keyRoutes = state.keyRoutes.filter { $0.value !== other } }
    }

    /// The key ids that choose a mock.
    func keyIDs(choosing other: MockState) -> [String] {
        state.withLockedValue { state in state.keyRoutes.filter { $0.value === other }.map(\.key).sorted() }
    }

    var keyring: Keyring { state.withLockedValue { $0.keyring } }

    var apns: APNSState { state.withLockedValue { $0.apns } }

    /// Knows the outcomes of requests on phones.
    var observer: (any ArrivalObserver)? {
        get { observerBox.withLockedValue { $0 } }
        set { observerBox.withLockedValue { $0 = newValue } }
    }

    /// The time on the mock's clock, which is used to check requests.
    var now: Date { state.withLockedValue { $0.clock.time(at: .now) } }

    var clock: MockClock { state.withLockedValue { $0.clock } }

    func changeClock(_ body: (inout MockClock) -> Void) {
        state.withLockedValue { body(&$0.clock) }
    }

    func change<Result>(_ body: (inout APNSState) -> Result) -> Result {
        state.withLockedValue { body(&$0.apns) }
    }

    /// Counts a request that is not checked.
    func countRequest() {
        state.withLockedValue { $0.requests += 1 }
    }

    func trust(_ key: MockTrustedKey, _ change: (inout Keyring) -> Void) {
        state.withLockedValue { state in
            state.suspended[key.keyID] = nil
            state.apns.trust(key)
            change(&state.keyring)
            state.trustGeneration += 1
        }
    }

    /// Stops trusting a key.
    ///
    /// - Returns: Whether it was trusted.
    func revoke(_ keyID: String) -> Bool {
        state.withLockedValue { state in
            let wasSuspended = state.suspended.removeValue(forKey: keyID) != nil
            guard wasSuspended || state.apns.trustedKeys[keyID] != nil else { return false }
            state.apns.revoke(keyID)
            state.keyring.revoke(keyID)
            state.trustGeneration += 1
            return true
        }
    }

    var keyCount: Int { state.withLockedValue { $0.apns.trustedKeys.count + $0.suspended.count } }

    /// Stops trusting a key, but remembers it.
    func suspend(_ keyID: String) {
        state.withLockedValue { state in
            guard let key = state.apns.trustedKeys[keyID] else { return }
            state.suspended[keyID] = key
            state.apns.revoke(keyID)
            state.keyring.suspend(keyID)
            state.trustGeneration += 1
        }
    }

    /// Trusts a key again that was suspended.
    func resume(_ keyID: String) {
        state.withLockedValue { state in
            guard let key = state.suspended.removeValue(forKey: keyID) else { return }
            state.apns.trust(key)
            state.keyring.resume(keyID)
            state.trustGeneration += 1
        }
    }

    /// Updates the number of bytes of incomplete requests on a connection.
    ///
    /// - Returns: The number of the connection to close, if all connections together have too many bytes.
    func keepsUnfinished(_ bytes: Int, connection: Int) -> Int? {
        unfinished.withLockedValue { $0.keeps(bytes, connection: connection) }
    }

    /// Brings the state back to that at the start.
    func reset() {
        journal.removeAll()
        violations.removeAll()
        expectations.removeAll()
        behaviour.withLockedValue { $0 = ClientBehaviour() }
        state.withLockedValue { state in
            state.faults.reset()
            for fault in state.faultsAtStart { _ = state.faults.insert(fault) }
            state.faults.seed = configuration.seed
            state.clock = MockClock()
            state.apns = state.apnsAtStart
            state.apns.forgetWhatHappened()
            state.keyring = state.keyringAtStart
            state.suspended = [:]
            state.trustGeneration += 1
        }
    }

    /// At the end of the mock, records in the ledger which requests of the log no expectation has matched. Requests that left the log
    /// are noted when they leave.
    func leaveUnmatched() {
        guard let ledger = configuration.ledger else { return }
        ledger.leave(
            unmatched: journal.all.filter { !expectations.isMatched($0.number) }, in: configuration.namespace)
    }

    /// Records in the mock-wide memory of behaviour what a client did.
    func noteBehaviour<Result>(_ body: (inout ClientBehaviour) -> Result) -> Result {
        behaviour.withLockedValue(body)
    }

    func rememberStart() {
        state.withLockedValue { state in
            state.apnsAtStart = state.apns
            state.keyringAtStart = state.keyring
            state.faultsAtStart = state.faults.activeFaults.map(\.fault)
        }
    }

    // MARK: Faults

    func changeFaults<Result>(_ body: (inout FaultPlan) -> Result) -> Result {
        state.withLockedValue { body(&$0.faults) }
    }

    /// Whether the connections of its ports look at headers before the body: for a fault, or to find the namespace.
    var needsHeaders: Bool { state.withLockedValue { $0.faults.concernsHeaders || !$0.keyRoutes.isEmpty } }

    /// Whether a fault could act on the headers of a request.
    var hasFaultsAtHeaders: Bool { state.withLockedValue { $0.faults.concernsHeaders } }

    /// The order for a magic token, which acts like a fault without a number.
    func order(of magic: [MockFault.Step]) -> FaultOrder? {
        state.withLockedValue { $0.faults.order(of: magic) }
    }

    func order(for event: FaultEvent) -> FaultOrder? {
        state.withLockedValue { $0.faults.isEmpty ? nil : $0.faults.order(for: event) }
    }
}
