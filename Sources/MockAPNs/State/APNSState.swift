package import PushPlatform

/// The state of the simulated APNs that a verdict depends on, besides the request and its connection.
package struct APNSState: Sendable, Equatable {
    package var environment: MockEnvironment
    package var authentication: MockAuthentication
    /// The keys for ``MockAuthentication/trustedKeys``, by key id.
    package private(set) var trustedKeys: [String: MockTrustedKey] = [:]
    package var authorities: [MockAuthority] = []
    /// SHA-256 of the client certificates that were revoked, in lower-case hex.
    package var revokedCertificates: Set<String> = []
    package var unknownTokens: MockUnknownTokenPolicy
    /// Whether device tokens with a documented beginning get the answer of that beginning.
    package var acceptsMagicTokens = false
    package var devices = DeviceRegistry()
    package private(set) var channels = ChannelRegistry()
    /// The number of recent requests for each device token. Counted only if ``MockVariants/deviceRateLimit`` is set.
    package private(set) var deviceRates = DeviceRates()
    /// How the mock behaves where the behaviour of the real service is uncertain.
    package var variants: MockVariants

    package init(
        environment: MockEnvironment = .sandbox,
        authentication: MockAuthentication = .trustedKeys,
        trustedKeys: [MockTrustedKey] = [],
        unknownTokens: MockUnknownTokenPolicy = .accept,
        variants: MockVariants = MockVariants()
    ) {
        self.environment = environment
        self.authentication = authentication
        self.unknownTokens = unknownTokens
        self.variants = variants
        for key in trustedKeys { trust(key) }
    }

    /// Trusts a key from now on. It replaces a key with the same key id.
    package mutating func trust(_ key: MockTrustedKey) {
        trustedKeys[key.keyID] = key
    }

    package mutating func revoke(_ keyID: String) {
        trustedKeys[keyID] = nil
    }

    /// Applies what an accepted request changes, before the next request is judged.
    ///
    /// - Parameters:
    ///   - effect: The effect of the judgement.
    ///   - now: The time of the request.
    package mutating func apply(_ effect: Effect, at now: Date) {
        switch effect {
        case .pushed(let token):
            guard let limit = variants.deviceRateLimit else { return }
            deviceRates.requestAccepted(for: token, under: limit, at: now)
        case .created(let channel, let app, let environment): channels.add(channel, of: app, in: environment)
        case .deleted(let id, let app, let environment): channels.remove(id, of: app, in: environment)
        case .broadcast(let id, let app, let environment): channels.countBroadcast(id, of: app, in: environment)
        }
    }

    mutating func forgetWhatHappened() {
        channels = ChannelRegistry()
        deviceRates = DeviceRates()
    }
}

/// What an accepted request changes. It is applied before the next request is judged.
package enum Effect: Hashable, Sendable {
    /// A push counts for the rate limit of its device token.
    case pushed(token: String)
    case created(MockChannel, app: String, MockEnvironment)
    case deleted(id: String, app: String, MockEnvironment)
    case broadcast(id: String, app: String, MockEnvironment)
}
