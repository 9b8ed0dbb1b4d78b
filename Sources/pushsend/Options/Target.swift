import PushProvider

/// The server to send to, from the options.
struct Target: Sendable {
    var environment: PushEnvironment
    /// The file of the trusted CAs, instead of those of the system.
    var authoritiesFile: String?
    /// A note for the user about how the server was chosen.
    var note: String?
    /// The proxy to the server.
    var proxy = ProxyChoice.none
    /// Whether it is a server of Apple, so that real devices can receive the push.
    var isApple: Bool
}
