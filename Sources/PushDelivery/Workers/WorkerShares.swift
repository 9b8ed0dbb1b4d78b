internal import PushProvider
internal import PushQueue

/// Decides which position this worker has among the workers of each app, from their records. A pure value; time is an argument.
///
/// The invariant: if two workers are certain of their positions at the same time, each has read the record of the other, and they agree on
/// the order. So the shares of all workers together are never more than the whole. Three rules keep it true:
///
/// - A worker trusts its last renewal and its last reading of the records for ``HeartbeatTimes/trust``, counted from when
///   they began.
/// - A new worker first waits for ``HeartbeatTimes/trust``, counted from the end of its first renewal. By then, all
///   others have read its record. It need not wait if it found no other worker: a later one will find it.
/// - A worker counts as dead when its record has not changed for ``HeartbeatTimes/loss``. This time is longer than
///   ``HeartbeatTimes/trust``, so a dead worker has already stopped sending.
struct WorkerShares: Equatable {
    private struct OwnApp: Equatable {
        /// The time in the record of this worker.
        var since: QueueTime
        /// The end of the first renewal with this app; `nil` before.
        var joined: MonotonicTime?
        /// Whether this worker found no other one after it had joined. A worker that joins later finds this one.
        var wasAlone = false
    }

    private struct Other: Equatable {
        var record: QueueServiceRecord
        var heartbeat: WorkerHeartbeat?
        /// When this worker saw that the record had changed.
        var changed: MonotonicTime
        /// Whether it was renewed since this worker knows it. A record that was never renewed can be that of a worker which ended long ago.
        var isRenewed: Bool
    }

    /// A worker that ended without removing its record.
    struct Lost: Equatable {
        var heartbeat: WorkerHeartbeat
        /// How many other workers lived before.
        var before: Int
        var noticed: MonotonicTime
    }

    private let name: String
    private let times: HeartbeatTimes
    private var own: [String: OwnApp] = [:]
    private var others: [String: Other] = [:]
    /// The other workers that were alive at the last check, in the order of their names.
    private(set) var living: [WorkerHeartbeat] = []
    /// The workers that were lost, until as many live as before, at most for ``HeartbeatTimes/remembering``.
    private(set) var lost: [Lost] = []
    /// The beginning of the last renewal that was stored.
    private var renewed: MonotonicTime?
    /// The beginning of the last successful check.
    private var lastRead: MonotonicTime?

    /// - Parameters:
    ///   - name: The name of this worker, unlike that of any other.
    ///   - times: How long a worker trusts the records that it has read.
    init(name: String, times: HeartbeatTimes) {
        (self.name, self.times) = (name, times)
    }

    // MARK: This worker

    /// The record is about to be renewed. This worker sends no other apps from now on, also if that fails.
    ///
    /// - Returns: The apps for the record.
    mutating func renewing(_ apps: Set<String>, at time: QueueTime) -> [String: QueueTime] {
        own = own.filter { apps.contains($0.key) }
        for app in apps where own[app] == nil { own[app] = OwnApp(since: time) }
        return own.mapValues(\.since)
    }

    /// The record was renewed.
    ///
    /// - Parameters:
    ///   - began: When the renewal began.
    ///   - now: The current time.
    mutating func wasRenewed(began: MonotonicTime, at now: MonotonicTime) {
        // Other workers may have stopped counting this worker, so it joins again.
        let wasLost = renewed.map { now >= $0.advanced(by: times.loss) } ?? true
        renewed = began
        for app in own.keys where wasLost || own[app]?.joined == nil {
            own[app]?.joined = now
            own[app]?.wasAlone = false
        }
    }

    // MARK: The others

    /// The records of all workers were read.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - began: When the check began.
    ///   - now: The current time.
    /// - Returns: Records of workers that are dead for a long time. They can be removed.
    mutating func saw(_ records: [QueueServiceRecord], began: MonotonicTime, at now: MonotonicTime)
        -> [QueueServiceRecord]
    {
        var found: [String: Other] = [:]
        for record in records where record.key != name {
            if let known = others[record.key], known.record == record {
                found[record.key] = known
            } else {
                found[record.key] = Other(
                    record: record, heartbeat: WorkerHeartbeat(record), changed: now,
                    isRenewed: others[record.key] != nil)
            }
        }
        (others, lastRead) = (found, began)
        let before = living
        living = found.values.filter { began < $0.changed.advanced(by: times.loss) }.compactMap(\.heartbeat)
            .sorted { $0.name < $1.name }
        noteLost(before, at: now)
        for (app, state) in own where state.joined.map({ began >= $0 }) ?? false {
            if !living.contains(where: { $0.apps[app] != nil }) { own[app]?.wasAlone = true }
        }
        return found.values.filter { began >= $0.changed.advanced(by: times.forgetting) }.map(\.record)
    }

    /// A worker that ends by itself removes its record.
    private mutating func noteLost(_ before: [WorkerHeartbeat], at now: MonotonicTime) {
        let names = Set(living.map(\.name))
        for worker in before where !names.contains(worker.name) && others[worker.name]?.isRenewed == true {
            lost.append(Lost(heartbeat: worker, before: before.count, noticed: now))
        }
        lost.removeAll { lost in
            names.contains(lost.heartbeat.name) || living.count >= lost.before
                || now >= lost.noticed.advanced(by: times.remembering)
        }
    }

    // MARK: Answers

    /// How certain this worker is of its position among the workers of an app.
    func standing(of app: String, at now: MonotonicTime) -> WorkerStanding {
        let position = position(in: app)
        guard let own = own[app], let joined = own.joined, let renewed, let lastRead else {
            return .uncertain(position, from: nil)
        }
        let end = min(renewed, lastRead).advanced(by: times.trust)
        guard now < end else { return .uncertain(position, from: nil) }
        let ready = joined.advanced(by: times.trust)
        return own.wasAlone || now >= ready ? .certain(position, until: end) : .uncertain(position, from: ready)
    }

    private func position(in app: String) -> WorkerPosition {
        var position = WorkerPosition()
        for other in living {
            guard let since = other.apps[app] else { continue }
            position.count += 1
            // A worker that does not send the app yet comes after all others.
            guard let own = own[app] else {
                position.rank += 1
                continue
            }
            if (since, other.name) < (own.since, name) { position.rank += 1 }
        }
        return position
    }
}

/// Which of the workers of an app this one is.
struct WorkerPosition: Equatable {
    /// How many workers of the app are before this one: those that have sent it for a longer time.
    var rank = 0
    /// The number of workers of the app, with this one.
    var count = 1
}

/// How certain a worker is of its position among the workers of an app.
enum WorkerStanding: Equatable {
    /// Until the given time, every worker that sends the app counts this worker, and this worker counts them.
    case certain(WorkerPosition, until: MonotonicTime)
    /// Other workers may not count this worker yet. If nothing changes, they do from the given time on; `nil` if that is not known.
    case uncertain(WorkerPosition, from: MonotonicTime?)
}

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
    /// How long the others show a worker that was lost, unless another one replaces it.
    package var remembering: Duration = .seconds(3600)

    package init() {}
}
