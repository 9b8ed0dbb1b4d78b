internal import GRDBSQLite
import PushPlatform

protocol SQLValue {
    /// Returns the result code of SQLite.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }
}

extension Int: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension QueueTime: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, milliseconds)
    }
}

extension SteadyTime: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, milliseconds)
    }
}

extension String: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // A null pointer would store NULL.
                guard let start = characters.baseAddress else {
                    return sqlite3_bind_text(statement, index, "", 0, sqliteTransient)
                }
                // The form for 64 bits refuses a text that is too long. The other one takes no such count.
                return sqlite3_bind_text64(
                    statement, index, start, UInt64(characters.count), sqliteTransient, UInt8(SQLITE_UTF8))
            }
        }
    }
}

extension [UInt8]: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
            return sqlite3_bind_blob64(
                statement, index, bytes.baseAddress, UInt64(bytes.count), sqliteTransient)
        }
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        if let self { self.bind(to: statement, at: index) } else { sqlite3_bind_null(statement, index) }
    }
}

/// SQLite copies what is bound: SQLITE_TRANSIENT, which Swift does not import.
private let sqliteTransient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
