public import APNSVocabulary

/// A device token as Apple knows it: one app on one device, for one kind of push.
public struct Device: Hashable, Sendable {
    /// Whether the token still leads to the app.
    public enum State: Hashable, Sendable {
        /// It does.
        case active
        /// The app is gone or has another token since then: 410 `Unregistered`.
        case unregistered(since: Moment)
        /// The token has run out since then: 410 `ExpiredToken`.
        case expired(since: Moment)
    }

    /// The token.
    public let token: DeviceToken
    /// The topics that it can be sent to; empty for every topic. An app's token has the bundle id alone: calls, Live
    /// Activities, complications and others have tokens of their own.
    public var topics: Set<String>
    /// The environment that issued it; `nil` for both.
    public var environment: World.Environment?
    /// Whether it still leads to the app.
    public var state: State

    /// Describes a device token; with the defaults, one that can be sent to everywhere.
    public init(
        token: DeviceToken,
        topics: Set<String> = [],
        environment: World.Environment? = nil,
        state: State = .active
    ) {
        self.token = token
        self.topics = topics
        self.environment = environment
        self.state = state
    }
}
