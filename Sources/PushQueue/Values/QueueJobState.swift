/// The state of a job.
package enum QueueJobState: Int, Sendable, Hashable, CaseIterable {
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

/// A value that the API, the metrics, the commands and the configuration show by its name.
package protocol NamedCase: CaseIterable {
    /// The name, such as `not_sent`.
    var name: String { get }
}

extension NamedCase {
    /// The names of all values.
    package static var names: [String] { allCases.map { $0.name } }

    /// Creates the value that has a name; `nil` if no value has it.
    package init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }
}
