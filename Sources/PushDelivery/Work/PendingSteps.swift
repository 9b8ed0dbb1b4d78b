internal import PushProvider
internal import PushQueue

/// What the queue has to store about jobs that have ended. It is kept until the queue has stored it. A pure value.
struct PendingSteps {
    struct Completion {
        var job: HeldJob
        var outcome: QueueJobOutcome
        var sending: Duration?

        var step: QueueJobCompletion { QueueJobCompletion(job.lease, outcome) }
    }

    struct Retry {
        var job: HeldJob
        var step: QueueJobRetry
        var sending: Duration?
    }

    /// The maximum number of jobs in one step of the queue.
    static let most = 1000

    var completions: [Completion] = []
    var retries: [Retry] = []
    var refusedCompletions = RefusedSteps<Completion>()
    var refusedRetries = RefusedSteps<Retry>()

    /// Whether nothing is to be stored now.
    var isEmpty: Bool { completions.isEmpty && retries.isEmpty }
    var count: Int {
        completions.count + retries.count + refusedCompletions.kept.count + refusedRetries.kept.count
    }

    mutating func finish(_ job: HeldJob, _ outcome: QueueJobOutcome, sending: Duration? = nil) {
        completions.append(Completion(job: job, outcome: outcome.shortened, sending: sending))
    }

    mutating func retry(
        _ job: HeldJob, after pause: Duration, reason: String, mayHaveArrived: Bool = false, sending: Duration? = nil
    ) {
        var step = QueueJobRetry(job.lease, due: .after(pause), reason: reason)
        step.mayHaveArrived = mayHaveArrived
        retries.append(Retry(job: job, step: step, sending: sending))
    }
}

extension PendingSteps {
    // MARK: What the queue refuses

    /// The queue has refused the first completions. Returns whether the others may be stored now.
    mutating func completionsRefused(_ count: Int, _ error: QueueError, at now: MonotonicTime, keeps: Bool) -> Bool {
        refusedCompletions.refused(count, of: &completions, error, at: now, keeps: keeps) { completion in
            guard completion.outcome.reason != nil || completion.outcome.detail != nil else { return nil }
            var bare = completion
            (bare.outcome.reason, bare.outcome.detail) = (nil, nil)
            return bare
        }
    }

    /// The queue has refused the first retries. Returns whether the others may be stored now.
    mutating func retriesRefused(_ count: Int, _ error: QueueError, at now: MonotonicTime, keeps: Bool) -> Bool {
        refusedRetries.refused(count, of: &retries, error, at: now, keeps: keeps) { retry in
            guard retry.step.reason != Self.bareReason else { return nil }
            var bare = retry
            bare.step.reason = Self.bareReason
            return bare
        }
    }

    /// The reason of a retry whose own reason the queue has refused.
    private static let bareReason = "retry"

    /// Lets the steps be tried again whose time has come, or all.
    mutating func readmit(at now: MonotonicTime, all: Bool) {
        refusedCompletions.readmit(to: &completions, at: now, all: all)
        refusedRetries.readmit(to: &retries, at: now, all: all)
    }

    /// When steps are tried again that the queue has refused; `nil` if there are none.
    var nextReadmission: MonotonicTime? {
        [refusedCompletions.until, refusedRetries.until].compactMap(\.self).min()
    }
}

/// Keeps a step that the queue refuses from holding up the others: the batch is halved until the step is alone. Then it is stored without
/// the texts that may be the cause. If that is refused, too, it is kept for a later try. A pure value.
struct RefusedSteps<Item> {
    /// Steps that are tried again later.
    private(set) var kept: [Item] = []
    /// When they are tried again; `nil` without any.
    private(set) var until: MonotonicTime?
    /// The maximum number of steps in the next batch.
    private(set) var limit = PendingSteps.most
    /// How many single steps were refused one after the other.
    private var inARow = 0

    /// After this time, a step that was refused is tried again.
    private static var pause: Duration { .seconds(30) }
    /// How many single steps may be refused one after the other. Beyond it, the queue itself has a fault, and nothing is tried for a while.
    private static var mostInARow: Int { 6 }

