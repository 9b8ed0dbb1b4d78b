public import APNSVocabulary
public import PushPlatform

/// A registered device token: one app on one device, for one kind of push.
public struct MockDevice: Hashable, Sendable {
    /// Whether the token is still valid. Until the time of its end, it is.
    public enum State: Hashable, Sendable {
        case active
        /// The app was removed, or has got another token, at this time: 410 `Unregistered`.
        case unregistered(since: Date)
        /// The token expired at this time: 410 `ExpiredToken`.
        case expired(since: Date)
    }

    /// The device token.
    public let token: DeviceToken
    /// The topics for which the token is valid; empty for all topics. The token of an app has only the bundle id:
    /// calls, Live Activities, complications and others have separate tokens.
    public var topics: Set<String>
    /// The environment that issued it; `nil` for both.
    public var environment: MockEnvironment?
    /// Whether the token is still valid.
    public var state: State
    /// Whether the device is connected to APNs. If not, APNs stores accepted pushes until they expire.
    public var isOnline = true
    /// Whether the app may show notifications. If not, APNs discards accepted pushes.
    public var allowsNotifications = true

    /// Creates a device. With the defaults, its token is valid for all topics and both environments.
    public init(
        token: DeviceToken,
        topics: Set<String> = [],
        environment: MockEnvironment? = nil,
        state: State = .active
    ) {
        self.token = token
        self.topics = topics
        self.environment = environment
        self.state = state
    }
}

/// The two environments of APNs.
public enum MockEnvironment: String, Sendable, Hashable, CaseIterable {
    /// For apps installed by Xcode.
    case sandbox
    /// For apps from TestFlight, ad hoc distribution and the App Store.
    case production

    /// The environment of one of Apple's hosts; `nil` for another host.
    ///
    /// - Parameter host: A host name, in any letter case.
    init?(appleHost host: String) {
        let host = host.lowercased()
        guard APNSHost.all.contains(host) else { return nil }
        self = host.contains("sandbox") || host.contains("development") ? .sandbox : .production
    }
}
