import PushQueue
import PushQueuePostgres

/// Measures a queue in a file or in PostgreSQL: taking jobs in, and working on them. Everything is on the disk when it counts.
@main
struct QueueLoad {
    static let use = """
        use: QueueLoad enqueue QUEUE COUNT GROUP [--shared]    takes jobs in, a number of them in each request
             QueueLoad work QUEUE COUNT GROUP [--in-turn]      claims, starts and completes jobs in groups
             QueueLoad aged QUEUE GROUP SAMPLE FINISHED...     both, at each of these numbers of finished jobs

        QUEUE is a file, or an address such as postgres://USER@HOST/DATABASE?schema=NAME.
        Each job has a payload of 300 bytes of its own, or with --shared the same as the others.
        With --in-turn, a group is completed before the next one is claimed. Otherwise both happen together, as in pushserve.
        """

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let plain = Array(arguments.filter { !$0.hasPrefix("--") })
        let numbers = plain.dropFirst(2).compactMap { Int($0) }.filter { $0 > 0 }
        guard numbers.count >= 2, plain.count == numbers.count + 2 else { return print(use) }
        let queue = try await open(plain[1])
        let jobs = JobSource(isShared: arguments.contains("--shared"))
        switch plain[0] {
        case "enqueue": print("enqueue:", try await Intake(queue, jobs).take(numbers[0], inGroupsOf: numbers[1]))
        case "work":
            _ = try await Intake(queue, jobs).take(numbers[0], inGroupsOf: 1000)
            let worker = Worker(queue, group: numbers[1], isInTurn: arguments.contains("--in-turn"))
            print("work:", try await worker.work(numbers[0]))
        case "aged": try await age(queue, jobs, numbers)
        default: print(use)
        }
        await queue.close()
    }

    private static func open(_ text: String) async throws -> any QueueBackend {
        guard text.hasPrefix("postgres://") else { return try SQLiteQueue(text) }
        return try await PostgresQueue(try PostgresAddress(text))
    }

    private static func age(_ queue: any QueueBackend, _ jobs: JobSource, _ numbers: [Int]) async throws {
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
        "nanoseconds each: \(Int(duration / .nanoseconds(count))) cpu: \(Int(processor / .nanoseconds(count)))"
    }
}

/// A job that was not done, so that no figure counts.
struct Failure: Error, CustomStringConvertible {
    var description: String
}
