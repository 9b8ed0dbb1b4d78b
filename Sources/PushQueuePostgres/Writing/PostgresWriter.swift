#if PushService
    internal import NIOConcurrencyHelpers
    import PushPlatform
    import PushQueue

    /// One of the writers of a queue: runs steps in groups, each group in one transaction on a connection of its own.
    final class PostgresWriter: Sendable {
        private let thread: PostgresThread
        private let address: PostgresAddress
        private let options: PostgresQueueOptions
        private let mailbox = NIOLockedValueBox(GroupMailbox<PostgresStep>())
        private let memory: MemoryBox
        private let draining = NIOLockedValueBox<Task<Void, Never>?>(nil)
        private let committed: @Sendable (PostgresChanges) -> Void

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

        /// Runs a step, and returns when it is durable. A step that locks contents of jobs or gone tokens must be alone.
        ///
        /// - Throws: ``QueueError`` if the step or the transaction fails. Then nothing is done, or it is not known if the error says so.
        func write<Value: Sendable>(
            jobs: Int = 0, isOfWorker: Bool = false, isAlone: Bool = false,
            _ body: @escaping @Sendable (PostgresTransaction) throws(QueueError) -> Value
        ) async throws(QueueError) -> Value {
            try await step(jobs: jobs, isOfWorker: isOfWorker, isAlone: isAlone) { answer in
                .other(
                    { (transaction) throws(QueueError) in
                        let value = try body(transaction)
                        return { answer(.success(value)) }
                    }, fail: { answer(.failure($0)) })
            }
        }

        /// Runs a step. The step is created with the function that answers the caller.
        func step<Value: Sendable>(
            jobs: Int = 0, isOfWorker: Bool = false, isAlone: Bool = false,
            _ make: (@escaping @Sendable (Result<Value, QueueError>) -> Void) -> PostgresStep.Work
        ) async throws(QueueError) -> Value {
            let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
                let step = PostgresStep(work: make { continuation.resume(returning: $0) }, isAlone: isAlone)
                switch mailbox.withLockedValue({ $0.stepArrived(step, jobs: jobs, isOfWorker: isOfWorker) }) {
                case .nothing: break
                case .run: run()
                case .refuse: step.fail(.closed(address))
                }
            }
            return try result.get()
        }

        var isOpen: Bool { mailbox.withLockedValue { !$0.isClosed } }

        /// Takes no more steps, and returns when those that were taken are done. Returns whether the writer was open.
        func close() async -> Bool {
            guard mailbox.withLockedValue({ $0.close() }) else { return false }
            await draining.withLockedValue { $0 }?.value
            // A caller may still have to start the writer.
            await drain()
            await thread.stop()
            return true
        }

        /// Breaks the connection, as the end of the process would.
        func abort() { thread.abort() }

        private func run() {
            let task = Task { await drain() }
            draining.withLockedValue { $0 = task }
        }

        private func drain() async {
            while true {
                let group = mailbox.withLockedValue { $0.writerIsFree() }
                if group.isEmpty { return }
                let together = group.filter { !$0.isAlone }
                if !together.isEmpty { await commit(together) }
                for step in group where step.isAlone { await commit([step]) }
            }
        }

        // MARK: A group

        /// The maximum number of attempts to commit a group that conflicts with other transactions.
        private static let tries = 5

        private func commit(_ group: [PostgresStep]) async {
            var attempt = 0
            while true {
                do throws(QueueError) {
                    return try await perform(group)
                } catch {
                    attempt += 1
                    if error.code == .conflict, attempt < Self.tries { continue }
                    if group.count > 1, error.code != .unreachable, error.code != .closed {
                        // One step may be the cause: each gets its own answer.
                        for step in group { await commit([step]) }
                    } else {
                        for step in group { step.fail(error) }
                    }
                    return
                }
            }
        }

        /// Runs a group in a transaction, and answers its steps. If the answer to the commit is lost, it finds out
        /// whether the commit was done, by looking for a job of the group.
        ///
        /// - Throws: ``QueueError``. After a commit without an answer, only the error that the commit is not confirmed,
        ///   so that no step is executed twice.
        private func perform(_ steps: [PostgresStep]) async throws(QueueError) {
            let group = PostgresGroup(steps)
            let deadline = ContinuousClock.now + options.confirmTime
            var lost: Unconfirmed?
            while true {
                do throws(QueueError) {
                    let outcome = try await thread.run {
                        [memory, address, options, committed] (connection) throws(QueueError) in
                        try Self.attempt(group, connection, address, memory.memory, options, committed)
                    }
                    switch outcome {
                    case .done(let answers): return answers.forEach { $0() }
                    case .unconfirmed(let now): lost = now
                    }
                } catch {
                    // A rerun can fail because the first try was committed in the meantime.
                    guard lost != nil else { throw error }
                }
                guard let now = lost else { continue }
                guard let witness = now.witness, ContinuousClock.now < deadline else { throw now.error }
                do throws(QueueError) {
                    if try await isCommitted(witness, before: deadline) { return now.answers.forEach { $0() } }
                } catch {
                    throw now.error
                }
            }
        }

        private enum Outcome: Sendable {
            case done([@Sendable () -> Void])
            case unconfirmed(Unconfirmed)
        }

        /// A try whose connection broke after the commit was sent.
        private struct Unconfirmed: Sendable {
            var answers: [@Sendable () -> Void]
            var witness: PostgresGroup.Witness?
            var error: QueueError
        }

        private static func attempt(
            _ group: PostgresGroup, _ connection: PostgresConnection, _ address: PostgresAddress,
            _ memory: PostgresMemory,
            _ options: PostgresQueueOptions, _ committed: (PostgresChanges) -> Void
        ) throws(QueueError) -> Outcome {
            let transaction = try PostgresTransaction(connection, address, memory: memory, options: options)
            let answers: [@Sendable () -> Void]
            do throws(QueueError) {
                answers = try group.run(transaction)
                try transaction.prepareCommit()
            } catch {
                transaction.rollBack()
                throw error
            }
            do throws(QueueError) {
                try transaction.commit()
            } catch {
                let isBroken = connection.isBroken
                transaction.rollBack()
                if isBroken { return .unconfirmed(Unconfirmed(answers: answers, witness: group.witness, error: error)) }
                throw error
            }
            committed(transaction.changes)
            return .done(answers)
        }

        /// Whether a job of a commit that was not confirmed is stored. Waits until a server answers, also one that takes over.
        private func isCommitted(
            _ witness: PostgresGroup.Witness, before deadline: ContinuousClock.Instant
        ) async throws(QueueError) -> Bool {
            var pause: Duration = .milliseconds(50)
            while true {
                do throws(QueueError) {
                    return try await thread.run { [memory, address, options] (connection) throws(QueueError) in
                        let transaction = try PostgresTransaction(
                            connection, address, memory: memory.memory, options: options)
                        do throws(QueueError) {
                            let isStored = try transaction.isStored(witness.id, app: witness.app)
                            // What can be read may still be missing on the standby. A commit after it waits for both.
                            transaction.check()
                            try transaction.commit()
                            return isStored
                        } catch {
                            transaction.rollBack()
                            throw error
                        }
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
