#if PushService
    public import PushPlatform

    // Documented at QueueBackend. The queries are in the folder Reading.
    extension SQLiteQueue {
        /// How many jobs each app has.
        public func counts() async throws(QueueError) -> [String: QueueCounts] {
            try await read { (reading) throws(QueueError) in try reading.counts() }
        }

        /// Finds jobs by their ids.
        public func jobs(_ ids: [UUID], app: String) async throws(QueueError) -> [JobRecord] {
            try await read { (reading) throws(QueueError) in try reading.jobs(ids, app: app) }
        }

        /// Lists jobs of an app.
        public func jobs(_ query: JobQuery) async throws(QueueError) -> QueuePage<JobRecord> {
            try await read { (reading) throws(QueueError) in try reading.jobs(query) }
        }

        /// What happened to a job.
        public func history(of id: UUID, app: String) async throws(QueueError) -> [JobEvent]? {
            try await read { (reading) throws(QueueError) in try reading.history(of: id, app: app) }
        }

        /// The outcomes of apps after a cursor.
        public func results(
            of apps: [String], after cursor: ResultCursor, limit: Int
        ) async throws(QueueError) -> ResultPage {
            try await read { (reading) throws(QueueError) in
                try reading.results(of: apps, after: cursor, limit: limit)
            }
        }

        /// The cursor after all outcomes that are committed now.
        public func resultsEnd() async throws(QueueError) -> ResultCursor {
            try await read { (reading) throws(QueueError) in try reading.resultsEnd() }
        }

        /// The earliest due time of a waiting job.
        public func nextDue(of apps: [String]) async throws(QueueError) -> QueueTime? {
            try await read { (reading) throws(QueueError) in try reading.nextDue(of: apps) }
        }
    }
#endif
