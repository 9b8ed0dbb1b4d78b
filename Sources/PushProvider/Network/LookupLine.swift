/// Which questions the system is asked now, and which wait. A pure value: happenings in, decisions out.
///
/// A question blocks a thread for as long as the system likes, and nobody can take it back. So there are few at a time, and of
/// one name fewer: a name whose servers are silent must not keep the others from being looked up.
struct LookupLine {
    static let mostAtOnce = 4
    static let mostOfOneName = 2

    private var waiting: [(id: Int, name: String)] = []
    private var running: [Int: String] = [:]

    /// How many wait.
    var waitingCount: Int { waiting.count }

    /// A question is to be asked.
    ///
    /// - Returns: Those to ask the system now.
    mutating func handedIn(_ id: Int, name: String) -> [Int] {
        waiting.append((id, name))
        return next()
    }

    /// The system has answered one.
    ///
    /// - Returns: Those to ask now.
    mutating func answered(_ id: Int) -> [Int] {
        running[id] = nil
        return next()
    }

    /// Nobody waits for its answer any more. One that the system was asked goes on until it is answered.
    mutating func givenUp(_ id: Int) {
        waiting.removeAll { $0.id == id }
    }

    private mutating func next() -> [Int] {
        var begun: [Int] = []
        while running.count < Self.mostAtOnce, let index = waiting.firstIndex(where: { isFree($0.name) }) {
            let question = waiting.remove(at: index)
            running[question.id] = question.name
            begun.append(question.id)
        }
        return begun
    }

    private func isFree(_ name: String) -> Bool {
        running.values.count { $0 == name } < Self.mostOfOneName
    }
}
