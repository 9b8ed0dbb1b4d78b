internal import GRDBSQLite
import PushPlatform

/// Owns a prepared statement of SQLite. Only the thread that uses the connection may use it.
final class SQLStatement {
    private let handle: OpaquePointer
    private let connection: SQLConnection.Handle

    init(_ sql: String, on connection: SQLConnection.Handle) throws(QueueError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw connection.failure(code) }
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs a statement that returns no row. Returns the number of rows that it changed.
    @discardableResult
    func run<each Value: SQLValue>(_ values: repeat each Value) throws(QueueError) -> Int {
        defer { sqlite3_reset(handle) }
        try bind(repeat each values)
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw connection.failure(code) }
        return Int(sqlite3_changes(connection.pointer))
    }

    /// Runs an INSERT of one row. Returns the number of the row. RETURNING takes longer, because it needs a temporary table.
    func insert<each Value: SQLValue>(_ values: repeat each Value) throws(QueueError) -> Int64 {
        try run(repeat each values)
        return sqlite3_last_insert_rowid(connection.pointer)
    }

    func first<Result, each Value: SQLValue>(
        _ values: repeat each Value, read: (borrowing SQLRow) -> Result
    ) throws(QueueError) -> Result? {
        defer { sqlite3_reset(handle) }
        try bind(repeat each values)
        return try step() ? read(SQLRow(handle)) : nil
    }

    func all<Result, each Value: SQLValue>(
        _ values: repeat each Value, read: (borrowing SQLRow) -> Result
    ) throws(QueueError) -> [Result] {
        defer { sqlite3_reset(handle) }
        try bind(repeat each values)
        var results: [Result] = []
        while try step() { results.append(read(SQLRow(handle))) }
        return results
    }

    /// Gives rows to the body until it returns false.
    func each<each Value: SQLValue>(
        _ values: repeat each Value, body: (borrowing SQLRow) -> Bool
    ) throws(QueueError) {
        defer { sqlite3_reset(handle) }
        try bind(repeat each values)
        while try step() { guard body(SQLRow(handle)) else { return } }
    }

    private func bind<each Value: SQLValue>(_ values: repeat each Value) throws(QueueError) {
        var index: Int32 = 1
        for value in repeat each values {
            let code = value.bind(to: handle, at: index)
            guard code == SQLITE_OK else { throw connection.failure(code) }
            index += 1
        }
    }

    private func step() throws(QueueError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw connection.failure(code) }
        return false
    }
}