    /// A batch was stored. The next one may be twice as large.
    mutating func stored() {
        (limit, inARow) = (min(limit * 2, PendingSteps.most), 0)
    }

    /// The first steps of a list were refused together.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - items: The list.
    ///   - error: The reason.
    ///   - now: The current time.
    ///   - keeps: Whether a step may be kept for later. Otherwise it goes to the end of the list.
    ///   - bare: Returns the step without its texts; `nil` if it has none.
    /// - Returns: Whether the others may be tried now.
    mutating func refused(
        _ count: Int, of items: inout [Item], _ error: QueueError, at now: MonotonicTime, keeps: Bool,
        bare: (Item) -> Item?
    ) -> Bool {
        guard error.mayBeOfOneStep, count > 0 else { return false }
        guard count == 1 else {
            limit = count / 2
            return true
        }
        inARow += 1
        let item = items.removeFirst()
        if error.mayBeOfText, inARow < Self.mostInARow, let bare = bare(item) {
            items.insert(bare, at: 0)
            return true
        }
        guard keeps, inARow < Self.mostInARow else {
            items.append(item)
            return false
        }
        kept.append(item)
        until = until ?? now.advanced(by: Self.pause)
        return true
    }

    mutating func readmit(to items: inout [Item], at now: MonotonicTime, all: Bool) {
        guard let until, all || now >= until else { return }
        items += kept
        (kept, self.until) = ([], nil)
    }
}

extension QueueError {
    /// Whether another step may succeed: the queue can be used, and has refused this one.
    fileprivate var mayBeOfOneStep: Bool { mayBeOfText || code == .refused }
    /// Whether a text may be the cause.
    fileprivate var mayBeOfText: Bool { [.defect, .invalid, .tooLarge].contains(code) }
}

/// Which steps of the queue fail at the moment, and for how long. A pure value; time is an argument.
struct QueueFailures: Equatable {
    enum Step: String, CaseIterable {
        case claiming, starting, storing, extending, upkeep, releasing, heartbeat
    }

    private struct Failure: Equatable {
        var first: MonotonicTime
        var last: MonotonicTime
        var logged: MonotonicTime
        var reason: String
    }

    private var failing: [Step: Failure] = [:]

    /// A step that fails for longer makes the worker unready.
    private static let tolerance: Duration = .seconds(5)
    /// While a step fails, the log says so again after this time.
    private static let logInterval: Duration = .seconds(10)

    /// Whether a step fails.
    func isFailing(_ step: Step) -> Bool { failing[step] != nil }

    /// A step has failed. Returns whether the log should say so.
    mutating func failed(_ step: Step, _ reason: String, at now: MonotonicTime) -> Bool {
        guard var failure = failing[step] else {
            failing[step] = Failure(first: now, last: now, logged: now, reason: reason)
            return true
        }
        (failure.last, failure.reason) = (now, reason)
        let isDue = failure.logged.duration(to: now) >= Self.logInterval
        if isDue { failure.logged = now }
        failing[step] = failure
        return isDue
    }

    /// A step works. Returns whether it failed before.
    mutating func worked(_ step: Step) -> Bool { failing.removeValue(forKey: step) != nil }

    /// The first step that has failed for more than a few seconds, with the reason; `nil` if there is none.
    var lasting: (step: Step, reason: String)? {
        for step in Step.allCases {
            guard let failure = failing[step], failure.first.duration(to: failure.last) > Self.tolerance else {
                continue
            }
            return (step, failure.reason)
        }
        return nil
    }
}

extension QueueJobOutcome {
    /// The maximum length of a detail, in characters. It is kept with every job.
    private static let longestDetail = 500
    /// The maximum length of a reason, in characters. Apple's have at most 30.
    private static let longestReason = 100

    /// The outcome with texts that are not too long to keep.
    fileprivate var shortened: QueueJobOutcome {
        var outcome = self
        outcome.detail = detail?.shortened(to: Self.longestDetail)
        outcome.reason = reason?.shortened(to: Self.longestReason)
        return outcome
    }
}

extension String {
    fileprivate func shortened(to length: Int) -> String {
        utf8.count <= length || count <= length ? self : "\(prefix(length - 1))…"
    }
}
