/// The steps that wait for the writer. A group of them commits together.
///
/// The writer runs while there are steps, and sleeps otherwise. So a group commits as soon as the writer is free. In an
/// idle queue, a step does not wait for others.
package struct GroupMailbox<Step: Sendable>: Sendable {
    /// Steps of workers. There are only a few, and pushes wait for them, so they come before steps that only add jobs.
    private var ofWorkers: [Step] = []
    private var others: [(step: Step, jobs: Int)] = []
    private var isRunning = false
    package private(set) var isClosed = false

    package init() {}

    package var count: Int { ofWorkers.count + others.count }

    /// The maximum number of steps in a group. Further steps wait for the next group, so that no group takes too long.
    package static var maximum: Int { 256 }

    /// A group that adds this number of jobs takes no more steps. So a worker does not wait long while many jobs
    /// arrive.
    package static var maximumJobs: Int { 1000 }

    package enum Arrival: Equatable {
        /// Nothing: the writer runs, and will see it.
        case nothing
        case run
        /// The queue is closed. The step was not taken.
        case refuse
    }

    /// A step arrived.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - jobs: The number of jobs that it adds.
    ///   - isOfWorker: Whether it is a step of a worker.
    /// - Returns: What to do.
    package mutating func stepArrived(_ step: Step, jobs: Int = 0, isOfWorker: Bool = false) -> Arrival {
        if isClosed { return .refuse }
        if isOfWorker { ofWorkers.append(step) } else { others.append((step, jobs)) }
        if isRunning { return .nothing }
        isRunning = true
        return .run
    }

    /// The next group; empty if there are no more steps, and the writer sleeps.
    package mutating func writerIsFree() -> [Step] {
        var group = Array(ofWorkers.prefix(Self.maximum))
        ofWorkers.removeFirst(group.count)
        var (taken, jobs) = (0, 0)
        while taken < others.count, group.count < Self.maximum, jobs < Self.maximumJobs {
            group.append(others[taken].step)
            jobs += others[taken].jobs
            taken += 1
        }
        others.removeFirst(taken)
        if group.isEmpty { isRunning = false }
        return group
    }

    /// Returns whether the queue was open.
    package mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }
}
