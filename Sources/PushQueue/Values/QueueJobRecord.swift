public import PushPlatform

/// A job as a queue shows it.
public struct QueueJobRecord: Sendable, Hashable {
    /// The id, a UUID that the queue created. It is the `apns-id` of every try.
    public var id: UUID
    /// The app.
    public var app: String
    /// The device or the channel.
    public var target: QueueJobTarget
    /// What the sender needs beside the payload.
    public var push: [UInt8]
    /// Where the job is.
    public var state: QueueJobState
    /// The priority in the queue.
    public var priority: QueuePriority
    /// What happens if the worker is lost.
    public var policy: QueueDeliveryPolicy
    /// When the job was added.
    public var queued: QueueTime
    /// When the job may be sent, or may be sent again.
    public var due: QueueTime
    /// When the job ends if it was not sent; `nil` for never.
    public var expires: QueueTime?
    /// The number of tries that began, plus the number of workers that were lost before they began one.
    public var attempts: Int
    /// How often its worker was lost.
    public var lostLeases: Int
    /// When the last try began; `nil` if no try has begun.
    public var started: QueueTime?
    /// The worker that has the job; `nil` if no worker has it.
    public var owner: String?
    /// When the lease ends; `nil` if no worker has the job.
    public var leaseEnds: QueueTime?
    /// When the job got its outcome; `nil` if it has none.
    public var finished: QueueTime?
    /// The outcome; `nil` if it has none.
    public var outcome: QueueJobOutcome?
    /// The campaign; `nil` for a job that is not a line of a campaign.
    public var campaign: UUID?
    /// The number of the line in its campaign; `nil` for a job that is not a line of a campaign.
    public var line: Int?
    /// The dedupe key; `nil` if it has none, or the key is no longer kept.
    public var dedupeKey: String?
    /// The job that was created from this dead letter; `nil` if no job was.
    public var redrivenAs: UUID?
    /// Whether payload and variables were erased.
    public var isErased: Bool

    /// Creates a waiting job. Backends call this.
    public init(id: UUID, app: String, target: QueueJobTarget, queued: QueueTime, due: QueueTime) {
        (self.id, self.app, self.target, self.queued, self.due) = (id, app, target, queued, due)
        (push, state, priority, policy) = ([], .waiting, .normal, .atMostOnce)
        (attempts, lostLeases, isErased) = (0, 0, false)
    }
}
