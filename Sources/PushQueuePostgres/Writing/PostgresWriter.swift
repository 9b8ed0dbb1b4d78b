#if PushService
    internal import NIOConcurrencyHelpers
    import PushPlatform
    import PushQueue

    /// One of the writers of a queue: runs steps in groups, each group in one transaction on a connection of its own.
    final class PostgresWriter: Sendable {
        private let thread: PostgresThread
        private let address: PostgresAddress
        private let options: PostgresQueueOptions
        private let state = NIOLockedValueBox(State())
        private let memory: MemoryBox
        private let committed: @Sendable (PostgresChanges) -> Void

        private struct State {
            var mailbox = GroupMailbox<PostgresStep>()
            /// Does the steps. It is set with the arrival of a step, so that no step is without it.
            var draining: Task<Void, Never>?
        }

        /// The memory of the writer. It is unchecked, as only the bodies that the thread of this writer runs use it, one after the other.
        private final class MemoryBox: @unchecked Sendable {
            let memory = PostgresMemory()
        }

        init(
            name: String, _ address: PostgresAddress, _ options: PostgresQueueOptions,
            committed: @escaping @Sendable (PostgresChanges) -> Void
        ) {
            (self.address, self.options, self.committed) = (address, options, committed)
            thread = PostgresThread(name: name, address: address, settings: options.writingSettings)
            memory = MemoryBox()
        }

        /// Runs a step, and returns when it is durable.
        ///
        /// - Throws: ``QueueError`` if the step or the transaction fails. Then nothing is done, or it is not known if the error says so.
        func write<Value: Sendable>(
            jobs: Int = 0, isOfWorker: Bool = false, _ company: PostgresCompany = .shared(),
            _ body: @escaping @Sendable (PostgresTransaction) throws(QueueError) -> Value
        ) async throws(QueueError) -> Value {
            try await step(jobs: jobs, isOfWorker: isOfWorker, company) { answer in
                .other(
                    { (transaction) throws(QueueError) in
                        let value = try body(transaction)
                        return { answer(.success(value)) }
                    }, fail: { answer(.failure($0)) })
            }
        }

        /// Runs a step. The step is created with the function that answers the caller.
        func step<Value: Sendable>(
            jobs: Int = 0, isOfWorker: Bool = false, _ company: PostgresCompany = .shared(),
            _ make: (@escaping @Sendable (Result<Value, QueueError>) -> Void) -> PostgresStep.Work
        ) async throws(QueueError) -> Value {
            let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
                let step = PostgresStep(work: make { continuation.resume(returning: $0) }, company: company)
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

        /// The number of steps that wait for the writer.
        var waiting: Int { state.withLockedValue { $0.mailbox.count } }

        /// Takes no more steps, and returns when those that were taken are done. Returns whether the writer was open.
        func close() async -> Bool {
            let (wasOpen, draining) = state.withLockedValue { ($0.mailbox.close(), $0.draining) }
            guard wasOpen else { return false }
            await draining?.value
            await thread.stop()
            return true
        }

        /// Breaks the connection, as the end of the process would.
        func abort() { thread.abort() }

        private func drain() async {
            var late: [PostgresStep] = []
            while true {
                if late.isEmpty || waiting > 0 {
                    let group = state.withLockedValue { $0.mailbox.writerIsFree() }
                    if group.isEmpty { return }
                    late += await commit(PostgresGroup.divide(group))
                }
                // After each try of a step that waits for a lock, new steps come first.
                if !late.isEmpty { late += await commit([[late.removeFirst()]]) }
            }
        }

        // MARK: A group

        /// The maximum number of attempts to commit a group that conflicts with other transactions.
        private static let tries = 5
        /// How often a step waits for a lock: first as long as any step, then each time only a fourth of that, as other steps wait meanwhile.
        private static let mostLockTimeouts = 17

        /// What came of groups.
        private struct Round {
            /// Steps that wait for a lock that another transaction holds. They are to be tried again.
            var late: [PostgresStep] = []
            /// Why no server can be reached. Then all further steps get the same error at once.
            var outage: QueueError?
        }

        /// Commits groups, each in a transaction. Returns the steps that are to be tried again.
        private func commit(_ groups: [[PostgresStep]]) async -> [PostgresStep] {
            var round = Round()
            for group in groups { await commit(group, in: &round) }
            return round.late
        }

        private func commit(_ group: [PostgresStep], in round: inout Round) async {
            var attempt = 0
            while round.outage == nil {
                let failure: Failure
                do throws(Failure) {
                    return try await perform(group, locksFirst: attempt > 0)
                } catch {
                    failure = error
                }
                attempt += 1
                switch failure.kind {
                case .refused where failure.error.code == .conflict && attempt < Self.tries: continue
                case .refused, .lockTimeout: return await failed(group, failure, in: &round)
                case .broken: return group.forEach { $0.fail(failure.error) }
                case .noConnection: round.outage = failure.error
                }
            }
            if let outage = round.outage { for step in group { step.fail(outage) } }
        }

        private func failed(_ group: [PostgresStep], _ failure: Failure, in round: inout Round) async {
            if failure.kind == .lockTimeout {
                // Their callers wait for the end of the queue, so then each step gets only one more try.
                let most = isOpen ? Self.mostLockTimeouts : 2
                for var step in group {
                    step.lockTimeouts += 1
                    if step.lockTimeouts < most { round.late.append(step) } else { step.fail(failure.error) }
                }
            } else if group.count > 1 {
                // One step may be the cause: each gets its own answer.
                for step in group { await commit([step], in: &round) }
            } else {
                for step in group { step.fail(failure.error) }
            }
        }

        /// Why a group was not done.
        private struct Failure: Error {
            enum Kind {
                /// Nothing is done, because of a step or of another transaction.
                case refused
                /// Nothing is done, because another transaction has held a lock for too long.
                case lockTimeout
                /// The connection broke. The group may be done.
                case broken
                /// Nothing was sent, and other groups cannot be sent, either.
                case noConnection
            }

            var error: QueueError
            var kind: Kind
        }

        /// Runs a group in a transaction, and answers its steps. If the answer to the commit is lost, it finds out
        /// whether the commit was done, by looking for a job of the group.
        ///
        /// - Throws: Why it was not done. After a commit without an answer, only the error that the commit is not confirmed,
        ///   so that no step is executed twice.
        private func perform(_ steps: [PostgresStep], locksFirst: Bool) async throws(Failure) {
            let group = PostgresGroup(steps)
            let lockTime = steps.contains { $0.lockTimeouts > 0 } ? options.lockTime / 4 : nil
            let deadline = ContinuousClock.now + options.confirmTime
            var lost: PostgresAttempt.Unconfirmed?
            while true {
                do throws(Failure) {
                    switch try await attempt(
                        group, lockTime, locksFirst: locksFirst || lost != nil, isRerun: lost != nil)
                    {
                    case .done(let answers): return answers.forEach { $0() }
                    case .unconfirmed(let now): lost = now
                    case .failed(let error):
                        throw Failure(error: error, kind: error.code == .unreachable ? .broken : .refused)
                    case .lockTimeout(let error): throw Failure(error: error, kind: .lockTimeout)
                    }
                } catch {
                    // A rerun can fail because the first try was committed in the meantime.
                    guard lost != nil else { throw error }
                }
                guard let now = lost else { continue }
                guard let witness = now.witness, ContinuousClock.now < deadline else {
                    throw Failure(error: now.error, kind: .broken)
                }
                do throws(QueueError) {
                    if try await isCommitted(witness, before: deadline) { return now.answers.forEach { $0() } }
                } catch {
                    throw Failure(error: now.error, kind: .broken)
                }
            }
        }

        private func attempt(
            _ group: PostgresGroup, _ lockTime: Duration?, locksFirst: Bool, isRerun: Bool
        ) async throws(Failure) -> PostgresAttempt.Outcome {
            do throws(QueueError) {
                return try await thread.run { [memory, address, options, committed] (connection) throws(QueueError) in
                    let attempt = PostgresAttempt(
                        connection: connection, address: address, memory: memory.memory, options: options)
                    return attempt.run(group, lockTime: lockTime, locksFirst: locksFirst, isRerun: isRerun, committed)
                }
            } catch {
                throw Failure(error: error, kind: .noConnection)
            }
        }

        /// Whether a job of a commit that was not confirmed is stored. Waits until a server answers, also one that takes over.
        private func isCommitted(
            _ witness: PostgresGroup.Witness, before deadline: ContinuousClock.Instant
        ) async throws(QueueError) -> Bool {
            var pause: Duration = .milliseconds(50)
            while true {
                do throws(QueueError) {
                    return try await thread.run { [memory, address, options] (connection) throws(QueueError) in
                        try PostgresAttempt(
                            connection: connection, address: address, memory: memory.memory, options: options
                        ).isCommitted(witness)
                    }
                } catch {
                    guard ContinuousClock.now < deadline, !Task.isCancelled else { throw error }
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, .seconds(1))
                }
            }
        }
    }
#endif
