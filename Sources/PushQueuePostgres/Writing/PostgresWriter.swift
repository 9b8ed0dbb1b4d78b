internal import NIOConcurrencyHelpers
import PushPlatform
import PushQueue
internal import PushTime

/// One of the writers of a queue: runs steps in groups, each group in one transaction on a connection of its own.
final class PostgresWriter: Sendable {
    private let thread: PostgresThread
    private let address: PostgresAddress
    private let options: PostgresQueueOptions
    private let state = NIOLockedValueBox(State())
    private let cache: PostgresCache
    private let committed: @Sendable (PostgresChanges) -> Void

    private struct State {
        var mailbox = GroupMailbox<PostgresStep>()
        /// Does the steps. It is set with the arrival of a step, so that no step is without it.
        var draining: Task<Void, Never>?
        /// When the end of a closed queue waits for locks no more.
        var closingEnd: ContinuousClock.Instant?
    }

    init(
        name: String, _ address: PostgresAddress, _ options: PostgresQueueOptions,
        _ floors: SharedFloors = SharedFloors(), committed: @escaping @Sendable (PostgresChanges) -> Void
    ) {
        (self.address, self.options, self.committed) = (address, options, committed)
        thread = PostgresThread(name: name, address: address, settings: options.writingSettings)
        cache = PostgresCache(floors: floors)
    }

    /// Runs a step, and returns when it is durable.
    ///
    /// - Throws: ``QueueError`` if the step or the transaction fails. Then nothing is done, or it is not known if the error says so.
    func write<Value: Sendable>(
        jobs: Int = 0, isOfWorker: Bool = false, _ grouping: StepGrouping = .shared(), within time: Duration? = nil,
        _ body: @escaping @Sendable (PostgresTransaction) throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        try await step(jobs: jobs, isOfWorker: isOfWorker, grouping, within: time) { answer in
            .other(
                { (transaction) throws(QueueError) in
                    let value = try body(transaction)
                    return { answer(.success(value)) }
                }, fail: { answer(.failure($0)) })
        }
    }

