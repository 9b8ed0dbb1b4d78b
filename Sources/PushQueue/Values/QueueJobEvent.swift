/// Something that happened to a job: its history is a list of them, the earliest first.
package struct QueueJobEvent: Sendable, Hashable {
    /// What happened. Later versions may add more.
    package struct Kind: Sendable, Hashable {
        /// The word for programs.
        package let name: String

        package init(name: String) {
            self.name = name
        }

        /// The job was added.
        package static let queued = Kind(name: "queued")
        /// The job was put into the queue again from a dead letter, whose id is the detail.
        package static let redriven = Kind(name: "redriven")
        /// A try began. Only the last one is kept.
        package static let started = Kind(name: "started")
        /// A try failed, and another one follows. The detail has the reason.
        package static let retried = Kind(name: "retried")
        /// The worker was lost.
        package static let leaseLost = Kind(name: "lease_lost")
        /// The job got its outcome.
        package static let finished = Kind(name: "finished")
    }

    /// When it happened.
    package var time: QueueTime
    /// What happened.
    package var kind: Kind
    /// More about it; `nil` if there is nothing.
    package var detail: String?

    /// Creates an event. Backends call this.
    package init(_ kind: Kind, at time: QueueTime, detail: String? = nil) {
        (self.kind, self.time, self.detail) = (kind, time, detail)
    }
}
