internal import NIOConcurrencyHelpers
import PushPlatform
public import PushQueue

/// A queue in PostgreSQL. Any number of processes on any number of machines share it.
///
/// All tables are in a schema of their own. The server needs PostgreSQL 15 or newer. Confirmed data is on the disk of the server,
/// and of its synchronous standby if it has one.
///
/// The steps themselves are in other types.
public final class PostgresQueue: QueueBackend {
    /// How a queue behaves.
    public typealias Options = PostgresQueueOptions

    /// Where the queue is.
    public let address: PostgresAddress

    let options: PostgresQueue.Options
    /// The writer of the steps of workers, for which pushes wait.
    let workWriter: PostgresWriter
    /// The writer of all other steps.
    let intakeWriter: PostgresWriter
    private let readers: [PostgresThread]
    private let nextReader = NIOLockedValueBox(0)
    /// Closes the queue, once for all callers.
    private let closing = NIOLockedValueBox<Task<Void, Never>?>(nil)
    private let subscribers: ChangeSubscribers
    /// Where scans of waiting jobs begin.
    private let floors: SharedFloors
    /// Claims whose answer was lost, by their fences. Their jobs go back before the next claim.
    let lostClaims = NIOLockedValueBox<Set<Int64>>([])
    /// The last enqueue that a full disk refused, and when, unless another one has stored something since.
    private let lastFull = NIOLockedValueBox<(error: QueueError, time: ContinuousClock.Instant)?>(nil)
    private let notices: PostgresNotices
    private let clock: ServerClock

    private static let readerCount = 2

    /// Opens a queue, and makes its tables if there are none.
    ///
    /// - Parameters:
    ///   - address: Where the queue is.
    ///   - options: How the queue behaves.
    /// - Throws: `QueueError`, which says what is wrong with the address, the server or the tables, and what to do.
    public init(
        _ address: PostgresAddress, options: PostgresQueue.Options = PostgresQueue.Options()
    ) async throws(QueueError) {
        (self.address, self.options) = (address, options)
        (subscribers, clock) = (ChangeSubscribers(), ServerClock(options))
        floors = SharedFloors(options)
        readers = (0..<Self.readerCount).map { _ in
            PostgresThread(name: "pg-read", address: address, settings: options.readingSettings)
        }
        try await Self.open(readers[0], address, options)
        let notices = PostgresNotices(address, options, subscribers)
        self.notices = notices
        workWriter = PostgresWriter(name: "pg-work", address, options, floors) { notices.notify($0) }
        intakeWriter = PostgresWriter(name: "pg-intake", address, options, floors) { notices.notify($0) }
        notices.start()
    }

    private static func open(
        _ thread: PostgresThread, _ address: PostgresAddress, _ options: PostgresQueue.Options
    ) async throws(QueueError) {
        do throws(QueueError) {
            let findings = try await prepared(thread, address, options)
            for warning in findings.warnings { options.report(warning) }
        } catch {
            await thread.stop()
            throw error
        }
    }

    /// How often the start is tried again if the server ends the connection meanwhile, as it does when it restarts.
    private static let startTries = 3

    /// Checks the server, and makes the tables or brings them to the newest format.
    private static func prepared(
        _ thread: PostgresThread, _ address: PostgresAddress, _ options: PostgresQueue.Options
    ) async throws(QueueError) -> PostgresRequirements.Findings {
        var tries = 0
        while true {
            tries += 1
            let hasConnected = NIOLockedValueBox(false)
            do throws(QueueError) {
                return try await thread.run { (connection) throws(QueueError) in
                    hasConnected.withLockedValue { $0 = true }
                    let findings = try PostgresRequirements.check(connection, address, isStart: true)
                    try PostgresSchema.migrate(
                        connection, address, createsTables: options.createsTables, report: options.report)
                    _ = try PostgresSchema.check(connection, address)
                    _ = try PostgresSchema.checkApps(connection, address, known: [:])
                    try PostgresSchema.joinCluster(connection, findings.cluster)
                    for text in try sealWarnings(connection, address) { options.report(text) }
                    return findings
                }
            } catch {
                guard error.code == .unreachable, hasConnected.withLockedValue({ $0 }), tries < startTries else {
                    throw error
                }
            }
        }
    }