    /// Runs a step. The step is created with the function that answers the caller.
    func step<Value: Sendable>(
        jobs: Int = 0, isOfWorker: Bool = false, _ grouping: StepGrouping = .shared(), within time: Duration? = nil,
        _ make: (@escaping @Sendable (Result<Value, QueueError>) -> Void) -> PostgresStep.Work
    ) async throws(QueueError) -> Value {
        let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
            let step = PostgresStep(
                work: make { continuation.resume(returning: $0) }, grouping: grouping,
                deadline: .now + (time ?? options.stepTime))
            let isTaken = state.withLockedValue { state in
                switch state.mailbox.stepArrived(step, jobs: jobs, isOfWorker: isOfWorker) {
                case .nothing: break
                case .run: state.draining = Task { await drain() }
                case .refuse: return false
                }
                return true
            }
            if !isTaken { step.fail(.closed(address)) }
        }
        return try result.get()
    }

    var isOpen: Bool { state.withLockedValue { !$0.mailbox.isClosed } }

    var waiting: Int { state.withLockedValue { $0.mailbox.count } }

    /// Takes no more steps, and returns when those that were taken are done. After twice the time for a lock, those that wait for a lock
    /// fail. Returns whether the writer was open.
    func close() async -> Bool {
        let (wasOpen, draining) = state.withLockedValue { state in
            let wasOpen = state.mailbox.close()
            if wasOpen { state.closingEnd = .now + options.lockTime * 2 }
            return (wasOpen, state.draining)
        }
        guard wasOpen else { return false }
        await draining?.value
        await thread.stop()
        return true
    }

    /// Breaks the connection, like the end of the process.
    func abort() { thread.abort() }

    private func drain() async {
        var blocked = BlockedSteps()
        while true {
            if blocked.late.isEmpty || waiting > 0 {
                let group = state.withLockedValue { $0.mailbox.writerIsFree() }
                if group.isEmpty { return }
                // While a lock is held for long, new steps do not wait long for it, either.
                let time = blocked.late.isEmpty && !isOverdue ? nil : shortLockTime
                blocked.toProbe = await commit(PostgresGroup.divide(inTime(group)), time, &blocked)
                while !blocked.toProbe.isEmpty {
                    let step = blocked.toProbe.removeFirst()
                    let late = await commit(inTime([step]).map { [$0] }, probeLockTime, &blocked)
                    blocked.late += late
                }
            }
            blocked.late = inTime(blocked.late)
            // After each wait for a lock, new steps come first.
            if !blocked.late.isEmpty {
                let step = blocked.late.removeFirst()
                if isOverdue, let error = step.lockError {
                    step.fail(error)
                } else {
                    let late = await commit([[step]], shortLockTime, &blocked)
                    blocked.late += late
                }
            }
        }
    }

    /// Steps that wait for a lock that another transaction holds, or whose group did. They are tried again, each alone.
    private struct BlockedSteps {
        /// Steps of a group that waited for a lock. Some of them do not need it: each is tried alone.
        var toProbe: [PostgresStep] = []
        /// Steps that wait for a lock themselves.
        var late: [PostgresStep] = []
    }

    /// The steps whose deadline has not passed. The others fail.
    private func inTime(_ steps: [PostgresStep]) -> [PostgresStep] {
        let now = ContinuousClock.now
        return steps.filter { step in
            if step.deadline > now { return true }
            step.fail(step.lockError ?? .heldUp(address))
            return false
        }
    }

    /// How long a step waits for a lock if other steps wait meanwhile.
    private var shortLockTime: Duration { options.lockTime / 4 }
    /// How long a step waits for a lock, to find out whether it needs the one that is held.
    private var probeLockTime: Duration { options.lockTime / 40 }

    /// Whether the queue was closed, and its end no longer waits for locks.
    private var isOverdue: Bool {
        state.withLockedValue { state in state.closingEnd.map { $0 <= ContinuousClock.now } ?? false }
    }

    // MARK: A group

    /// The maximum number of attempts to commit a group that conflicts with other transactions.
    private static let tries = 5
    private static let maximumLockTimeouts = 17

    private struct Round {
        /// Steps that wait for a lock that another transaction holds. They are to be tried again.
        var late: [PostgresStep] = []
        /// Why nothing can be sent. Then all further steps get the same error at once.
        var outage: QueueError?
    }

    /// Commits groups, each in a transaction. In an outage, the steps that wait fail, too.
    ///
    /// - Parameters:
    ///   - groups: The groups.
    ///   - lockTime: How long to wait for a lock; `nil` for the default time.
    ///   - blocked: The steps that wait.
    /// - Returns: The steps that are to be tried again.
    private func commit(
        _ groups: [[PostgresStep]], _ lockTime: Duration?, _ blocked: inout BlockedSteps
    ) async -> [PostgresStep] {
        var round = Round()
        for group in groups { await commit(group, lockTime, in: &round) }
        guard let outage = round.outage else { return round.late }
        for step in round.late + blocked.toProbe + blocked.late { step.fail(outage) }
        blocked = BlockedSteps()
        return []
    }

    private func commit(_ group: [PostgresStep], _ lockTime: Duration?, in round: inout Round) async {
        var attempt = 0
        while round.outage == nil {
            let failure: PostgresFailure
            do throws(PostgresFailure) {
                return try await perform(group, lockTime, locksFirst: attempt > 0)
            } catch {
                failure = error
            }
            attempt += 1
            switch failure.kind {
            case .refused where failure.error.code == .conflict && attempt < Self.tries: continue
            case .refused where group.count > 1:
                // One step may be the cause: each gets its own answer.
                for step in group { await commit([step], lockTime, in: &round) }
                return
            case .refused, .broken: return group.forEach { $0.fail(failure.error) }
            case .lockTimeout: return group.forEach { waited(in: &round, $0, failure.error) }
            case .silent:
                round.outage = .notTried(address)
                return group.forEach { $0.fail(failure.error) }
            case .noConnection: round.outage = failure.error
            }
        }
        if let outage = round.outage { for step in group { step.fail(outage) } }
    }

    /// A step has waited in vain for a lock.
    private func waited(in round: inout Round, _ step: PostgresStep, _ error: QueueError) {
        var step = step
        step.lockTimeouts += 1
        step.lockError = error
        if step.lockTimeouts < Self.maximumLockTimeouts { round.late.append(step) } else { step.fail(error) }
    }

    /// Runs a group in a transaction, and answers its steps. If the answer to the commit is lost, it finds out
    /// whether the commit was done, by looking for a job of the group.
    ///
    /// - Throws: Why it was not done. After a commit without an answer, only the error that the commit is not confirmed,
    ///   so that no step is executed twice.
    private func perform(
        _ steps: [PostgresStep], _ lockTime: Duration?, locksFirst: Bool
    ) async throws(PostgresFailure) {
        let group = PostgresGroup(steps)
        let lockTime = Self.lockTime(lockTime, options.lockTime, steps)
        let deadline = ContinuousClock.now + options.confirmTime
        var lost: PostgresAttempt.Unconfirmed?
        var refusals: [QueueError] = []
        while true {
            do throws(PostgresFailure) {
                switch try await attempt(
                    group, lockTime, locksFirst: locksFirst || lost != nil, isRerun: lost != nil)
                {
                case .done(let answers): return answers.forEach { $0() }
                case .unconfirmed(let now): lost = now
                case .failed(let failure): throw failure
                }
            } catch {
                // A rerun can fail because the first try was committed in the meantime.
                guard lost != nil else { throw error }
                if error.kind != .noConnection { refusals.append(error.error) }
            }
            guard let now = lost else { continue }
            guard let commitProof = now.commitProof, refusals.count < Self.tries, ContinuousClock.now < deadline
            else {
                throw PostgresFailure(error: now.failure.error.after(refusals.last), kind: now.failure.kind)
            }
            if !refusals.isEmpty { try? await Task.sleep(for: Self.pauses.first) }
            do throws(QueueError) {
                if try await isCommitted(commitProof, before: deadline) { return now.answers.forEach { $0() } }
            } catch {
                throw PostgresFailure(error: now.failure.error.after(refusals.last), kind: .silent)
            }
        }
    }

    /// How long steps wait for a lock, so that none waits beyond its deadline; `nil` for the default time.
    private static func lockTime(_ wish: Duration?, _ defaultTime: Duration, _ steps: [PostgresStep]) -> Duration? {
        guard let first = steps.map(\.deadline).min() else { return wish }
        let left = max(ContinuousClock.now.duration(to: first), .milliseconds(100))
        return left < wish ?? defaultTime ? left : wish
    }

    /// The pauses between the tries to find out about a commit.
    private static let pauses = ExponentialBackoff(first: .milliseconds(50), longest: .seconds(1))

    private func attempt(
        _ group: PostgresGroup, _ lockTime: Duration?, locksFirst: Bool, isRerun: Bool
    ) async throws(PostgresFailure) -> PostgresAttempt.Outcome {
        do throws(QueueError) {
            return try await thread.run { [cache, address, options, committed] (connection) in
                PostgresAttempt(
                    connection: connection, address: address, cache: cache, options: options
                ).run(group, lockTime: lockTime, locksFirst: locksFirst, isRerun: isRerun, committed)
            }
        } catch {
            throw PostgresFailure(error: error, kind: .noConnection)
        }
    }

    /// Whether a job of a commit that was not confirmed is stored. Waits until a server answers, also one that takes over.
    private func isCommitted(
        _ commitProof: PostgresGroup.CommitProof, before deadline: ContinuousClock.Instant
    ) async throws(QueueError) -> Bool {
        var failures = 0
        while true {
            do throws(QueueError) {
                return try await thread.run { [cache, address, options] (connection) throws(QueueError) in
                    try PostgresAttempt(
                        connection: connection, address: address, cache: cache, options: options
                    ).isCommitted(commitProof)
                }
            } catch {
                guard error.code != .closed, ContinuousClock.now < deadline, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: Self.pauses.pause(after: failures))
                failures += 1
            }
        }
    }
}

extension QueueError {
    /// A step has waited too long for its turn.
    static func heldUp(_ address: PostgresAddress) -> QueueError {
        QueueError(
            .busy,
            """
            Steps of the queue \(address) are held up, and this one has waited too long. Nothing of it was stored. Find what holds a lock: \
            SELECT pid, usename, query FROM pg_stat_activity WHERE pid = ANY (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity); \
            then try again.
            """)
    }

    /// The error of a commit without an answer, with the reason why another try failed.
    fileprivate func after(_ refusal: QueueError?) -> QueueError {
        guard let refusal else { return self }
        return QueueError(code, "\(description) Another attempt failed: \(refusal.description)")
    }
}
