/// Measures how fast a connection is, and what limits it. A pure value; time is an argument.
struct ConnectionPace: Equatable, Sendable {
    typealias Limit = ConnectionLimit

    private(set) var answers = 0
    /// The time from a request to its answer, as a moving average; zero before the first answer.
    var answerTime: Duration { .nanoseconds(averageNanoseconds) }
    /// The shortest that ``answerTime`` has been; `nil` before the first answer.
    var shortestAnswerTime: Duration? { answers == 0 ? nil : .nanoseconds(shortestNanoseconds) }
    private(set) var lastAnswer: MonotonicTime?
    private(set) var lastRequest: MonotonicTime?
    /// What the connection is full of; `nil` if it has room.
    private(set) var limit: Limit?
    /// The time since when it has been full without a break.
    private(set) var fullSince: MonotonicTime?
    /// How many requests the connection can carry: the number in flight when the streams or the window were last used
    /// up, or more if more were in flight since.
    private(set) var maximumCarried: Int?
    /// How often the connection became full because of the window.
    private(set) var windowStalls = 0
    /// The total time that its thread has worked for the connection.
    private(set) var busy: Duration = .zero

    private var averageNanoseconds: Int64 = 0
    private var shortestNanoseconds = Int64.max
    /// An answer moves the average by one part in this many; the first answers move it by more.
    private static let weight: Int64 = 32

    mutating func requested(now: MonotonicTime) {
        lastRequest = now
    }

    /// Whether the window has been closed since the last request began, for longer than a server that still updates the
    /// window would need.
    func isStarved(since begun: MonotonicTime, now: MonotonicTime) -> Bool {
        guard limit == .window, let lastRequest, lastRequest <= begun else { return false }
        return begun.duration(to: now) >= max(.seconds(1), answerTime * 4)
    }

    mutating func answered(after duration: Duration, now: MonotonicTime) {
        answers += 1
        lastAnswer = now
        averageNanoseconds +=
            (duration.clampedNanoseconds - averageNanoseconds) / min(Int64(answers), Self.weight)
        shortestNanoseconds = min(shortestNanoseconds, averageNanoseconds)
    }

    /// Records that the connection has taken from the queue until it was full (`limit`), or until the queue was empty
    /// (`nil`).
    mutating func filled(upTo limit: Limit?, inFlight: Int, now: MonotonicTime) {
        if limit == .window, self.limit != .window { windowStalls += 1 }
        self.limit = limit
        guard let limit else {
            fullSince = nil
            if let known = maximumCarried { maximumCarried = max(known, inFlight) }
            return
        }
        if limit == .streams || limit == .window { maximumCarried = inFlight }
        if fullSince == nil { fullSince = now }
    }

    mutating func worked(for duration: Duration) {
        busy += duration
    }
}

/// The measurements of a connection, reported a few times per second while there is something to do.
struct ConnectionStatistics: Equatable, Sendable {
    var number: Int
    /// The time of the measurement. The pool uses it some time later.
    var time: MonotonicTime
    /// The index of its thread among the threads of the pool.
    var loop: Int
    /// Whether it takes requests and the server has accepted the credentials.
    var isServing: Bool
    var inFlight: Int
    /// The number of streams that it may have open.
    var allowedStreams: Int
    var pace: ConnectionPace

    /// The time until an answer: the average, or the time since the last answer if that is longer and requests are in
    /// flight.
    func answerTime(now: MonotonicTime) -> Duration {
        guard inFlight > 0, let last = pace.lastAnswer else { return pace.answerTime }
        return max(pace.answerTime, last.duration(to: now))
    }

    /// The number of requests that it can carry at a time, as far as it is known.
    var capacity: Int { min(pace.maximumCarried ?? allowedStreams, allowedStreams) }
}

/// Why a connection takes no more requests for now.
enum ConnectionLimit: Equatable, Sendable {
    /// Nothing has shown yet that the server accepts the credentials: one request at a time.
    case authentication
    /// The server has asked for fewer streams (ENHANCE_YOUR_CALM).
    case calm
    /// All streams that the server and the configuration allow are open.
    case streams
    /// The data in flight fills the connection's flow-control window.
    case window
    /// The socket accepts no more bytes.
    case socket

    /// Whether more connections help: each has its own streams, window and network path.
    var isEndedByMoreConnections: Bool {
        switch self {
        case .streams, .window, .socket: true
        case .authentication, .calm: false
        }
    }
}
