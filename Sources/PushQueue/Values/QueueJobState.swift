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
    package static let names = ["waiting", "leased", "started", "finished", "held"]
}

/// A value that the API, the metrics, the commands and the configuration show by its name.
package protocol NamedCase: CaseIterable, RawRepresentable where RawValue == Int {
    /// The names of all values, in the order of their numbers, of which the first one is 0.
    static var names: [String] { get }
}

extension NamedCase {
    /// The name, such as `not_sent`.
    package var name: String { Self.names[rawValue] }

    package init?(name: String) {
        guard let number = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: number)
    }
}
