/// The state of the mock that a verdict depends on, besides the request and its connection.
public struct World: Sendable, Equatable {
    /// The two environments of APNs.
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        /// For apps installed by Xcode.
        case sandbox
        /// For apps from TestFlight, ad hoc distribution and the App Store.
        case production
    }

    /// Which provider tokens are accepted.
    public enum Authentication: Sendable, Hashable {
        /// Only tokens signed with a key that the mock trusts: its own, or one of ``MockServer/trust(pem:as:)``.
        case trustedKeys
        /// All tokens. Key, team and signature are not checked; form, algorithm and age are.
        case any
    }

    /// How device tokens that are not in the registry are handled.
    public enum UnknownTokens: String, Sendable, Hashable, CaseIterable {
        /// They are accepted as devices of the right app and environment.
        case accept
        /// They get `BadDeviceToken`, like tokens that Apple has never issued.
        case reject
    }

    /// The environment that the mock simulates.
    package var environment: Environment
    /// Which provider tokens are accepted.
    package var authentication: Authentication
    /// The keys for ``Authentication/trustedKeys``, by key id.
    package private(set) var trustedKeys: [String: TrustedKey] = [:]
    /// How device tokens that are not in the registry are handled.
    package var unknownTokens: UnknownTokens
    /// Whether device tokens with a documented beginning get the answer of that beginning.
    package var acceptsMagicTokens = false
    /// The registered devices.
    package var devices = DeviceRegistry()
    /// The broadcast channels.
    package private(set) var channels = ChannelRegistry()
    /// The number of recent requests for each device token. Counted only if ``MockVariants/deviceRateLimit`` is set.
    package private(set) var deviceRates = DeviceRates()
    /// How the mock behaves where the behaviour of the real service is uncertain.
    package var variants: MockVariants

    /// Creates the state of a mock with these keys and without devices.
    package init(
        environment: Environment = .sandbox,
        authentication: Authentication = .trustedKeys,
        trustedKeys: [TrustedKey] = [],
        unknownTokens: UnknownTokens = .accept,
        variants: MockVariants = MockVariants()
    ) {
        self.environment = environment
        self.authentication = authentication
        self.unknownTokens = unknownTokens
        self.variants = variants
        for key in trustedKeys { trust(key) }
    }

    /// Trusts a key from now on. It replaces a key with the same key id.
    package mutating func trust(_ key: TrustedKey) {
        trustedKeys[key.keyID] = key
    }

    /// Trusts a key no longer.
    package mutating func revoke(_ keyID: String) {
        trustedKeys[keyID] = nil
    }

    /// Applies what an accepted request changes, before the next request is judged.
    ///
    /// - Parameters:
    ///   - effect: The effect of the judgement.
    ///   - now: The time of the request.
    package mutating func apply(_ effect: Effect, at now: Moment) {
        switch effect {
        case .pushed(let token):
            guard let limit = variants.deviceRateLimit else { return }
            deviceRates.requestAccepted(for: token, under: limit, at: now)
        case .created(let channel, let app, let environment): channels.add(channel, of: app, in: environment)
        case .deleted(let id, let app, let environment): channels.remove(id, of: app, in: environment)
        case .broadcast(let id, let app, let environment): channels.countBroadcast(id, of: app, in: environment)
        }
    }

    /// Forgets channels and counts.
    mutating func forgetWhatHappened() {
        channels = ChannelRegistry()
        deviceRates = DeviceRates()
    }

    /// Whether a request must be judged while no other request changes the state.
    func mustJudgeAlone(_ request: MockRequest) -> Bool {
        guard request.target.app != nil else { return variants.deviceRateLimit != nil }
        return request.method != "GET"
    }
}
