/// Limits the name lookups that run at the same time, and queues the others. A pure value.
///
/// A lookup blocks a thread until the system answers, and cannot be cancelled. So only a few run at a time, and fewer
/// for one name: a name whose DNS servers do not answer must not block the lookup of other names.
struct LookupLine {
    /// The maximum number of lookups at a time. More lookups wait.
    static let maximumAtOnce = 4
    /// The maximum number of lookups of one name at a time. More lookups of that name wait.
    static let maximumOfOneName = 2

    private var waiting: [(id: Int, name: String)] = []
    private var running: [Int: String] = [:]

    var waitingCount: Int { waiting.count }

    /// Adds a lookup.
    ///
    /// - Returns: The lookups to start now.
    mutating func submitted(_ id: Int, name: String) -> [Int] {
        waiting.append((id, name))
        return next()
    }

    /// The system has answered a lookup.
    ///
    /// - Returns: The lookups to start now.
    mutating func answered(_ id: Int) -> [Int] {
        running[id] = nil
        return next()
    }

    /// Removes a waiting lookup. A running lookup continues until the system answers.
    mutating func givenUp(_ id: Int) {
        waiting.removeAll { $0.id == id }
    }

    private mutating func next() -> [Int] {
        var begun: [Int] = []
        while running.count < Self.maximumAtOnce, let index = waiting.firstIndex(where: { isFree($0.name) }) {
            let question = waiting.remove(at: index)
            running[question.id] = question.name
            begun.append(question.id)
        }
        return begun
    }

    private func isFree(_ name: String) -> Bool {
        running.values.count { $0 == name } < Self.maximumOfOneName
    }
}
