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

    var isEmpty: Bool { completions.isEmpty && retries.isEmpty }
    var count: Int { completions.count + retries.count }

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

/// Which steps of the queue fail at the moment, so that each failure is logged once and not with every try. A pure value.
struct QueueFailures: Equatable {
    enum Step: String, CaseIterable {
        case claiming, starting, storing, extending, upkeep, releasing, heartbeat
    }

    private var failing: Set<Step> = []

    /// Whether a step fails.
    func isFailing(_ step: Step) -> Bool { failing.contains(step) }

    /// A step has failed. Returns whether it worked before.
    mutating func failed(_ step: Step) -> Bool { failing.insert(step).inserted }

    /// A step works. Returns whether it failed before.
    mutating func worked(_ step: Step) -> Bool { failing.remove(step) != nil }
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
