internal import PushProvider
internal import PushQueue

/// What the queue has to store about jobs that have ended. It is kept until the queue has stored it. A pure value.
struct PendingSteps {
    struct Completion: PendingStep {
        var job: HeldJob
        var outcome: QueueJobOutcome
        var sending: Duration?

        var step: QueueJobCompletion {
            var step = QueueJobCompletion(job.lease, outcome)
            step.pushType = job.start?.pushType
            return step
        }

        var bare: Completion? {
            guard outcome.reason != nil || outcome.detail != nil else { return nil }
            var bare = self
            (bare.outcome.reason, bare.outcome.detail) = (nil, nil)
            return bare
        }
    }

    struct Retry: PendingStep {
        var job: HeldJob
        var step: QueueJobRetry
        var sending: Duration?

        var bare: Retry? {
            guard step.reason != Self.bareReason else { return nil }
            var bare = self
            bare.step.reason = Self.bareReason
            return bare
        }

        /// The reason of a retry whose own reason the queue has refused.
        private static let bareReason = "retry"
    }

    /// The maximum number of jobs in one step of the queue.
    static let maximum = 1000

    var completions = StepList<Completion>()
    var retries = StepList<Retry>()

    var isEmpty: Bool { completions.steps.isEmpty && retries.steps.isEmpty }
    var count: Int { completions.count + retries.count }

    mutating func finish(_ job: HeldJob, _ outcome: QueueJobOutcome, sending: Duration? = nil) {
        completions.add(Completion(job: job, outcome: outcome.shortened, sending: sending))
    }

    mutating func retry(
        _ job: HeldJob, after pause: Duration, reason: String, mayHaveArrived: Bool = false, sending: Duration? = nil
    ) {
        var step = QueueJobRetry(job.lease, due: .after(pause), reason: reason)
        step.mayHaveArrived = mayHaveArrived
        retries.add(Retry(job: job, step: step, sending: sending))
    }

    /// Lets the steps be tried again whose time has come, or all.
    mutating func readmit(at now: MonotonicTime, all: Bool) {
        completions.readmit(at: now, all: all)
        retries.readmit(at: now, all: all)
    }

    /// When steps are tried again that the queue has refused; `nil` if there are none.
    var nextReadmission: MonotonicTime? {
        [completions.until, retries.until].compactMap(\.self).min()
    }
}

/// What the queue has to store about one job.
protocol PendingStep: Sendable {
    var job: HeldJob { get set }
    /// The step without the texts that the queue may refuse; `nil` if it has none.
    var bare: Self? { get }
}

/// What follows when the queue has refused steps.
enum StepRefusal: Equatable {
    /// No step is the cause. The same steps are tried again after a while.
    case ofAll
    /// One of several may be the cause. Fewer are tried now.
    case ofSome
    /// It was a single step. It is the cause if the queue works otherwise.
    case ofOne
}

enum SetAsideStep: Sendable {
    /// It is tried now without its texts.
    case bare
    /// It is kept for a later try. The job is as it was before.
    case kept(HeldJob)
    /// It goes to the end of the list, and is tried after the others.
    case last
}

/// Steps of one kind in their order. One that the queue refuses does not hold up the others: the batch is halved until the step is alone.
/// Then it is stored without the texts that may be the cause. If that is refused, too, it is kept for a later try. A pure value.
struct StepList<Item: PendingStep> {
    private(set) var steps: [Item] = []
    /// Steps that are tried again later.
    private(set) var kept: [Item] = []
    /// When they are tried again; `nil` without any.
    private(set) var until: MonotonicTime?
    /// The maximum number of steps in the next batch.
    private(set) var limit = PendingSteps.maximum
    /// How many steps were set aside since one was stored, or those before came back.
    private var setAsideInRow = 0

    /// After this number of steps in a row that were refused alone, the queue counts as failing, although its check works: nothing more
    /// is claimed, and each step is tried in turn until one is stored.
    private static var maximumInRow: Int { 20 }
    /// After this time, a step that was refused is tried again.
    private static var pause: Duration { .seconds(30) }

    var count: Int { steps.count + kept.count }
    /// The first steps, which are stored next.
    var batch: [Item] { Array(steps.prefix(limit)) }

    mutating func add(_ step: Item) { steps.append(step) }

    /// The first steps were stored as one batch. The next one may be twice as large.
    mutating func stored(_ count: Int) {
        steps.removeFirst(count)
        limit = min(limit * 2, PendingSteps.maximum)
        setAsideInRow = 0
    }

    /// The queue has refused the first steps together.
    mutating func refused(_ count: Int, _ error: QueueError) -> StepRefusal {
        guard error.mayBeOfOneStep, count > 0 else { return .ofAll }
        guard count > 1 else { return .ofOne }
        limit = count / 2
        return .ofSome
    }

    /// The queue works, and has refused the first step alone.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - now: The current time.
    ///   - keeps: Whether the step may be kept for later.
    /// - Returns: What has become of it.
    mutating func setAside(_ error: QueueError, at now: MonotonicTime, keeps: Bool) -> SetAsideStep {
        var item = steps.removeFirst()
        if error.mayBeOfText, let bare = item.bare {
            steps.insert(bare, at: 0)
            return .bare
        }
        guard keeps, setAsideInRow < Self.maximumInRow else {
            steps.append(item)
            return .last
        }
        setAsideInRow += 1
        let job = item.job
        // Apple has answered, so the next push with the collapse id gets the key now, and not once more at the end.
        item.job.replacement = nil
        kept.append(item)
        until = until ?? now.advanced(by: Self.pause)
        return .kept(job)
    }

    mutating func readmit(at now: MonotonicTime, all: Bool) {
        guard let until, all || now >= until else { return }
        steps += kept
        (kept, self.until, setAsideInRow) = ([], nil, 0)
    }
}

extension QueueError {
    /// Whether another step may succeed. Other errors concern all steps: an outage, a lock, a full disk, or a database that keeps nothing.
    var mayBeOfOneStep: Bool {
        ![.unreachable, .busy, .conflict, .diskFull, .closed, .cancelled, .notDurable].contains(code)
    }
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

    func isFailing(_ step: Step) -> Bool { failing[step] != nil }

    /// A step has failed. Returns whether the log should say so: now and then, or once for a reason that only an operator ends.
    mutating func failed(_ step: Step, _ reason: String, at now: MonotonicTime, repeats: Bool = true) -> Bool {
        guard var failure = failing[step] else {
            failing[step] = Failure(first: now, last: now, logged: now, reason: reason)
            return true
        }
        let isNew = failure.reason != reason
        (failure.last, failure.reason) = (now, reason)
        let isDue = repeats ? failure.logged.duration(to: now) >= Self.logInterval : isNew
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
