internal import GRDB
internal import GRDBSQLite

/// The statements and the cache of the writer.
///
/// `@unchecked Sendable` is correct: only code that GRDB runs on its one queue for writing uses it: each method takes the
/// connection, which exists only there.
final class WriterConnection: @unchecked Sendable {
    private let path: String
    private var opened: (sql: SQLConnection, cache: WriterCache)?

    init(path: String) {
        self.path = path
    }

    /// The statements of the connection. The first call makes them.
    func open(_ database: Database) throws(QueueError) -> (SQLConnection, WriterCache) {
        if let opened { return opened }
        let opened = (sql: try SQLConnection(database, path: path), cache: WriterCache())
        self.opened = opened
        return opened
    }

    /// Frees the statements, so that the connection can be closed.
    func close(_ database: Database) {
        opened?.sql.forgetStatements()
        opened = nil
    }
}

extension SQLConnection {
    /// The connection of GRDB, for as long as GRDB lends it.
    convenience init(_ database: Database, path: String) throws(QueueError) {
        guard let pointer = database.sqliteConnection else { throw .closed(path) }
        self.init(pointer, path: path)
    }
}
