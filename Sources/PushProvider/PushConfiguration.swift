/// How a client behaves. Every value has a default that fits a server.
public struct PushConfiguration: Sendable, Hashable {
    /// How long a notification may take, from the call to its outcome, the queue included.
    public var timeout: Duration = .seconds(30)
    /// How many notifications may be queued before callers have to wait for room.
    public var queuedNotifications = 10_000
    /// How many bytes of requests may be queued before callers have to wait for room.
    public var queuedBytes = 32 << 20
    /// How many connections there are as soon as there is something to send. Apple wants few that live long.
    public var minimumConnections = 1
    /// How many there may be. One carries as much in a round trip as its streams and the server's window allow, a thousand
    /// small notifications or sixteen of 4 KB. Where notifications wait while all are full, another one is tried, up to this
    /// number, and kept if it brings more answers.
    public var maximumConnections = 8
    /// After so long with less to do than fewer connections could, one above the minimum is closed.
    public var connectionIdleTime: Duration = .seconds(60)
    /// Over how many threads of the event loop group the connections are spread at the most.
    public var eventLoops = 4
    /// How many streams a connection opens at the most, whatever the server allows.
    public var streamsPerConnection = 1000
    /// The proxy that every connection goes through; `nil` for none. Environment variables are read only where
    /// ``PushProxy/named(in:for:)`` is asked to.
    public var proxy: PushProxy?
    /// How long the name may be looked up.
    public var resolveTimeout: Duration = .seconds(10)
    /// How long TCP may connect, over all addresses of the name; and how long a proxy may take to open its tunnel after that.
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
    /// Whether a notification that Apple would refuse for certain is refused here, before it is sent. Without it only what has no
    /// form on the wire is, such as a topic with a line break: for those who want to see what a server answers.
    public var checksNotifications = true
    /// When a sequence of notifications is stopped because device tokens and setup do not fit; `nil` for never.
    ///
    /// It is for ``PushClient/outcomes(of:timeout:)``. A single send tells its caller its own answer, and callers of one client
    /// may be strangers to each other: the tokens of one must not keep the notifications of another.
    public var mismatchBreaker: MismatchBreaker? = .standard
    /// Tells the metrics of this client from those of others in the process, as the value of the dimension `client`; `nil` for
    /// none.
    public var metricsName: String?

    /// How often is measured what is not counted; for tests.
    package var measuringInterval: Duration = .seconds(1)
    /// For tests of what comes first where the machine is slow: how long an address is asked before the next one is too.
    package var headStart = Duration.milliseconds(250)
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
        let numbers = 1...Self.mostConnections
        try require(numbers.contains(minimumConnections), "minimumConnections", "1 to \(Self.mostConnections)")
        try require(numbers.contains(maximumConnections), "maximumConnections", "1 to \(Self.mostConnections)")
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
        let windows = 1...MismatchBreaker.longestWindow
        try require(windows.contains(window), "mismatchBreaker.window", "1 to \(MismatchBreaker.longestWindow)")
    }
}
