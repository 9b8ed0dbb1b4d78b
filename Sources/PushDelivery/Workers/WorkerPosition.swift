internal import PushProvider

/// Which of the workers of an app this one is.
struct WorkerPosition: Equatable {
    /// How many workers of the app are before this one: those that have sent it for a longer time.
    var rank = 0
    /// The number of workers of the app, with this one.
    var count = 1
}

/// How certain a worker is of its position among the workers of an app.
enum WorkerStanding: Equatable {
    /// Until the given time, every worker that sends the app counts this worker, and this worker counts them.
    case certain(WorkerPosition, until: MonotonicTime)
    /// Other workers may not count this worker yet. If nothing changes, they do from the given time on; `nil` if that is not known.
    case uncertain(WorkerPosition, from: MonotonicTime?)
}
