package import PushPlatform

package struct QueueJobRecord: Sendable, Hashable {
    /// It is the `apns-id` of every try.
    package var id: UUID
    package var app: String
    package var target: QueueJobTarget
    /// What the sender needs beside the payload.
    package var push: [UInt8]
    package var state: QueueJobState
    package var priority: QueuePriority
    package var policy: QueueDeliveryPolicy
    package var queued: QueueTime
    /// When the job may be sent, or may be sent again.
    package var due: QueueTime
    /// When the job ends if it was not sent; `nil` for never.
    package var expires: QueueTime?
    /// The number of tries that began, plus the number of workers that were lost before they began one.
    package var attempts: Int
    package var lostLeases: Int
    /// When the last try began; `nil` if no try has begun.
    package var started: QueueTime?
    /// The worker that has the job; `nil` if no worker has it.
    package var owner: String?
    package var leaseEnds: QueueTime?
    package var finished: QueueTime?
    package var outcome: QueueJobOutcome?
    /// The campaign; `nil` for a job that is not a line of a campaign.
    package var campaign: UUID?
    package var line: Int?
    /// The dedupe key; `nil` if it has none, or the key is no longer kept.
    package var dedupeKey: String?
    /// The job that was created from this dead letter; `nil` if no job was.
    package var redrivenAs: UUID?
    /// Whether payload and variables were erased.
    package var isErased: Bool

    package init(id: UUID, app: String, target: QueueJobTarget, queued: QueueTime, due: QueueTime) {
        (self.id, self.app, self.target, self.queued, self.due) = (id, app, target, queued, due)
        (push, state, priority, policy) = ([], .waiting, .normal, .atMostOnce)
        (attempts, lostLeases, isErased) = (0, 0, false)
    }
}

extension QueueJobRecord {
    /// What happened to the job, the earliest first: with the events that are stored, and with what is known of the job itself.
    package func history(_ stored: [QueueJobEvent]) -> [QueueJobEvent] {
        var events = [QueueJobEvent(.queued, at: queued)] + stored
        if let started {
            // The result of the try comes after its start, even in the same millisecond.
            let later = events.dropFirst().firstIndex { $0.time >= started }
            events.insert(QueueJobEvent(.started, at: started), at: later ?? events.endIndex)
        }
        if let finished, let outcome {
            events.append(QueueJobEvent(.finished, at: finished, detail: outcome.reason ?? "accepted"))
        }
        return events
    }
}

package struct QueueJobEvent: Sendable, Hashable {
    /// Later versions may add more.
    package struct Kind: Sendable, Hashable {
        package let name: String

        package init(name: String) {
            self.name = name
        }

        package static let queued = Kind(name: "queued")
        /// The job was put into the queue again from a dead letter, whose id is the detail.
        package static let redriven = Kind(name: "redriven")
        /// Only the last one is kept.
        package static let started = Kind(name: "started")
        /// A try failed, and another one follows. The detail has the reason.
        package static let retried = Kind(name: "retried")
        package static let leaseLost = Kind(name: "lease_lost")
        package static let finished = Kind(name: "finished")
    }

    package var time: QueueTime
    package var kind: Kind
    package var detail: String?

    package init(_ kind: Kind, at time: QueueTime, detail: String? = nil) {
        (self.kind, self.time, self.detail) = (kind, time, detail)
    }
}
