/// The result of a step with a leased job.
public enum QueueLeaseResult: Int, Sendable, Hashable, CaseIterable {
    /// It is done, durably. A step that is repeated after a lost answer also gets this result.
    case done
    /// The lease was lost: the job waits, or another worker has it.
    case lost
    /// The job has its outcome already.
    case finished
    /// There is no such job. It may have been purged.
    case unknownJob
    /// The job has not been started, so it cannot have an answer from Apple.
    case notStarted
    /// The job has been started, so it cannot be given back.
    case started
    /// The job is at-most-once and may have arrived, so it is not sent again. Complete it as unknown.
    case forbidden
    /// A newer push that replaces this one was started, so this one is not sent any more. Complete the job as not sent, with the reason
    /// ``QueueJobOutcome/superseded``.
    case superseded
    /// A push that this one replaces is on the way. Put the job back for another try.
    case busy
}

/// The outcome of a leased job.
public struct QueueJobCompletion: Sendable, Hashable {
    /// The right to complete the job.
    public var lease: QueueJobLease
    /// The outcome. A job that has not been started can only be not sent.
    public var outcome: QueueJobOutcome
    /// As what accepted pushes are counted in ``QueueTally/reason``: the push type; `nil` if that is not known.
    package var pushType: String?

    /// Creates a completion.
    ///
    /// - Parameters:
    ///   - lease: The right to complete the job.
    ///   - outcome: The outcome.
    public init(_ lease: QueueJobLease, _ outcome: QueueJobOutcome) {
        (self.lease, self.outcome) = (lease, outcome)
    }
}

/// A leased job that is to be tried again.
public struct QueueJobRetry: Sendable, Hashable {
    /// When to try again.
    public enum Due: Sendable, Hashable {
        /// After a duration. If the wall clock jumps, the duration stays the same.
        case after(Duration)
        /// At a time of the wall clock.
        case at(QueueTime)
    }

    /// The right to work on the job.
    public var lease: QueueJobLease
    /// When to try again. A job that expires before ends as expired.
    public var due: Due
    /// Why the try failed, for the history.
    public var reason: String
    /// Whether the try may have reached Apple. If it may, the job can no longer end as not sent.
    public var mayHaveArrived: Bool

    /// Creates a retry of a try that certainly did not reach Apple.
    ///
    /// - Parameters:
    ///   - lease: The right to work on the job.
    ///   - due: When to try again.
    ///   - reason: Why the try failed.
    public init(_ lease: QueueJobLease, due: Due, reason: String) {
        (self.lease, self.due, self.reason, mayHaveArrived) = (lease, due, reason, false)
    }
}

/// How many jobs a change has ended before they were sent again.
package struct QueueCancelled: Sendable, Hashable {
    package private(set) var notSent = 0
    /// How many an earlier try may have sent, so that their outcome is unknown.
    package private(set) var unknown = 0

    package init() {}

    package var total: Int { notSent + unknown }

    package mutating func add(isUncertain: Bool) {
        if isUncertain { unknown += 1 } else { notSent += 1 }
    }

    package static func += (sum: inout QueueCancelled, more: QueueCancelled) {
        sum.notSent += more.notSent
        sum.unknown += more.unknown
    }
}

package enum QueueStopResult: Sendable, Hashable {
    /// It was not sent.
    case stopped
    /// An earlier try may have reached Apple, so its outcome is unknown.
    case stoppedUncertain
    /// The job is being sent, so it cannot be stopped.
    case started
    /// The job had this outcome already.
    case finished(QueueJobOutcome.Kind)
    case unknownJob
}
