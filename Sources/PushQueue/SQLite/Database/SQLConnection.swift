internal import GRDBSQLite

/// A connection with its prepared statements. Only the thread that may use the connection may use it.
final class SQLConnection {
    /// The connection of SQLite, which GRDB owns, and the file for messages.
    struct Handle {
        let pointer: OpaquePointer
        let path: String

        func failure(_ code: Int32) -> QueueError {
            .sqlite(code, String(cString: sqlite3_errmsg(pointer)), path)
        }
    }

    let handle: Handle
    private var statements: [ObjectIdentifier: SQLStatement] = [:]

    init(_ pointer: OpaquePointer, path: String) {
        handle = Handle(pointer: pointer, path: path)
    }

    /// The first use prepares it.
    func callAsFunction(_ sql: SQLText) throws(QueueError) -> SQLStatement {
        if let statement = statements[ObjectIdentifier(sql)] { return statement }
        let statement = try SQLStatement(sql.text, on: handle)
        statements[ObjectIdentifier(sql)] = statement
        return statement
    }

    /// Some errors end it.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle.pointer) == 0 }

    func execute(_ sql: String) throws(QueueError) {
        let code = sqlite3_exec(handle.pointer, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw handle.failure(code) }
    }

    func number(_ sql: String) throws(QueueError) -> Int64 {
        try SQLStatement(sql, on: handle).first { $0.integer(0) } ?? 0
    }

    func text(_ sql: String) throws(QueueError) -> String {
        try SQLStatement(sql, on: handle).first { $0.text(0) } ?? ""
    }

    /// Frees the statements. Otherwise, the connection cannot be closed.
    func forgetStatements() {
        statements = [:]
    }
}

/// The text of a statement. Each text is one object, which identifies its prepared statement.
///
/// The statements are its members, each in the file of the code that runs it.
final class SQLText: Sendable, ExpressibleByStringInterpolation {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(stringLiteral text: String) { self.text = text }
}

extension SQLConnection {
    func seal() throws(QueueError) -> QueueSeal? {
        try self(.seal).first(QueueSeal.kind, QueueSeal.kindOfMoves) { QueueSeal($0.bytes(0)) }
    }

    func setSeal(_ seal: QueueSeal) throws(QueueError) {
        try self(.setSeal).run(QueueSeal.kind, seal.bytes)
    }

    func removeSeal() throws(QueueError) {
        try self(.removeSeal).run(QueueSeal.kind)
    }
}

extension SQLText {
    fileprivate static let seal = SQLText("SELECT value FROM record WHERE kind IN (?1, ?2) LIMIT 1")
    fileprivate static let setSeal = SQLText("INSERT OR REPLACE INTO record VALUES (?1, 'seal', ?2, 1)")
    fileprivate static let removeSeal = SQLText("DELETE FROM record WHERE kind = ?1")
}
