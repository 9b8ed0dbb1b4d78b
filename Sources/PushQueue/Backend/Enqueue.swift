public import PushPlatform

/// Jobs to store together.
public struct EnqueueRequest: Sendable, Hashable {
    /// The app to which the jobs belong.
    public var app: String
    /// The jobs.
    public var jobs: [NewQueueJob]
    /// Whether one invalid job refuses all of them. Otherwise the valid ones are added.
    public var isAtomic: Bool
    /// The key of the request; `nil` for none.
    public var idempotency: QueueIdempotencyKey?
    /// The reservation of the key by `reserve(_:app:lasting:)`; `nil` if the key was not reserved.
    public var reservation: QueueReservation?
    /// What ``QueueBackend/lastErasure()`` returned before the jobs were read; `nil` if an erasure cannot have missed them. After a later one
    /// the answer is ``EnqueueAnswer/conflict``: read again what is left of them.
    package var lastErasure: Int64?

    /// Creates a request in which one invalid job refuses all of them.
    ///
    /// - Parameters:
    ///   - jobs: The jobs.
    ///   - app: The app to which they belong.
    ///   - idempotency: The key of the request.
    public init(_ jobs: [NewQueueJob], app: String, idempotency: QueueIdempotencyKey? = nil) {
        (self.jobs, self.app, self.idempotency, isAtomic) = (jobs, app, idempotency, true)
    }
}

/// A key that makes a repeated request harmless, with a digest of what was requested.
public struct QueueIdempotencyKey: Sendable, Hashable {
    /// The key of the caller, unique in its app.
    public var key: String
    /// A digest of the request. Another request with the same key has another digest.
    public var digest: [UInt8]

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - key: The key of the caller.
    ///   - digest: A digest of the request, at most 64 bytes.
    public init(_ key: String, digest: [UInt8]) {
        (self.key, self.digest) = (key, digest)
    }
}

/// The right to answer the request of an idempotency key.
public struct QueueReservation: Sendable, Hashable {
    /// The fence: a later reservation of the same key has another number.
    public let fence: Int64

    /// Creates a reservation. Backends call this.
    public init(fence: Int64) {
        self.fence = fence
    }
}

/// The result of enqueueing one job.
public enum EnqueueResult: Sendable, Hashable {
    /// It is in the queue, durably.
    case queued(UUID)
    /// It was not added: an earlier job of the app, whose id this is, has the same dedupe key.
    case duplicate(UUID)
    /// It was not added: the job with this id, which was given, is in the queue already, or has its outcome.
    case stored(UUID)
    /// It was not added: it is invalid.
    case invalid(Refusal)
    /// It was not added, because another job of the same request is invalid.
    case omitted

    /// Why a job is invalid.
    public enum Refusal: Int, Error, Sendable, Hashable, CaseIterable {
        /// It would expire before it is due, or has expired already.
        case expiresTooEarly = 1
        /// A time is out of range.
        case timeOutOfRange = 2
        /// The target is empty or too long.
        case target = 3
        /// The payload is empty or too long.
        case payload = 4
        /// The variables are too long.
        case variables = 5
        /// ``NewQueueJob/push`` is too long.
        case push = 6
        /// The dedupe key is empty or too long.
        case dedupeKey = 7
        /// The id is not one that a queue can have, or another job has its place. Give another id.
        case id = 8
    }

    /// The id of the job in the queue; `nil` if there is none.
    public var id: UUID? {
        switch self {
        case .queued(let id), .duplicate(let id), .stored(let id): id
        case .invalid, .omitted: nil
        }
    }
}

/// The result of a request to enqueue jobs.
public enum EnqueueAnswer: Sendable, Hashable {
    /// The result of each job, in order. What is queued is durable.
    case done([EnqueueResult])
    /// The same request was answered before with these results. Nothing was added now.
    case replayed([EnqueueResult])
    /// Another request had the same key, or something was erased that the jobs may be about. Nothing was added.
    case conflict
    /// A request with the same key is not answered yet. Nothing was added.
    case inProgress
}

package enum QueueReservationAnswer: Sendable, Hashable {
    /// Answer with ``EnqueueRequest/reservation``.
    case reserved(QueueReservation)
    /// The same request was answered by ``JobQueue/enqueue(_:)``, with these results.
    case enqueued([EnqueueResult])
    case conflict
    case inProgress
}

/// A leased job that is about to be sent.
public struct QueueJobStart: Sendable, Hashable {
    /// The right to start the job.
    public var lease: QueueJobLease
    /// The order of the pushes that replace each other on the device; `nil` for a push that replaces none.
    public var replacement: QueueReplacement?

    /// Creates a start.
    ///
    /// - Parameters:
    ///   - lease: The right to start the job.
    ///   - replacement: The order of the pushes that replace each other on the device; `nil` for a push that replaces none.
    public init(_ lease: QueueJobLease, replacement: QueueReplacement? = nil) {
        (self.lease, self.replacement) = (lease, replacement)
    }
}

/// The place of a push among those that replace each other on a device. An older one is never started after a newer one, and no two of
/// them are on the way at the same time.
public struct QueueReplacement: Sendable, Hashable {
    /// A digest of what they have in common, the same for all of them. Other pushes of the app must have another one.
    public var key: UUID
    /// The id of the job; for a dead letter that is sent again, the id of the first job. The ids are in the order of first due times.
    public var place: UUID
    /// How long a started push is on the way at most, if its worker does not report its outcome.
    public var longest: Duration

    /// Creates a place.
    public init(key: UUID, place: UUID, longest: Duration) {
        (self.key, self.place, self.longest) = (key, place, longest)
    }
}
