/// The state of a job.
public enum QueueJobState: Int, Sendable, Hashable, CaseIterable {
    /// It waits for its due time, or for a worker. It can become leased, finished, or held if its campaign is paused.
    case waiting = 0
    /// A worker has it, and has not begun to send it. It can become waiting, started or finished.
    case leased = 1
    /// A worker sends it; Apple may have it. It can become finished, or waiting for another try, or held if its campaign is paused.
    case started = 2
    /// It has its outcome, for ever.
    case finished = 3
    /// It is a line of a campaign that was not released. It can become waiting or finished.
    case held = 4
}

extension QueueJobState: NamedCase {
    package var name: String {
        switch self {
        case .waiting: "waiting"
        case .leased: "leased"
        case .started: "started"
        case .finished: "finished"
        case .held: "held"
        }
    }
}
