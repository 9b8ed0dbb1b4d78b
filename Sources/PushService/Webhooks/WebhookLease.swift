internal import PushDelivery
internal import PushQueue

/// Decides whether this worker posts the webhook of an app: one worker at a time does. A pure value; time is an argument.
///
/// The lease is a record that its holder renews. A worker takes it over if it has not changed for ``HeartbeatTimes/loss``. By then, the
/// holder has stopped posting, because it trusts a renewal only for ``HeartbeatTimes/trust``.
struct WebhookLease {
    /// What to do with the record.
    enum Step: Equatable {
        /// Store it, if its version is still this one; 0 if there is none.
        case store(ifVersion: Int64)
        case wait
    }

    private let worker: [UInt8]
    private let times: HeartbeatTimes
    /// The version of another worker's record, and since when this worker has seen it.
    private var seen: (version: Int64, since: ContinuousClock.Instant)?
    /// The version of the record of this worker, and how long it relies on it.
    private var held: (version: Int64, until: ContinuousClock.Instant)?

    /// - Parameters:
    ///   - worker: The name of this worker, unlike that of any other.
    ///   - times: The duration of a lease.
    init(worker: String, times: HeartbeatTimes) {
        (self.worker, self.times) = (Array(worker.utf8), times)
    }

    var value: [UInt8] { worker }

    var version: Int64? { held?.version }

    mutating func found(_ record: QueueServiceRecord?, at now: ContinuousClock.Instant) -> Step {
        guard let record else {
            (held, seen) = (nil, nil)
            return .store(ifVersion: 0)
        }
        if record.value == worker { return .store(ifVersion: record.version) }
        held = nil
        guard let seen, seen.version == record.version else {
            self.seen = (record.version, now)
            return .wait
        }
        return now - seen.since >= times.loss ? .store(ifVersion: record.version) : .wait
    }

    /// The record was stored, or not, because it had another version.
    mutating func stored(_ version: Int64?, began: ContinuousClock.Instant) {
        held = version.map { ($0, began + times.trust) }
        seen = nil
    }

    func isHeld(at now: ContinuousClock.Instant) -> Bool { held.map { now < $0.until } ?? false }
}
