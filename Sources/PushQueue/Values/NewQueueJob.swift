public import PushPlatform

/// A push to put into a queue.
public struct NewQueueJob: Sendable, Hashable {
    /// When a job may be sent for the first time.
    public enum Due: Sendable, Hashable {
        /// At once, by the clock of the queue.
        case now
        /// At a time of the wall clock. A time in the past means at once.
        case at(QueueTime)
    }

    /// When a job ends if it was not sent.
    public enum Expiry: Sendable, Hashable {
        /// The job does not expire.
        case never
        /// At a time of the wall clock, which must be later than the due time.
        case at(QueueTime)
        /// A duration after the due time, or after the job was added if it is due at once. In the second case, a jump of the
        /// wall clock does not change the duration.
        case after(Duration)
    }

    /// The device or the channel.
    public var target: QueueJobTarget
    /// The payload, or a template for ``variables``. A queue stores the same payload only once for each app. A
    /// second copy is possible if only one job had the payload, and the next one comes after thousands of other payloads, or by another
    /// process.
    public var payload: [UInt8]
    /// The values for a template, a JSON object; `nil` if there are none.
    public var variables: [UInt8]?
    /// What the sender needs beside the payload: topic, push type, `apns-priority`, collapse id. In the service these are the bytes of
    /// `PushDetails`. A queue only finds jobs by their collapse id in it, and adds the id of the dead letter that a job repeats.
    public var push: [UInt8]
    /// When the job may be sent.
    public var due: Due
    /// When the job ends if it was not sent.
    public var expiry: Expiry
    /// Which jobs of the app go first.
    public var priority: QueuePriority
    /// What happens if the worker is lost.
    public var policy: QueueDeliveryPolicy
    /// A later job of the same app with the same key is a duplicate and is not added; `nil` for none. A queue keeps
    /// the key for ``QueueOptions/keepKeys``.
    public var dedupeKey: String?
    /// Another form of ``dedupeKey``, which queues of earlier versions have: a job of the app with it makes this one a duplicate, too. It
    /// isn't stored.
    package var olderDedupeKey: String?
    /// The id, if it was given before the job comes to the queue, as the inbox of a database does; `nil` if the queue chooses one. A job
    /// whose id is stored already, for as long as its record is kept, is not added again.
    public var id: UUID?
    /// The outcome that the job has at once, because it cannot be sent; `nil` for a job that is sent.
    public var outcome: QueueJobOutcome?

    /// Creates a job that is due at once and does not expire.
    ///
    /// - Parameters:
    ///   - target: The device or the channel.
    ///   - payload: The payload, or a template.
    ///   - push: What the sender needs beside the payload.
    public init(to target: QueueJobTarget, payload: [UInt8], push: [UInt8] = []) {
        (self.target, self.payload, self.push) = (target, payload, push)
        (due, expiry, priority, policy) = (.now, .never, .normal, .atMostOnce)
    }

    /// The maximum size of a payload, in bytes. A template may be longer than the payload that it makes.
    public static let longestPayload = 64 << 10
    /// The maximum size of the variables, in bytes.
    public static let longestVariables = 64 << 10
    /// The maximum size of ``push``, in bytes.
    public static let longestPush = 4 << 10
    /// The maximum size of a target, a dedupe key, an idempotency key, or the name of an app, in bytes of UTF-8.
    public static let longestName = 512
}

/// The target of a push.
public enum QueueJobTarget: Sendable, Hashable {
    /// A device token, in hex. The queue returns it in lower-case letters.
    case device(String)
    /// The id of a broadcast channel.
    case channel(String)
}

/// What happens to a job that may have been sent when its worker is lost.
public enum QueueDeliveryPolicy: Int, Sendable, Hashable, CaseIterable {
    /// It ends as unknown. No device gets the push twice.
    case atMostOnce = 0
    /// It is sent again with the same id. A user may get the push twice.
    case atLeastOnce = 1
}

/// The order in which the due jobs of an app are claimed: a higher priority first, then the earlier due time.
///
/// It concerns only this queue. The `apns-priority` is a part of ``NewQueueJob/push``.
public enum QueuePriority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// For campaigns, which can wait.
    case low = 0
    /// For most jobs.
    case normal = 1
    /// For jobs that a user waits for, such as a login code.
    case high = 2

    /// Whether a priority is lower than another one.
    public static func < (left: QueuePriority, right: QueuePriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension QueuePriority: NamedCase {
    package static let names = ["low", "normal", "high"]
}