    /// Reads what is committed.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresQueries) throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        guard intakeWriter.isOpen else { throw .closed(address) }
        let deadline = ContinuousClock.now + options.stepTime
        let number = nextReader.withLockedValue { number in
            number += 1
            return number % Self.readerCount
        }
        return try await readers[number].run {
            [address, floors, schema = address.schema] (connection) throws(QueueError) in
            guard ContinuousClock.now < deadline else { throw .heldUp(address) }
            connection.mayCommit = false
            return try body(PostgresQueries(connection: connection, schema: schema, floors: floors))
        }
    }

    /// The time of the clock of the server.
    package func now() async throws(QueueError) -> QueueTime {
        guard options.usesServerClock else { return options.queue.clock() }
        if let time = clock.now() { return time }
        let before = clock.uptime
        let time = try await read { (queries) throws(QueueError) in try queries.now() }
        clock.note(time, askedAt: before)
        return time
    }

    /// An element whenever this process or another one has changed something of the kind, and now and then without a reason.
    /// Several changes may make one element.
    package func changes(of kind: QueueChange) -> AsyncStream<Void> {
        subscribers.stream(of: kind)
    }

    /// Waits until everything that was begun is done, and closes the connections. Later calls fail.
    public func close() async {
        let task = closing.withLockedValue { closing in
            let task = closing ?? Task { await closeAll() }
            closing = task
            return task
        }
        await task.value
    }

    private func closeAll() async {
        _ = await workWriter.close()
        _ = await intakeWriter.close()
        subscribers.finish()
        await notices.close()
        for reader in readers { await reader.stop() }
    }

    /// Breaks all connections, like the end of the process.
    func abort() async {
        workWriter.abort()
        intakeWriter.abort()
        notices.abort()
        for reader in readers { reader.abort() }
        await close()
    }
}

// Documented at JobQueue and QueueBackend. Each step is in the folder Steps, and each query in the folder Queries.
extension PostgresQueue {
    package func perform<Answer: Sendable>(_ step: QueueStep<Answer>) async throws(QueueError) -> Answer {
        let writer = step.isOfWorker ? workWriter : intakeWriter
        return try await writer.write(jobs: step.jobs, isOfWorker: step.isOfWorker, step.grouping) {
            (transaction) throws(QueueError) in
            try step.run(transaction)
        }
    }

    package func query<Answer: Sendable>(
        _ read: @escaping @Sendable (any QueueQueries) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await self.read { (queries) throws(QueueError) in try read(queries) }
    }

    /// Takes jobs in.
    public func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
        let enqueue = PostgresEnqueue(request)
        do throws(QueueError) {
            let answer = try await intakeWriter.step(jobs: request.jobs.count) { .enqueue(enqueue, $0) }
            lastFull.withLockedValue { $0 = nil }
            return answer
        } catch {
            if error.code == .diskFull { lastFull.withLockedValue { $0 = (error, .now) } }
            throw error
        }
    }

    /// Fails while a full disk takes no jobs. Small changes find room in files that can't grow, long after there is none for a job.
    func requireRoom() throws(QueueError) {
        if let (error, time) = lastFull.withLockedValue({ $0 }), .now - time < options.fullTime { throw error }
    }

    /// Notes that jobs are about to be sent.
    public func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult] {
        try await workWriter.step(isOfWorker: true) { .start(jobs, $0) }
    }

    /// Gives jobs their outcome.
    public func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult] {
        try await workWriter.step(isOfWorker: true) { .complete(completions, $0) }
    }

    /// Leases due jobs to a worker.
    public func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob] {
        try await returnLostClaims()
        let fence = NIOLockedValueBox<Int64?>(nil)
        do throws(QueueError) {
            return try await workWriter.write(isOfWorker: true) { (transaction) throws(QueueError) in
                let jobs = try transaction.claim(request)
                fence.withLockedValue { $0 = jobs.first?.lease.fence }
                return jobs
            }
        } catch {
            // The claim may be stored, and nobody knows its jobs.
            if error.code == .unreachable, let fence = fence.withLockedValue({ $0 }) {
                _ = lostClaims.withLockedValue { $0.insert(fence) }
            }
            throw error
        }
    }

    private func returnLostClaims() async throws(QueueError) {
        for fence in lostClaims.withLockedValue({ $0 }) {
            try await workWriter.write(isOfWorker: true, .alone) { (transaction) throws(QueueError) in
                try transaction.giveBackClaim(fence)
            }
            _ = lostClaims.withLockedValue { $0.remove(fence) }
        }
    }

}
