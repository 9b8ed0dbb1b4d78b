/// Everything outside of a request and its connection that a verdict depends on.
public struct World: Sendable, Equatable {
    /// Which of Apple's two services the mock stands in for.
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        /// For apps that Xcode has put on the device.
        case sandbox
        /// For TestFlight, ad hoc and the App Store.
        case production
    }

    /// Whose provider tokens are accepted.
    public enum Authentication: Sendable, Hashable {
        /// Those signed by one of ``World/trustedKeys``.
        case trustedKeys
        /// Anybody's: key, team and signature are not looked at. Form, algorithm and age still are.
        case any
    }

    /// What becomes of device tokens that are not in the registry.
    public enum UnknownTokens: String, Sendable, Hashable {
        /// They are taken for devices of the right app and environment.
        case accept
        /// They get `BadDeviceToken`, as a token does that Apple has never issued.
        case reject
    }

    /// Which of Apple's services this is.
    public var environment: Environment
    /// Whose provider tokens are accepted.
    public var authentication: Authentication
    /// The keys that count under ``Authentication/trustedKeys``, by their key id.
    public private(set) var trustedKeys: [String: TrustedKey] = [:]
    /// What becomes of device tokens that are not in the registry.
    public var unknownTokens: UnknownTokens
    /// The devices that are known.
    public var devices = DeviceRegistry()
    /// How often each device token was sent to lately; kept only where ``MockVariants/deviceRateLimit`` asks for it.
    public private(set) var deviceRates = DeviceRates()
    /// How the mock behaves where the real service is not known for sure.
    public var variants: MockVariants

    /// A world of trusted keys with no device in it.
    public init(
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

    /// Trusts a key from now on, in place of another one with the same key id.
    public mutating func trust(_ key: TrustedKey) {
        trustedKeys[key.keyID] = key
    }

    /// A request was accepted: it counts against the rate of its device token, where a rate is limited.
    ///
    /// - Parameters:
    ///   - request: The request with the verdict 200.
    ///   - now: The time of the request.
    public mutating func requestAccepted(_ request: MockRequest, at now: Moment) {
        guard let limit = variants.deviceRateLimit, case .device(let token) = request.target else { return }
        deviceRates.requestAccepted(for: token, under: limit, at: now)
    }
}
