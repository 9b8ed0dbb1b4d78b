#if PushService

    // Documented at QueueBackend. Each step is in the folder Steps.
    extension SQLiteQueue {
        /// Adds jobs to the queue.
        public func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
            try await writer.write(jobs: request.jobs.count) { (transaction) throws(QueueError) in
                try transaction.enqueue(request)
            }
        }

        /// Reserves an idempotency key.
        public func reserve(
            _ key: IdempotencyKey, app: String, lasting: Duration
        ) async throws(QueueError) -> ReservationAnswer {
            try await writer.write { (transaction) throws(QueueError) in
                try transaction.reserve(key, app: app, lasting: lasting)
            }
        }

        /// Stores the answer to the request of a reserved key.
        public func settle(
            _ key: IdempotencyKey, app: String, reservation: Reservation, answer: [UInt8]
        ) async throws(QueueError) -> Bool {
            try await writer.write { (transaction) throws(QueueError) in
                try transaction.settle(key, app: app, reservation: reservation, answer: answer)
            }
        }

        /// Gives a reservation up.
        public func release(
            _ key: IdempotencyKey, app: String, reservation: Reservation
        ) async throws(QueueError) {
            try await writer.write { (transaction) throws(QueueError) in
                try transaction.release(key, app: app, reservation: reservation)
            }
        }

        /// Leases due jobs to a worker.
        public func claim(_ request: ClaimRequest) async throws(QueueError) -> [ClaimedJob] {
            try owners.hold(request.owner)
            return try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
                try transaction.claim(request)
            }
        }

        /// Makes leases end a duration from now.
        public func extend(
            _ leases: [JobLease], by duration: Duration
        ) async throws(QueueError) -> [LeaseResult] {
            try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
                try transaction.extend(leases, by: duration)
            }
        }

        /// Gives back jobs that were not started: they wait again.
        public func giveBack(_ leases: [JobLease]) async throws(QueueError) -> [LeaseResult] {
            try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
                try transaction.giveBack(leases)
            }
        }

        /// Notes that jobs are about to be sent.
        public func start(_ leases: [JobLease]) async throws(QueueError) -> [LeaseResult] {
            try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
                try transaction.start(leases)
            }
        }

        /// Gives jobs their outcome.
        public func complete(_ completions: [JobCompletion]) async throws(QueueError) -> [LeaseResult] {
            try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
                try transaction.complete(completions)
            }
        }

        /// Puts jobs back for another try.
        public func retry(_ retries: [JobRetry]) async throws(QueueError) -> [LeaseResult] {
            try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
                try transaction.retry(retries)
            }
        }
    }
#endif
