internal import PushProvider

/// Keeps back rejections that may turn out to be the fault of the setup and not of the lines, until enough other answers have come. A
/// pure value.
///
/// Where a sequence is stopped because device tokens and setup do not fit (``PushMismatch``), the rejections that led to it are not
/// final: the lines are sent again once the setup is corrected. So a rejection counts only when as many answers have come after it as
/// the breaker looks at. Until then the journal has its line as one that has not gone out.
struct HeldRejections {
    /// `nil` where nothing is kept back.
    private let breaker: MismatchBreaker?
    /// How many answers decide.
    private var window: Int { breaker?.window ?? 0 }
    private var answers = 0
    private var held: [(result: BatchResult, answer: Int)] = []
    /// How many of `held`, at its front, were given back.
    private var given = 0

    /// - Parameter breaker: Its window says how many answers decide; `nil` to keep nothing back.
    init(_ breaker: MismatchBreaker?) {
        self.breaker = breaker
    }

    /// How many are kept back.
    var count: Int { held.count - given }

    /// Whether so many of the last answers are kept back as the breaker takes.
    var isMostOfAnswers: Bool {
        guard let breaker, count > 0 else { return false }
        return Double(count) >= breaker.share * Double(min(answers, breaker.window))
    }

    /// Takes in the outcome of a line.
    ///
    /// - Returns: Whether it is kept back.
    mutating func hold(_ result: BatchResult) -> Bool {
        guard breaker != nil, case .push(let outcome) = result.outcome, let answer = MismatchWatch.Answer(outcome)
        else {
            return false
        }
        answers += 1
        guard answer != .fits else { return false }
        held.append((result, answers))
        return true
    }

    /// Those that are decided by now: nothing has stopped the campaign.
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

    /// All that are left.
    mutating func takeAll() -> [BatchResult] {
        defer { (held, given) = ([], 0) }
        return held[given...].map(\.result)
    }
}
