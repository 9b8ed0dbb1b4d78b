public import PushPlatform

/// The result of putting a dead letter into the queue again.
public enum QueueRedriveResult: Sendable, Hashable {
    /// A new job with this id waits.
    case queued(UUID)
    /// It was put into the queue again earlier, as the job with this id.
    case redriven(UUID)
    /// The job is not a dead letter.
    case notBuried
    /// Its payload was erased.
    case erased
    /// The app has no such job.
    case unknownJob
}
