/// How workers of one queue hear of each other, and for how long they rely on it.
///
/// Each duration is counted by the steady clock of the worker that measures it, so the clocks of the machines need not agree.
package struct HeartbeatTimes: Sendable, Equatable {
    /// How often a worker renews its record, and reads those of the others.
    package var interval: Duration = .seconds(1)
    /// How long a worker relies on its last renewal and on what it has read. Beyond it, others may count without it. A worker that
    /// joins waits for this time: then all others have read its record, or have stopped.
    package var trust: Duration = .seconds(3)
    /// After this time without a renewal, a worker counts as dead. It must be longer than ``trust``.
    package var loss: Duration = .seconds(5)
    /// After this time without a renewal, the record of a worker is removed.
    package var forgetting: Duration = .seconds(60)

    /// Creates the usual times.
    package init() {}
}
