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
        private let committed: @Sendable (PostgresChanges) -> Void

        /// The memory of the writer. Only its thread uses it.
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
            jobs: Int = 0, isOfWorker: Bool = false,
            _ body: @escaping @Sendable (PostgresTransaction) throws(QueueError) -> Value
        ) async throws(QueueError) -> Value {
            try await step(jobs: jobs, isOfWorker: isOfWorker) { answer in
                .other(
                    { (transaction) throws(QueueError) in
                        let value = try body(transaction)
                        return { answer(.success(value)) }
                    }, fail: { answer(.failure($0)) })
            }
        }

        /// Runs a step that is made with the function by which it is answered.
        func step<Value: Sendable>(
            jobs: Int = 0, isOfWorker: Bool = false,
            _ make: (@escaping @Sendable (Result<Value, QueueError>) -> Void) -> PostgresStep.Work
        ) async throws(QueueError) -> Value {
            let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
                let step = PostgresStep(work: make { continuation.resume(returning: $0) })
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
            await drain()
            await thread.stop()
            return true
        }

        /// Breaks the connection, as the end of the process would.
        func abort() { thread.abort() }

        private func run() {
            Task { await drain() }
        }

        private func drain() async {
            while true {
                let group = mailbox.withLockedValue { $0.writerIsFree() }
                if group.isEmpty { return }
                await commit(group)
            }
        }

        // MARK: A group

        /// How often a group is tried again that another transaction was in the way of.
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

        /// Runs a group in a transaction, and answers. If the answer to the commit is lost, the jobs of the group tell whether it was done.
        private func perform(_ steps: [PostgresStep]) async throws(QueueError) {
            let group = PostgresGroup(steps)
            let deadline = ContinuousClock.now + options.confirmTime
            var pause: Duration = .milliseconds(50)
            // The answers of a try whose commit was not confirmed.
            var unconfirmed: [@Sendable () -> Void]?
            while true {
                do throws(QueueError) {
                    let outcome = try await thread.run {
                        [memory, address, options, committed] (connection) throws(QueueError) in
                        try Self.attempt(group, connection, address.schema, memory.memory, options, committed)
                    }
                    switch outcome {
                    case .done(let answers): return answers.forEach { $0() }
                    case .unconfirmed(let answers, let error):
                        guard group.requests.contains(where: { $0.firstID != nil }) else { throw error }
                        unconfirmed = answers
                    }
                } catch {
                    // The ids of an earlier try are stored if that was committed in the meantime.
                    guard let unconfirmed, ContinuousClock.now < deadline else { throw error }
                    if error.code != .unreachable, error.code != .conflict {
                        guard try await isCommitted(group, before: deadline, &pause) else { throw error }
                        return unconfirmed.forEach { $0() }
                    }
                }
                if let unconfirmed, try await isCommitted(group, before: deadline, &pause) {
                    return unconfirmed.forEach { $0() }
                }
            }
        }

        private enum Outcome: Sendable {
            case done([@Sendable () -> Void])
            /// The connection broke after the commit was sent.
            case unconfirmed([@Sendable () -> Void], QueueError)
        }

        private static func attempt(
            _ group: PostgresGroup, _ connection: PostgresConnection, _ schema: String, _ memory: PostgresMemory,
            _ options: PostgresQueueOptions, _ committed: (PostgresChanges) -> Void
        ) throws(QueueError) -> Outcome {
            let transaction = try PostgresTransaction(connection, schema: schema, memory: memory, options: options)
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
                if isBroken { return .unconfirmed(answers, error) }
                throw error
            }
            committed(transaction.changes)
            return .done(answers)
        }

        /// Whether a group whose commit was not confirmed was done. Waits until a server answers, also one that takes over.
        private func isCommitted(
            _ group: PostgresGroup, before deadline: ContinuousClock.Instant, _ pause: inout Duration
        ) async throws(QueueError) -> Bool {
            while true {
                do throws(QueueError) {
                    return try await thread.run { [memory, address, options] (connection) throws(QueueError) in
                        let transaction = try PostgresTransaction(
                            connection, schema: address.schema, memory: memory.memory, options: options)
                        do throws(QueueError) {
                            let request = group.requests.first { $0.firstID != nil }
                            let isStored = try request.map { (request) throws(QueueError) in
                                try transaction.isStored(request)
                            }
                            // What can be read may still be missing on the standby. A commit after it waits for both.
                            transaction.check()
                            try transaction.commit()
                            return isStored ?? false
                        } catch {
                            transaction.rollBack()
                            throw error
                        }
                    }
                } catch {
                    guard error.code == .unreachable, ContinuousClock.now < deadline else { throw error }
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, .seconds(1))
                }
            }
        }
    }
#endif
