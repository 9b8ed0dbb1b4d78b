/// What protects the service from its clients.
package struct ServiceLimits: Sendable, Hashable {
    /// The maximum size of a request body in bytes. A longer one is refused with 413. A stream of lines has no limit.
    package var bodyBytes = 8 << 20
    /// The maximum size of one line of a stream, in bytes. A longer line is refused, and the stream continues.
    package var lineBytes = 256 << 10
    /// The maximum number of unfinished jobs in the queue. Beyond it, pushes are refused with 503.
    package var queueDepth = 10_000_000
    /// How many requests and pushes of one key are accepted in a second. More are refused with 429; `nil` for no limit.
    package var ratePerKey: Double?
    /// How many logins to the page are accepted in a second from one address. More are refused with 429.
    package var loginsPerSecond = 5.0
    /// The maximum number of connections. More wait until one ends.
    package var connections = 10_000
    /// How long a connection may take until the head of its next request is complete. Then it is closed.
    package var headTime = Duration.seconds(60)
    /// How long a client may take to send ``bodyPace`` bytes of a body. Then the connection is closed.
    package var bodyTime = Duration.seconds(30)
    /// How many bytes of a body a client must send in ``bodyTime``.
    package var bodyPace = 1024
    /// How long a client may take to read what was written to it. Then the connection is closed.
    package var readingTime = Duration.seconds(60)
    /// The longest time that a request may wait for an outcome.
    package var longestWait = Duration.seconds(60)

    /// Creates the usual limits.
    package init() {}
}
