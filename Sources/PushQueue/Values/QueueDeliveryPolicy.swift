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
    case bulk = 0
    /// For most jobs.
    case normal = 1
    /// For jobs that a user waits for, such as a login code.
    case urgent = 2

    /// Whether a priority is lower than another one.
    public static func < (left: QueuePriority, right: QueuePriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension QueuePriority: NamedCase {
    package var name: String {
        switch self {
        case .urgent: "high"
        case .normal: "normal"
        case .bulk: "low"
        }
    }
}
