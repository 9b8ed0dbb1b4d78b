import PushPlatform
import PushQueue

/// A job of the model.
struct ModelJob {
    var id: UUID
    var app: String
    var job: NewQueueJob
    var state = QueueJobState.waiting
    var due: QueueTime
    var isDueRelative: Bool
    var expires: QueueTime?
    var isExpiryRelative: Bool
    var queued: QueueTime
    var attempts = 0
    var lost = 0
    var isUncertain = false
    /// The fence of the last lease; 0 if there was none, or it was lost.
    var fence: Int64 = 0
    var started: QueueTime?
    var finished: QueueTime?
    /// The steady time at which the job ended.
    var endedAt: QueueTime?
    var outcome: QueueJobOutcome?
    /// The number of the operation in which the job ended.
    var ended = 0
    var isErased = false
    var redrivenAs: UUID?
    /// The job whose place it has among the pushes that replace each other; `nil` for its own.
    var after: UUID?
    /// The campaign and the number of the line.
    var line: (campaign: UUID, number: Int)?

    var place: UUID { after ?? id }
    /// What it has in common with the pushes that replace each other; `nil` for a push that replaces none.
    var key: UUID? {
        guard job.variables == nil, let number = UInt64(job.target.token.suffix(4), radix: 16) else { return nil }
        return UUID(5, number)
    }

    var isOpen: Bool { state != .finished }
    /// Whether it is claimed alone: two workers were lost with it.
    var isSuspect: Bool { lost >= 2 }
    var isDeadLetter: Bool { outcome?.reason == "buried" }
}

/// The queue does not do what the model does.
package struct ModelMismatch: Error, CustomStringConvertible {
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}
