internal import PushProvider

/// Keeps rejections until enough other answers have followed, because a wrong setup may cause them and not the lines. A pure value.
///
/// If a sequence is stopped because device tokens and setup do not match (``PushMismatch``), the rejections that caused
/// the stop are not final: the lines are sent again when the setup is corrected. So a rejection counts only after a full window of
/// further answers. Until then, the journal has its line as not sent.
struct HeldRejections {
    /// The breaker; `nil` to keep none.
    private let breaker: PushConfiguration.MismatchBreaker?
    /// The number of further answers after which a rejection is final.
    private var window: Int { breaker?.window ?? 0 }
    private var answers = 0
    private var held: [(result: BatchResult, answer: Int)] = []
    /// How many rejections at the start of `held` were already returned.
    private var given = 0

    /// - Parameter breaker: Its window is the number of further answers after which a rejection is final; `nil` to keep none.
    init(_ breaker: PushConfiguration.MismatchBreaker?) {
        self.breaker = breaker
    }

    /// How many rejections are held back.
    var count: Int { held.count - given }

    /// Whether the share of the last answers that is held back is enough for the breaker.
    var isMostOfAnswers: Bool {
        guard let breaker, count > 0 else { return false }
        return Double(count) >= breaker.share * Double(min(answers, breaker.window))
    }

    /// Adds the outcome of a line.
    ///
    /// - Returns: Whether it is held back.
    mutating func hold(_ result: BatchResult) -> Bool {
        guard breaker != nil else { return false }
        // Most results are acceptances. The outcome is not copied for them.
        if case .push(.accepted) = result.outcome {
            answers += 1
            return false
        }
        guard case .push(let outcome) = result.outcome, let answer = MismatchWatch.Answer(outcome) else { return false }
        answers += 1
        guard answer != .fits else { return false }
        held.append((result, answers))
        return true
    }

    /// Removes and returns the rejections that are final now, because nothing has stopped the campaign.
    mutating func takeDecided() -> [BatchResult] {
        let first = given
        while given < held.count, held.count - given > window || held[given].answer + window <= answers { given += 1 }
        let decided = held[first..<given].map(\.result)
        if given > 1024, given * 2 > held.count {
            held.removeFirst(given)
            given = 0
        }
        return decided
    }

    mutating func takeAll() -> [BatchResult] {
        defer { (held, given) = ([], 0) }
        return held[given...].map(\.result)
    }
}
