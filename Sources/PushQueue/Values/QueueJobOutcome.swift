public import PushPlatform

/// How a job ended. A job has one outcome, which never changes.
public struct QueueJobOutcome: Sendable, Hashable {
    /// The kind of outcome. There are only these four.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// Apple accepted the push.
        case accepted = 0
        /// Apple rejected the push.
        case rejected = 1
        /// Apple may have accepted the push.
        case unknown = 2
        /// Apple certainly did not get the push.
        case notSent = 3
    }

    /// The kind of outcome.
    public var kind: Kind
    /// A word for programs, such as `BadDeviceToken` or `expired`; `nil` for an accepted push.
    public var reason: String?
    /// A sentence for people; `nil` if the reason is enough.
    public var detail: String?
    /// The HTTP status of Apple's answer; `nil` without an answer.
    public var status: Int?
    /// The `apns-unique-id` of Apple's answer; `nil` if there was none. The `apns-id` is the id of the job.
    public var uniqueID: UUID?
    /// Since when the device token is gone, by Apple's answer; `nil` if it is not gone.
    public var goneSince: QueueTime?

    /// Creates an outcome.
    ///
    /// - Parameters:
    ///   - kind: The kind of outcome.
    ///   - reason: A word for programs.
    ///   - detail: A sentence for people.
    public init(_ kind: Kind, reason: String? = nil, detail: String? = nil) {
        (self.kind, self.reason, self.detail) = (kind, reason, detail)
    }

    /// Apple accepted the push.
    public static let accepted = QueueJobOutcome(.accepted)

    /// If an earlier try may have reached Apple, "not sent" becomes "unknown".
    package func afterUncertainTry(_ isUncertain: Bool) -> QueueJobOutcome {
        guard isUncertain, kind == .notSent else { return self }
        var outcome = self
        outcome.kind = .unknown
        return outcome
    }
}

extension QueueJobOutcome.Kind: NamedCase {
    package static let names = ["accepted", "rejected", "unknown", "not_sent"]
}

/// The reasons that a queue itself gives.
extension QueueJobOutcome {
    /// The reason of a job that expired before it was sent.
    public static let expired = "expired"
    /// The reason of a job that was cancelled.
    public static let cancelled = "cancelled"
    /// The reason of a job that was buried: a dead letter. The queue gave it up, for example because it crashed its worker too often. It
    /// can be put into the queue again.
    public static let buried = "buried"
    /// The reason of a job that was not sent because a newer push with the same collapse id had been sent.
    public static let superseded = "superseded"
    /// The reason of a job whose worker was lost while it sent the job.
    public static let workerLost = "worker_lost"
}
