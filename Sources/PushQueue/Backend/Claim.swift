public import PushPlatform

/// A request for due jobs.
public struct QueueClaimRequest: Sendable, Hashable {
    /// The name of the worker, shown with the job. Each worker has its own name, also after a restart, because a backend may use the name
    /// to end the leases of a worker whose process has ended.
    public var owner: String
    /// The maximum number of jobs in all.
    public var limit: Int
    /// How long the jobs belong to the owner if the lease is not extended.
    public var lease: Duration
    /// The apps whose jobs may be claimed, and the maximum number of jobs of each.
    public var apps: [String: Int]
    /// Whether to look for a suspect first: a job that several workers were lost with. If there is one, it is the only job of the claim.
    /// Without this, suspects stay in the queue. To find the one that ends its workers, have only one suspect at a time.
    public var seeksSuspect = true

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - owner: Who claims.
    ///   - limit: The maximum number of jobs in all.
    ///   - lease: How long the jobs belong to the owner.
    ///   - apps: The apps, and the maximum number of jobs of each.
    public init(owner: String, limit: Int, lease: Duration, apps: [String: Int]) {
        (self.owner, self.limit, self.lease, self.apps) = (owner, limit, lease, apps)
    }
}

/// The right to work on a job until the lease is lost. All jobs of a claim share a lease.
public struct QueueJobLease: Sendable, Hashable {
    /// The id of the job.
    public let id: UUID
    /// The app of the job.
    public let app: String
    /// The fence: a later claim has a greater number.
    public let fence: Int64

    /// Creates a lease. Backends call this.
    public init(id: UUID, app: String, fence: Int64) {
        (self.id, self.app, self.fence) = (id, app, fence)
    }
}

/// A job that a worker has.
public struct ClaimedQueueJob: Sendable, Hashable {
    /// The right to work on the job.
    public var lease: QueueJobLease
    /// The device or the channel.
    public var target: QueueJobTarget
    /// The payload, or a template.
    public var payload: [UInt8]
    /// The values for a template; `nil` if there are none.
    public var variables: [UInt8]?
    /// What the sender needs beside the payload.
    public var push: [UInt8]
    /// When the job was due.
    public var due: QueueTime
    /// When the job was added.
    public var queued: QueueTime
    /// When the job ends if it was not sent; `nil` for never.
    public var expires: QueueTime?
    /// The priority in the queue.
    public var priority: QueuePriority
    /// What happens if the worker is lost.
    public var policy: QueueDeliveryPolicy
    /// The number of earlier tries.
    public var attempts: Int
    /// Whether an earlier try may have reached Apple.
    public var mayHaveArrived: Bool
    /// Whether several workers were lost with it, so that it is alone in its lease.
    public var isSuspect = false

    /// Creates a claimed job without a payload that was never tried. Backends call this, and set the other properties.
    public init(lease: QueueJobLease, target: QueueJobTarget, queued: QueueTime, due: QueueTime) {
        (self.lease, self.target, self.queued, self.due) = (lease, target, queued, due)
        (payload, push, priority, policy) = ([], [], .normal, .atMostOnce)
        (attempts, mayHaveArrived) = (0, false)
    }

    /// The id of the job, which is the `apns-id` of every try.
    public var id: UUID { lease.id }
    /// The app of the job.
    public var app: String { lease.app }
}
