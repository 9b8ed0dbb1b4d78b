package struct ServiceLimits: Sendable, Hashable {
    /// The maximum size of a request body in bytes. A longer one is refused with 413. A stream of lines has no limit.
    package var bodyBytes = 8 << 20
    /// The maximum size of one line of a stream, in bytes. A longer line is refused, and the stream continues.
    package var lineBytes = 256 << 10
    /// The maximum number of unfinished jobs in the queue. Beyond it, pushes are refused with 503.
    package var queueDepth = 10_000_000
    /// How many pushes and other requests of one key are accepted in a second. More are refused with 429, and a stream of lines
    /// waits; `nil` for no limit.
    package var ratePerKey: Double?
    /// How many logins to the page are accepted in a second from one address. More are refused with 429.
    package var loginsPerSecond = 5.0
    /// The maximum number of connections. When all places are taken, the oldest connection without a key ends for each new one.
    /// If all of them have a key, more wait until one ends. One key gets half of the places, and then 429.
    package var connections = 10_000
    /// The maximum number of bytes that the service holds for its clients: unfinished requests and their bodies, and answers
    /// that were not read. One key gets half of it; those without a key get half together, and one address a quarter. A few KiB
    /// of each connection don't count. Beyond that, a request is refused with 429 or 503, and a connection that doesn't read is
    /// closed.
    package var memory = 192 << 20
    /// The maximum number of JSON values in a body, in all levels. More are refused with 413.
    package static let jsonValues = 250_000
    /// How long the service may take for an answer, without the time in which it waits for the client. Then it is 503.
    package var answerTime = Duration.seconds(15)
    /// How long the service may take to find out whether it is ready. Then it is not.
    package var readyTime = Duration.seconds(5)
    /// How long a probe of the readiness counts.
    package var readyAge = Duration.seconds(1)
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

    package init() {}

    /// The number of connections for which the process may open files. If none were left, not only the next connection would fail: Dispatch
    /// ends a process in which it cannot open a file.
    ///
    /// - Parameters:
    ///   - files: How many files the process may open; `nil` for no limit.
    ///   - others: How many of them it needs for everything but these connections.
    /// - Returns: The number; 0 or less if the process cannot serve.
    package func connections(ofFiles files: Int?, others: Int) -> Int {
        min(connections, (files ?? .max) - others)
    }
}
