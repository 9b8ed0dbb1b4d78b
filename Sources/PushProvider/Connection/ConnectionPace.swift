/// How fast a connection is, and what keeps it from taking more. A pure value: happenings in; time is an argument.
struct ConnectionPace: Equatable, Sendable {
    typealias Limit = ConnectionLimit

    /// How many streams were answered.
    private(set) var answers = 0
    /// From a request to its answer, a moving average; zero before the first.
    var answerTime: Duration { .nanoseconds(averageNanoseconds) }
    private(set) var lastAnswer: MonotonicTime?
    private(set) var lastRequest: MonotonicTime?
    /// What it is full of, and since when without a break.
    private(set) var limit: Limit?
    private(set) var fullSince: MonotonicTime?
    /// How many were in flight when streams or window were used up the last time, or more since: what it can carry.
    private(set) var mostCarried: Int?
    /// How often the window was what filled it.
    private(set) var windowStalls = 0
    /// For how long its thread has worked for it.
    private(set) var busy: Duration = .zero

    private var averageNanoseconds: Int64 = 0
    /// An answer moves the average by one part in so many; the first ones by more.
    private static let weight: Int64 = 32

    mutating func requested(now: MonotonicTime) {
        lastRequest = now
    }

    /// The window has let nothing out since a request began that was the last one, for longer than a server takes that gives
    /// it back.
    func isStarved(since begun: MonotonicTime, now: MonotonicTime) -> Bool {
        guard limit == .window, let lastRequest, lastRequest <= begun else { return false }
        return begun.duration(to: now) >= max(.seconds(1), answerTime * 4)
    }

    mutating func answered(after duration: Duration, now: MonotonicTime) {
        answers += 1
        lastAnswer = now
        averageNanoseconds +=
            (duration.clampedNanoseconds - averageNanoseconds) / min(Int64(answers), Self.weight)
    }

    /// It has taken what there was: until it was full, or until nothing was left to take.
    mutating func filled(upTo limit: Limit?, inFlight: Int, now: MonotonicTime) {
        if limit == .window, self.limit != .window { windowStalls += 1 }
        self.limit = limit
        guard let limit else {
            fullSince = nil
            if let known = mostCarried { mostCarried = max(known, inFlight) }
            return
        }
        if limit == .streams || limit == .window { mostCarried = inFlight }
        if fullSince == nil { fullSince = now }
    }

    mutating func worked(for duration: Duration) {
        busy += duration
    }
}

/// What a connection tells of itself, a few times a second while there is something to do.
struct ConnectionVitals: Equatable, Sendable {
    var number: Int
    /// When it was so: it is looked at some time later.
    var time: MonotonicTime
    /// Which thread it is on, among those of its pool.
    var loop: Int
    /// It takes requests, and the server knows who we are.
    var isServing: Bool
    var inFlight: Int
    /// How many streams it may have open.
    var allowedStreams: Int
    var pace: ConnectionPace

    /// How long an answer takes: at least as long as nothing has come to what is in flight.
    func answerTime(now: MonotonicTime) -> Duration {
        guard inFlight > 0, let last = pace.lastAnswer else { return pace.answerTime }
        return max(pace.answerTime, last.duration(to: now))
    }

    /// How many it can carry at a time, as far as that was seen.
    var capacity: Int { min(pace.mostCarried ?? allowedStreams, allowedStreams) }
}
