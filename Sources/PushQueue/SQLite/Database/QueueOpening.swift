internal import GRDB

/// Opens the database of a queue, and checks that committed data is durable.
enum QueueOpening {
    static func open(
        _ path: String, _ options: SQLiteQueue.Options
    ) throws(QueueError) -> (DatabasePool, OwnerLocks, QueueFiles) {
        try QueueFile.prepare(path)
        let file = FileIdentity(path)
        do {
            try requireQueue(path, options)
            let owners = OwnerLocks(queue: path)
            // Before the format is changed under another service.
            if options.isService { try owners.holdService() }
            try QueueFile.restrict(path)
            let pool = try DatabasePool(path: path, configuration: configuration(options))
            do {
                try pool.writeWithoutTransaction { try prepare(SQLConnection($0, path: path), options) }
                return (pool, owners, try QueueFiles(path, opened: file, options))
            } catch {
                try? pool.close()
                throw error
            }
        } catch {
            throw .from(error, path)
        }
    }

    /// Refuses a file that is not a queue, before anything in it is changed.
    private static func requireQueue(_ path: String, _ options: SQLiteQueue.Options) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration(options))
        defer { try? queue.close() }
        try queue.inDatabase { database in
            try QueueSchema.requireQueue(SQLConnection(database, path: path))
        }
    }

    private static func configuration(_ options: SQLiteQueue.Options) -> Configuration {
        var configuration = Configuration()
        configuration.label = "PushQueue"
        configuration.maximumReaderCount = 2
        configuration.busyMode = .timeout(Double(options.busyTimeout.wholeMilliseconds) / 1000)
        configuration.foreignKeysEnabled = false
        // Without this, GRDB ends the process if a transaction cannot be rolled back, for example after a disk error.
        configuration.allowsUnsafeTransactions = true
        return configuration
    }

    private static func prepare(_ connection: SQLConnection, _ options: SQLiteQueue.Options) throws(QueueError) {
        try QueueSchema.migrate(connection)
        if options.isService, let seal = try connection.seal() {
            options.report(QueueError.sealed(seal, connection.handle.path).description)
        }
        // A DatabasePool sets synchronous to NORMAL, which may forget commits when the power fails.
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 10000;
            PRAGMA cache_size = -65536;
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = ON;
            """)
        if let bytes = options.maximumBytes {
            let size = try connection.number("PRAGMA page_size")
            _ = try connection.number("PRAGMA max_page_count = \(max(1, Int64(bytes) / max(size, 1)))")
        }
        try requireDurable(connection)
    }

    static func requireDurable(_ connection: SQLConnection) throws(QueueError) {
        let synchronous = try connection.number("PRAGMA synchronous")
        let journal = try connection.text("PRAGMA journal_mode")
        guard synchronous == 2, journal == "wal" else {
            throw .notDurable(
                connection.handle.path,
                "SQLite gives it the journal mode \(journal) and synchronous \(synchronous), not wal and 2 (FULL)")
        }
    }
}

extension SQLiteQueue {
    /// How a queue in a file behaves.
    public struct Options: Sendable {
        /// The options that all backends have.
        public var queue = QueueOptions()
        /// How long a step waits for another process that writes to the same file.
        public var busyTimeout: Duration = .seconds(10)
        /// The maximum size of the file in bytes; `nil` for the size of the disk. A queue of this size takes no more jobs.
        public var maximumBytes: Int?
        /// Whether this process is the one service that works on the queue, until it ends or closes the queue. Commands for operators may
        /// still use the queue. If another process is the service, the queue is not opened (``QueueError/Code/busy``) and not changed.
        ///
        /// Two services would each count the rate of an app by themselves, and each post all outcomes.
        public var isService = false
        /// Called with a warning when the files of the queue are not in their place, and again each half minute until they are.
        public var report: @Sendable (String) -> Void = { _ in }
        /// The time between two reports of a problem that lasts.
        package var reportInterval: Duration = .seconds(30)
        /// Whether this process exports the queue, so that it may change the seal.
        package var isExport = false

        /// Creates the default options.
        public init() {}
    }
}
