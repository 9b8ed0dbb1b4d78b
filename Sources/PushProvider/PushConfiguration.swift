/// How a client behaves. Every value has a default that fits a server.
public struct PushConfiguration: Sendable, Hashable {
    /// How long a notification may take, from the call to its outcome, the queue included.
    public var timeout: Duration = .seconds(30)
    /// How many notifications may be queued before callers have to wait for room.
    public var queuedNotifications = 10_000
    /// How many bytes of requests may be queued before callers have to wait for room.
    public var queuedBytes = 32 << 20
    /// How many connections take requests, once there is enough to send. Apple wants few that live long; one carries a
    /// thousand requests at a time.
    public var connections = 1
    /// Over how many threads of the event loop group the connections are spread at the most.
    public var eventLoops = 4
    /// How many streams a connection opens at the most, whatever the server allows.
    public var streamsPerConnection = 1000
    /// How long the name may be looked up and TCP may connect.
    public var connectTimeout: Duration = .seconds(10)
    /// How long the TLS handshake may take.
    public var handshakeTimeout: Duration = .seconds(10)
    /// How long the server's HTTP/2 settings may be awaited after that.
    public var settingsTimeout: Duration = .seconds(10)
    /// After so much silence a connection is asked by a PING before it gets a request: it may have died unnoticed.
    public var trustedSilence: Duration = .seconds(60)
    /// After so much silence a connection is asked by a PING even if there is nothing to send; `nil` for never. Something
    /// between here and Apple may forget connections that say nothing.
    public var keepAlive: Duration?
    /// How long the answer to a PING may take; a connection that does not answer is replaced.
    public var pingTimeout: Duration = .seconds(5)
    /// How long a shutdown waits for what is taken in.
    public var drainTime: Duration = .seconds(30)
    /// What is sent again by itself, and when.
    public var retry = RetryPolicy.standard
    /// Each notification without an id gets one, so that it can be found again whatever its outcome. With
    /// ``RetryPolicy/Guarantee/atLeastOnce`` it always does.
    public var assignsIDs = true

    /// For tests of a connection's last stream: the ids below are not used.
    package var firstStreamID: Int32 = 1

    /// The defaults.
    public init() {}

    private static let mostConnections = 1000

    func validate() throws(PushConfigurationError) {
        func require(_ isFine: Bool, _ name: String, _ rule: String) throws(PushConfigurationError) {
            if !isFine { throw PushConfigurationError(name: name, description: "\(name) must be \(rule).") }
        }
        try require(timeout > .zero, "timeout", "longer than zero")
        try require(queuedNotifications > 0, "queuedNotifications", "at least 1")
        try require(queuedBytes > 0, "queuedBytes", "at least 1")
        try require((1...Self.mostConnections).contains(connections), "connections", "1 to \(Self.mostConnections)")
        try require(eventLoops > 0, "eventLoops", "at least 1")
        try require(streamsPerConnection > 0, "streamsPerConnection", "at least 1")
        try require(connectTimeout > .zero, "connectTimeout", "longer than zero")
        try require(handshakeTimeout > .zero, "handshakeTimeout", "longer than zero")
        try require(settingsTimeout > .zero, "settingsTimeout", "longer than zero")
        try require(drainTime >= .zero, "drainTime", "not negative")
        try require(trustedSilence > .zero, "trustedSilence", "longer than zero")
        try require(keepAlive.map { $0 > .zero } ?? true, "keepAlive", "longer than zero")
        try require(pingTimeout > .zero, "pingTimeout", "longer than zero")
        try require(retry.attempts > 0, "retry.attempts", "at least 1")
        try require(
            retry.guarantee == .atMostOnce || retry.attempts > 1, "retry.attempts", "at least 2 with .atLeastOnce")
        try require(retry.firstPause > .zero, "retry.firstPause", "longer than zero")
        try require(retry.longestPause >= retry.firstPause, "retry.longestPause", "at least retry.firstPause")
    }
}

/// A value of a configuration that cannot be used.
public struct PushConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the value.
    public let name: String
    /// What it must be, in a sentence.
    public let description: String
}
