import PushPlatform

/// The configuration of a client. The defaults suit a server.
public struct PushConfiguration: Sendable, Hashable {
    /// The maximum time from the call to the outcome of a notification, including the time in the queue.
    public var timeout: Duration = .seconds(30)
    /// The maximum number of notifications in the queue. When it is full, callers wait.
    public var queuedNotifications = 10_000
    /// The maximum number of bytes of requests in the queue. When it is full, callers wait.
    public var queuedBytes = 32 << 20
    /// The number of connections that are always open while there is something to send. Apple recommends few
    /// connections that stay open for a long time.
    public var minimumConnections = 1
    /// The maximum number of connections. In one round trip, a connection carries as many notifications as its streams
    /// and the server's window allow: 1000 small ones, or 16 of 4 KB. If notifications wait while all connections are
    /// full, the client opens another connection, up to this number, unless the server or this machine is the limit.
    public var maximumConnections = 8
    /// How long a connection above the minimum may be idle before it is closed.
    public var connectionIdleTime: Duration = .seconds(60)
    /// The maximum number of threads of the event loop group that the connections use.
    public var eventLoops = 4
    /// The maximum number of open streams on a connection, even if the server allows more.
    public var streamsPerConnection = 1000
    /// The proxy for every connection; `nil` for none. Environment variables are read only by
    /// ``PushProxy/named(in:for:)``.
    public var proxy: PushProxy?
    /// The maximum time for the lookup of the host name.
    public var resolveTimeout: Duration = .seconds(10)
    /// The maximum time to connect with TCP, for all addresses of the name together. The same limit applies again to a
    /// proxy that opens its tunnel.
    public var connectTimeout: Duration = .seconds(10)
    /// The maximum time for the TLS handshake.
    public var handshakeTimeout: Duration = .seconds(10)
    /// The maximum time to wait for the server's HTTP/2 settings after the TLS handshake.
    public var settingsTimeout: Duration = .seconds(10)
    /// How long a connection may be silent before the client sends a PING and waits for the answer before the next
    /// request. A silent connection may be dead.
    public var trustedSilence: Duration = .seconds(60)
    /// How long a connection may be silent before the client sends a PING even if there is nothing to send; `nil` for
    /// never. A firewall or NAT on the way to Apple may drop silent connections.
    public var keepAlive: Duration?
    /// The maximum time for the answer to a PING. A connection that does not answer in time is replaced.
    public var pingTimeout: Duration = .seconds(5)
    /// How long a shutdown waits until every notification in the queue or in flight has its outcome.
    public var drainTime: Duration = .seconds(30)
    /// The policy for automatic retries.
    public var retry = PushConfiguration.RetryPolicy.standard
    /// Whether each notification without an id gets one, so that it can be found again whatever its outcome is. With
    /// ``PushConfiguration/RetryPolicy/Guarantee/atLeastOnce`` it always gets one.
    public var assignsIDs = true
    /// Whether the client refuses a notification that APNs would certainly reject. If `false`, it refuses only a
    /// notification that cannot be sent as HTTP/2, such as one with a line break in its topic. Use `false` to see the
    /// answers of a server.
    public var checksNotifications = true
    /// When to stop a sequence of notifications because device tokens and setup do not match; `nil` for never.
    ///
    /// It applies only to `outcomes(of:)` of ``PushClient``. A single send returns its own answer to its caller. The
    /// callers of one client may be independent of each other: wrong tokens of one caller must not stop the
    /// notifications of another.
    public var mismatchBreaker: PushConfiguration.MismatchBreaker? = .standard
    /// The value of the dimension `client` in the metrics of this client, if a process has several clients; `nil` for
    /// none.
    public var metricsName: String?

    /// The interval between two recordings of the gauges; for tests.
    package var measuringInterval: Duration = .seconds(1)
    /// How long to wait for one address before the next one is tried as well. For tests of the order on a slow machine.
    package var headStart = Duration.milliseconds(250)
    /// The first stream id that is used. For tests of a connection's last stream.
    package var firstStreamID: Int32 = 1

    /// Creates a configuration with the defaults.
    public init() {}

    /// The maximum for the two numbers of connections. A larger value is an error.
    private static let connectionLimit = 1000

    func validate() throws(PushConfigurationError) {
        func require(_ isFine: Bool, _ name: String, _ rule: String) throws(PushConfigurationError) {
            if !isFine { throw PushConfigurationError(name: name, description: "\(name) must be \(rule).") }
        }
        try require(timeout > .zero, "timeout", "longer than zero")
        try require(queuedNotifications > 0, "queuedNotifications", "at least 1")
        try require(queuedBytes > 0, "queuedBytes", "at least 1")
        let numbers = 1...Self.connectionLimit
        try require(numbers.contains(minimumConnections), "minimumConnections", "1 to \(Self.connectionLimit)")
        try require(numbers.contains(maximumConnections), "maximumConnections", "1 to \(Self.connectionLimit)")
        try require(
            minimumConnections <= maximumConnections, "minimumConnections",
            "at most maximumConnections, which is \(maximumConnections)")
        try require(connectionIdleTime > .zero, "connectionIdleTime", "longer than zero")
        try require(eventLoops > 0, "eventLoops", "at least 1")
        let streams = 1...Int(Int32.max)
        try require(streams.contains(streamsPerConnection), "streamsPerConnection", "1 to \(streams.upperBound)")
        try require(resolveTimeout > .zero, "resolveTimeout", "longer than zero")
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
        guard let mismatchBreaker else { return }
        let (share, window) = (mismatchBreaker.share, mismatchBreaker.window)
        try require(share > 0 && share <= 1, "mismatchBreaker.share", "above 0 and at most 1")
        let windows = 1...PushConfiguration.MismatchBreaker.longestWindow
        try require(
            windows.contains(window), "mismatchBreaker.window",
            "1 to \(PushConfiguration.MismatchBreaker.longestWindow)")
    }
}

extension ClientTiming {
    /// Returns the clocks of the system, with the timeouts of a configuration.
    static func real(_ configuration: PushConfiguration) -> ClientTiming {
        ClientTiming(
            resolveTimeout: configuration.resolveTimeout,
            connectTimeout: configuration.connectTimeout,
            handshakeTimeout: configuration.handshakeTimeout,
            settingsTimeout: configuration.settingsTimeout,
            trustedSilence: configuration.trustedSilence,
            keepAlive: configuration.keepAlive,
            pingTimeout: configuration.pingTimeout
        )
    }
}
