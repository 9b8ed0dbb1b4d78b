#if PushService
    import PushPlatform
    import PushQueue

    /// A step that waits for a writer. Steps of the same kind are done together, each kind in a few statements.
    struct PostgresStep: Sendable {
        /// What to do.
        enum Work: Sendable {
            case enqueue(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)
            case start([JobLease], @Sendable (Result<[LeaseResult], QueueError>) -> Void)
            case complete([JobCompletion], @Sendable (Result<[LeaseResult], QueueError>) -> Void)
            /// Any other step: what it does in a transaction, which returns how to answer, and how to answer with an error.
            case other(
                @Sendable (PostgresTransaction) throws(QueueError) -> @Sendable () -> Void,
                fail: @Sendable (QueueError) -> Void)
        }

        var work: Work
        /// Whether the step has a transaction of its own. A step locks contents, keys and tokens in the same order as all other steps. Two
        /// such steps in one transaction would not: the second one could wait for a transaction that waits for the first one.
        var isAlone = false

        func fail(_ error: QueueError) {
            switch work {
            case .enqueue(_, let answer): answer(.failure(error))
            case .start(_, let answer), .complete(_, let answer): answer(.failure(error))
            case .other(_, let fail): fail(error)
            }
        }
    }

    /// Steps that a writer does in one transaction.
    struct PostgresGroup {
        private var enqueues: [(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)] = []
        private var starts: [([JobLease], @Sendable (Result<[LeaseResult], QueueError>) -> Void)] = []
        private var completions: [([JobCompletion], @Sendable (Result<[LeaseResult], QueueError>) -> Void)] = []
        private var others: [@Sendable (PostgresTransaction) throws(QueueError) -> @Sendable () -> Void] = []

        init(_ steps: some Sequence<PostgresStep>) {
            for step in steps {
                switch step.work {
                case .enqueue(let enqueue, let answer): enqueues.append((enqueue, answer))
                case .start(let leases, let answer): starts.append((leases, answer))
                case .complete(let completions, let answer): self.completions.append((completions, answer))
                case .other(let run, _): others.append(run)
                }
            }
        }

        /// A job that the last try of the group has stored; `nil` if it has stored none.
        var witness: Witness? {
            for (enqueue, _) in enqueues {
                if let id = enqueue.witness { return Witness(id: id, app: enqueue.request.app) }
            }
            return nil
        }

        /// A job of a transaction. Another connection looks for it to find out whether the transaction was committed.
        struct Witness: Sendable {
            var id: UUID
            var app: String
        }

        /// Does all steps. Returns how to answer after the commit.
        func run(_ transaction: PostgresTransaction) throws(QueueError) -> [@Sendable () -> Void] {
            var answers: [@Sendable () -> Void] = []
            try merged(completions, &answers) { (all) throws(QueueError) in try transaction.complete(all) }
            try merged(starts, &answers) { (all) throws(QueueError) in try transaction.start(all) }
            for run in others { answers.append(try run(transaction)) }
            for part in parts {
                let results = try transaction.enqueue(part.map(\.0))
                for (item, result) in zip(part, results) { answers.append { item.1(.success(result)) } }
            }
            return answers
        }

        /// The requests in parts in which each key is used once.
        private var parts: [[(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)]] {
            var parts: [[(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)]] = [[]]
            var keys: Set<[String]> = []
            for item in enqueues {
                let request = item.0.request
                if let key = request.idempotency?.key, !keys.insert([request.app, key]).inserted {
                    parts.append([])
                    keys = [[request.app, key]]
                }
                parts[parts.count - 1].append(item)
            }
            return parts.filter { !$0.isEmpty }
        }

        private func merged<Item>(
            _ steps: [([Item], @Sendable (Result<[LeaseResult], QueueError>) -> Void)],
            _ answers: inout [@Sendable () -> Void], _ run: ([Item]) throws(QueueError) -> [LeaseResult]
        ) throws(QueueError) {
            guard !steps.isEmpty else { return }
            var results = try run(steps.flatMap(\.0))[...]
            for (items, answer) in steps {
                let own = Array(results.prefix(items.count))
                results = results.dropFirst(items.count)
                answers.append { answer(.success(own)) }
            }
        }
    }
#endif
