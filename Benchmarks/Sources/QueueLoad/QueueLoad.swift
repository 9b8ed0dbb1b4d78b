import PushQueue
import PushQueuePostgres

/// Measures a queue in a file or in PostgreSQL: taking jobs in, and working on them. Everything is on the disk when it counts.
@main
struct QueueLoad {
    static let use = """
        use: QueueLoad enqueue QUEUE COUNT GROUP [--shared]    takes jobs in, a number of them in each request
             QueueLoad work QUEUE COUNT GROUP [--in-turn]      claims, starts and completes jobs in groups
             QueueLoad drain QUEUE GROUP [--in-turn]           the same with the jobs that wait already, until there are none
             QueueLoad aged QUEUE GROUP SAMPLE FINISHED...     both, at each of these numbers of finished jobs

        QUEUE is a file, or an address such as postgres://USER@HOST/DATABASE?schema=NAME.
        Each job has a payload of 300 bytes of its own, or with --shared the same as the others.
        With --in-turn, a group is completed before the next one is claimed. Otherwise both happen together, as in pushserve.
        With --waits, it opens the queue, prints "ready", and begins when it reads a line: so several processes begin together.
        """

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let plain = Array(arguments.filter { !$0.hasPrefix("--") })
        let numbers = plain.dropFirst(2).compactMap { Int($0) }.filter { $0 > 0 }
        let least = plain.first == "drain" ? 1 : 2
        guard numbers.count >= least, plain.count == numbers.count + 2 else { return print(use) }
        let queue = try await open(plain[1])
        if arguments.contains("--waits") { Start.wait() }
        let jobs = JobSource(isShared: arguments.contains("--shared"))
        let worker = Worker(queue, group: numbers[least - 1], isInTurn: arguments.contains("--in-turn"))
        switch plain[0] {
        case "enqueue": print("enqueue:", try await Intake(queue, jobs).take(numbers[0], inGroupsOf: numbers[1]))
        case "work":
            _ = try await Intake(queue, jobs).take(numbers[0], inGroupsOf: 1000)
            print("work:", try await worker.work(numbers[0]))
        case "drain":
            let timing = try await worker.drain()
            print("jobs: \(timing.count) drain: \(timing)")
        case "aged": try await age(queue, jobs, numbers)
        default: print(use)
        }
        await queue.close()
    }

    private static func open(_ text: String) async throws -> any JobQueue {
        guard text.hasPrefix("postgres://") else { return try SQLiteQueue(text) }
        return try await PostgresQueue(try PostgresAddress(text))
    }

    private static func age(_ queue: any JobQueue, _ jobs: JobSource, _ numbers: [Int]) async throws {
        let (group, sample) = (numbers[0], numbers[1])
        let (intake, worker) = (Intake(queue, jobs), Worker(queue, group: group, isInTurn: false))
        var finished = 0
        for wanted in numbers.dropFirst(2) {
            while finished + sample <= wanted {
                let enqueued = try await intake.take(sample, inGroupsOf: 1000)
                let worked = try await worker.work(sample)
                finished += sample
                if finished + sample > wanted { print("finished \(finished): enqueue: \(enqueued) work: \(worked)") }
            }
        }
    }
}

/// The time of a number of jobs.
struct Timing: CustomStringConvertible {
    var count: Int
    var duration: Duration
    /// The time of all processors that the process has used.
    var processor: Duration

    /// Measures what a closure does with a number of jobs.
    static func of(_ count: Int, _ body: () async throws -> Void) async rethrows -> Timing {
        let (begin, used) = (ContinuousClock.now, ProcessorTime.used)
        try await body()
        return Timing(count: count, duration: .now - begin, processor: ProcessorTime.used - used)
    }

    var description: String {
        let count = max(self.count, 1)
        return "nanoseconds each: \(Int(duration / .nanoseconds(count))) cpu: \(Int(processor / .nanoseconds(count)))"
    }
}

/// A job that was not done, so that no figure counts.
struct Failure: Error, CustomStringConvertible {
    var description: String
}
