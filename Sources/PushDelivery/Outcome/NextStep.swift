internal import PushQueue

/// What happens to a job after a try.
enum NextStep: Equatable {
    /// The job gets its outcome.
    case finish(QueueJobOutcome)
    /// The job is tried again, after a pause that grows, or after at least the one that was asked for.
    case again(asked: Duration?, reason: String, mayHaveArrived: Bool = false)
    /// The job waits again at once: the app sends nothing until its operator corrects something, or the try never began.
    case wait(reason: String)
}
