internal import PushProvider
internal import PushTime

/// Decides when a campaign pauses because the server accepts no requests, when it tries one line, and when it stops. A pure value:
/// time and randomness are arguments.
struct OutageState: Equatable {
    /// What the result of one line says about the server.
    enum Signal: Equatable {
        /// The server works: it accepted the line, or rejected it because of an error in the line.
        case answered
        /// The server rejected the line for a temporary reason, or did not answer.
        case refused(Refusal)
        /// The result says nothing about the server.
        case none
    }

    /// A failure that probably affects every line.
    struct Refusal: Equatable {
        /// The value of `retry-after`, if the server sent it.
        var askedPause: Duration?
        /// Whether no connection could be made.
        var isUnreachable = false
        /// Whether this is an answer from the server.
        var isAnswer = false
        var message: String
    }

    /// Whether a line may be sent now.
    enum SendPermission: Equatable {
        case go
        case wait(until: MonotonicTime)
        /// Ask again when the lines in flight have their results.
        case waitForResults
        /// The server has accepted nothing for too long.
        case giveUp(BatchStop)
    }

    private enum Phase: Equatable {
        /// Lines are sent. Next phase: paused.
        case flowing
        /// Nothing is sent until this time; then one line is. Next phase: flowing, or a longer pause.
        case paused(until: MonotonicTime)
    }

    /// After this many lines in a row that the server did not accept, sending pauses.
    static let limit = 20
    /// The growth of the pauses, unless the server asks for more.
    private static let pauses = ExponentialBackoff(first: .seconds(1), longest: .seconds(60))

    /// How long the server may accept nothing before the campaign stops.
    private let longestOutage: Duration
    private var phase = Phase.flowing
    /// The number of lines that failed since the last line that the server answered.
    private var refused = 0
    private var refusedSince: MonotonicTime?
    /// When the lines in flight began to wait for an answer: at the first of them, or at the last answer.
    private var unansweredSince: MonotonicTime?
    private(set) var lastRefusal: Refusal?
    private var failedProbes = 0
    private var isProbing = false
    private var inFlight = 0
    /// How many lines the server has answered.
    private(set) var answers = 0

    init(longestOutage: Duration) {
        self.longestOutage = longestOutage
    }

    /// Why nothing is sent now; `nil` while lines are sent.
    var pause: (refusal: Refusal, since: MonotonicTime, until: MonotonicTime)? {
        guard case .paused(let until) = phase, let lastRefusal, let refusedSince else { return nil }
        return (lastRefusal, refusedSince, until)
    }

    /// When the campaign stops if the server does not answer before; `nil` while the server answers, or lines are in flight.
    var end: MonotonicTime? { inFlight == 0 ? refusedSince?.advanced(by: longestOutage) : nil }

    /// Whether to stop while all remaining lines wait for their time.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - asked: When the first of these lines may be sent, if the server asked for that time.
    /// - Returns: Why the campaign stops; `nil` to wait.
    func giveUp(now: MonotonicTime, asked: MonotonicTime?) -> BatchStop? {
        guard inFlight == 0 else { return nil }
        if let end, now >= end { return stop(now) }
        guard let asked, asked > end ?? now.advanced(by: longestOutage) else { return nil }
        let message = lastRefusal.map { " (\($0.message))" } ?? ""
        return BatchStop(
            .outage,
            """
            The server asks to wait for \(now.duration(to: asked).seconds) s\(message), which is longer than the \
            \(longestOutage.seconds) s that the campaign waits.
            """)
    }

    func permission(now: MonotonicTime) -> SendPermission {
        if let end {
            if now >= end { return .giveUp(stop(now)) }
            // The server asks for a longer pause than the campaign may wait.
            if case .paused(let until) = phase, until > end, lastRefusal?.askedPause != nil {
                return .giveUp(stop(now))
            }
        }
        guard case .paused(let until) = phase else {
            // Before the first answer, limit the lines in flight: this many are enough to detect an outage.
            return answers == 0 && inFlight > 0 && inFlight + refused >= Self.limit ? .waitForResults : .go
        }
        if inFlight > 0 { return .waitForResults }
        return now >= until ? .go : .wait(until: until)
    }

    /// A line was sent.
    ///
    /// - Parameter now: The time.
    mutating func sent(now: MonotonicTime) {
        if inFlight == 0 { unansweredSince = now }
        inFlight += 1
        if case .paused = phase { isProbing = true }
    }

    /// Records the result of a line that was sent.
    ///
    /// - Parameters:
    ///   - signal: What the result says about the server.
    ///   - now: The current time.
    ///   - chance: A random number from 0 to 1 for the jitter of the pause, so that many senders do not retry at the
    ///     same moment.
    mutating func concluded(_ signal: Signal, now: MonotonicTime, chance: Double) {
        inFlight -= 1
        switch signal {
        case .answered:
            answers += 1
            unansweredSince = now
            phase = .flowing
            refused = 0
            refusedSince = nil
            lastRefusal = nil
            failedProbes = 0
            isProbing = false
        case .refused(let refusal): concluded(refusal, now: now, chance: chance)
        case .none: isProbing = false
        }
    }

    private mutating func concluded(_ refusal: Refusal, now: MonotonicTime, chance: Double) {
        refused += 1
        // A line without a connection has waited for one since it was sent.
        refusedSince = refusedSince ?? (refusal.isUnreachable ? unansweredSince : nil) ?? now
        // Keep an answer from the server: it explains the outage better than the lack of an answer.
        if refusal.isAnswer || lastRefusal?.isAnswer != true { lastRefusal = refusal }
        let asked = now.advanced(by: refusal.askedPause ?? .zero)
        switch phase {
        case .flowing:
            guard refused >= Self.limit else { return }
            phase = .paused(until: max(asked, next(now, chance)))
        case .paused(let until):
            if isProbing {
                failedProbes += 1
                isProbing = false
                phase = .paused(until: max(asked, next(now, chance)))
            } else {
                phase = .paused(until: max(asked, until))
            }
        }
    }

    private func next(_ now: MonotonicTime, _ chance: Double) -> MonotonicTime {
        now.advanced(by: Self.pauses.pause(after: failedProbes, chance: chance))
    }

    private func stop(_ now: MonotonicTime) -> BatchStop {
        let time = max(longestOutage, refusedSince?.duration(to: now) ?? .zero).seconds
        let message = lastRefusal?.message ?? ""
        return lastRefusal?.isUnreachable == true
            ? BatchStop(.unreachable, "Couldn't connect for \(time) s. The last failure: \(message)")
            : BatchStop(.outage, "The server accepted no line for \(time) s. Last answer: \(message)")
    }
}

/// A pause of a campaign, because the server accepts no requests.
public struct BatchPause: Sendable, Hashable {
    /// What happened to the last line that was sent.
    public let reason: String
    /// How long the server has accepted nothing.
    public let lasting: Duration
    /// The time until one line is tried again; zero while one is in flight.
    public let nextTry: Duration
}
