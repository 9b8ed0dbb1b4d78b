/// Something that happened to a job: its history is a list of them, the earliest first.
public struct QueueJobEvent: Sendable, Hashable {
    /// What happened. Later versions may add more.
    public struct Kind: Sendable, Hashable {
        /// The word for programs.
        public let name: String

        package init(name: String) {
            self.name = name
        }

        /// The job was added.
        public static let queued = Kind(name: "queued")
        /// The job was put into the queue again from a dead letter, whose id is the detail.
        public static let redriven = Kind(name: "redriven")
        /// A try began. Only the last one is kept.
        public static let started = Kind(name: "started")
        /// A try failed, and another one follows. The detail has the reason.
        public static let retried = Kind(name: "retried")
        /// The worker was lost.
        public static let leaseLost = Kind(name: "lease_lost")
        /// The job got its outcome.
        public static let finished = Kind(name: "finished")
    }

    /// When it happened.
    public var time: QueueTime
    /// What happened.
    public var kind: Kind
    /// More about it; `nil` if there is nothing.
    public var detail: String?

    /// Creates an event. Backends call this.
    public init(_ kind: Kind, at time: QueueTime, detail: String? = nil) {
        (self.kind, self.time, self.detail) = (kind, time, detail)
    }
}
