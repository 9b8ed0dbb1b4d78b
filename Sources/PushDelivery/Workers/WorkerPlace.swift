internal import PushProvider

/// Which of the workers of an app this one is.
struct WorkerPlace: Equatable {
    /// How many workers of the app are before this one: those that have sent it for a longer time.
    var rank = 0
    /// The number of workers of the app, with this one.
    var count = 1
}

/// What a worker knows of its place among the workers of an app.
enum WorkerStanding: Equatable {
    /// Every worker that sends the app counts with this one, and this one with them, until a time.
    case certain(WorkerPlace, until: MonotonicTime)
    /// Others may not count with this worker yet. From a time on they do, if nothing changes; `nil` if that is not known.
    case uncertain(WorkerPlace, from: MonotonicTime?)
}
