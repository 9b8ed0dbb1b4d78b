/// The steps that wait for the writer. A group of them commits together.
///
/// The writer runs while there are steps, and sleeps otherwise. So a group commits as soon as the writer is free, and a step that
/// comes while nothing happens does not wait for others.
struct GroupMailbox<Step: Sendable>: Sendable {
    private var waiting: [Step] = []
    private var isRunning = false
    private(set) var isClosed = false

    /// The number of steps that wait.
    var count: Int { waiting.count }

    /// The maximum number of steps in a group. More wait for the next one, so that no group takes too long.
    static var most: Int { 256 }

    /// What to do after a step came.
    enum Arrival: Equatable {
        /// Nothing: the writer runs, and will see it.
        case nothing
        /// Let the writer run.
        case run
        /// The queue is closed. The step was not taken.
        case refuse
    }

    mutating func stepArrived(_ step: Step) -> Arrival {
        if isClosed { return .refuse }
        waiting.append(step)
        if isRunning { return .nothing }
        isRunning = true
        return .run
    }

    /// The next group; empty if there are no more steps, and the writer sleeps.
    mutating func writerIsFree() -> [Step] {
        let group = Array(waiting.prefix(Self.most))
        waiting.removeFirst(group.count)
        if group.isEmpty { isRunning = false }
        return group
    }

    /// No more steps are taken. Returns whether the queue was open.
    mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }
}
