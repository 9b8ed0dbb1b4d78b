import APNSVocabulary
import PushPlatform
import PushQueue
import PushQueuePostgres

/// Where the queue is: in a file on this machine, or on a PostgreSQL server that many workers share.
enum QueueLocation: Sendable, Hashable, CustomStringConvertible {
    /// A file of SQLite, with its path from the root on.
    case file(String)
    /// A schema on a server of PostgreSQL.
    case server(PostgresAddress)

    /// Reads a path, or an address: `sqlite:PATH`, `postgres://USER@HOST/DATABASE`.
    ///
    /// - Parameters:
    ///   - text: The path or the address.
    ///   - folder: Where a relative path begins.
    /// - Throws: ``QueueError`` if an address has a mistake, or is of another kind of database.
    init(_ text: String, in folder: String) throws(QueueError) {
        if text.hasPrefix("postgres:") || text.hasPrefix("postgresql:") {
            self = .server(try PostgresAddress(text))
        } else if text.hasPrefix("sqlite:") {
            let path = text.dropFirst("sqlite:".count)
            self = .file(ConfigValue.path(String(path.hasPrefix("//") ? path.dropFirst(2) : path), in: folder))
        } else if let end = text.firstRange(of: "://") {
            throw QueueError(
                .invalid,
                """
                pushserve doesn't support "\(String(text[..<end.lowerBound]).printable)://". Give the path of a file, or an address \
                such as postgres://pushserve@db.example.com/pushserve.
                """)
        } else {
            self = .file(ConfigValue.path(text, in: folder))
        }
    }

    /// Whether any number of processes may serve the queue.
    var isShared: Bool {
        if case .server = self { true } else { false }
    }

    /// The path of the file; `nil` for a server.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// The path, or the address without its password.
    var description: String {
        switch self {
        case .file(let path): path
        case .server(let address): address.description
        }
    }

    /// Opens the queue. A file is created if it does not exist.
    ///
    /// - Parameters:
    ///   - options: How the queue behaves. The clock of a server is its own.
    ///   - isService: Whether this process serves the queue. There is only one such process for a file.
    ///   - createsTables: Whether the queue on a server is made if it does not exist.
    ///   - report: Gets warnings about the server or the file.
    /// - Returns: The queue.
    /// - Throws: ``QueueError``.
    func open(
        _ options: QueueOptions = QueueOptions(), isService: Bool = false, createsTables: Bool = true,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(QueueError) -> any QueueBackend {
        switch self {
        case .file(let path):
            var file = SQLiteQueue.Options()
            (file.queue, file.isService, file.report) = (options, isService, report)
            return try SQLiteQueue(path, options: file)
        case .server(let address):
            var server = PostgresQueue.Options()
            (server.queue.keepKeys, server.queue.buryAfter) = (options.keepKeys, options.buryAfter)
            (server.report, server.createsTables) = (report, createsTables)
            return try await PostgresQueue(address, options: server)
        }
    }
}
