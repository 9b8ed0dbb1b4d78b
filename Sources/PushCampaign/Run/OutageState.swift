internal import PushProvider

/// Decides when a campaign pauses because the server takes nothing from anybody, when one line is tried, and when the campaign
/// gives up. A pure value: time and chance are arguments.
struct OutageState: Equatable {
    /// What the result of one line says about the server.
    enum Sign: Equatable {
        /// The server works: it accepted the line, or refused it for a fault of the line.
        case answered
        /// The server refused the line for a cause that may pass, or did not answer.
        case refused(Refusal)
        /// The result says nothing about the server.
        case none
    }

    /// A result that may be the same for every line.
    struct Refusal: Equatable {
        /// `retry-after`, where the server sent one.
        var askedPause: Duration?
        /// No connection could be made.
        var isUnreachable = false
        /// The server itself has said it.
        var isAnswer = false
        /// What happened, in a few words.
        var message: String
    }

    /// Whether a line may be sent now.
    enum Permission: Equatable {
        case go
        /// Ask again at this time.
        case wait(until: MonotonicTime)
        /// Ask again when the lines in flight have their results.
        case waitForResults
        /// The server has taken nothing for too long.
        case giveUp(BatchStop)
    }

    private enum Phase: Equatable {
        /// Lines are sent. Next: paused.
        case flowing
        /// Nothing is sent until a time; then one line is. Next: flowing, or paused for longer.
        case paused(until: MonotonicTime)
    }

    /// After this many lines in a row that the server did not take, no line is sent for a while.
    static let limit = 20
    /// How long the first pause lasts. Each further one is twice as long.
    static let firstPause: Duration = .seconds(1)
    /// How long a pause lasts at most, unless the server asks for more.
    static let longestPause: Duration = .seconds(60)

    /// How long the server may take nothing before the campaign gives up.
    private let longestOutage: Duration
    private var phase = Phase.flowing
    /// Since the last line that the server answered.
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

    /// When the campaign gives up, unless the server answers before; `nil` while the server answers, or lines are in flight.
    var end: MonotonicTime? { inFlight == 0 ? refusedSince?.advanced(by: longestOutage) : nil }

    /// Asks while nothing can be sent but lines that wait for their time.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - asked: When the first of those lines may be sent, where the server has asked to wait until then.
    /// - Returns: Why nothing more is waited for; `nil` to wait.
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

    /// Asks before a line is sent.
    func permission(now: MonotonicTime) -> Permission {
        if let end {
            if now >= end { return .giveUp(stop(now)) }
            // The server asks for a longer pause than the campaign may wait.
            if case .paused(let until) = phase, until > end, lastRefusal?.askedPause != nil {
                return .giveUp(stop(now))
            }
        }
        guard case .paused(let until) = phase else {
            // Until the server has answered anybody, no more lines are on their way than tell that it answers nobody.
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

    /// A line that was sent has its result.
    ///
    /// - Parameters:
    ///   - sign: What the result says about the server.
    ///   - now: The time.
    ///   - chance: From 0 to 1: how much of what may vary of a pause is waited, so that a fleet does not come back in step.
    mutating func concluded(_ sign: Sign, now: MonotonicTime, chance: Double) {
        inFlight -= 1
        switch sign {
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
        // What the server said tells more than that time passed while nothing was taken.
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
        let pause = min(Self.firstPause * (1 << min(failedProbes, 16)), Self.longestPause)
        return now.advanced(by: pause * (0.5 + chance / 2))
    }

    private func stop(_ now: MonotonicTime) -> BatchStop {
        let time = max(longestOutage, refusedSince?.duration(to: now) ?? .zero).seconds
        let message = lastRefusal?.message ?? ""
        return lastRefusal?.isUnreachable == true
            ? BatchStop(.unreachable, "No connection could be made for \(time) s. The last failure: \(message)")
            : BatchStop(.outage, "The server accepted no line for \(time) s. The last one: \(message)")
    }
}
