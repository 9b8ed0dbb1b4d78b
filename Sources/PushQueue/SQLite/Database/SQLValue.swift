#if PushService
    internal import GRDBSQLite
    import PushPlatform

    /// A value that SQLite stores.
    protocol SQLValue {
        func bind(to statement: OpaquePointer, at index: Int32)
    }

    extension Int64: SQLValue {
        func bind(to statement: OpaquePointer, at index: Int32) {
            sqlite3_bind_int64(statement, index, self)
        }
    }

    extension Int: SQLValue {
        func bind(to statement: OpaquePointer, at index: Int32) {
            sqlite3_bind_int64(statement, index, Int64(self))
        }
    }

    extension QueueTime: SQLValue {
        func bind(to statement: OpaquePointer, at index: Int32) {
            sqlite3_bind_int64(statement, index, milliseconds)
        }
    }

    extension String: SQLValue {
        func bind(to statement: OpaquePointer, at index: Int32) {
            var text = self
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // A null pointer would store NULL.
                    guard let start = characters.baseAddress else {
                        return _ = sqlite3_bind_text(statement, index, "", 0, sqliteTransient)
                    }
                    sqlite3_bind_text(statement, index, start, Int32(characters.count), sqliteTransient)
                }
            }
        }
    }

    extension [UInt8]: SQLValue {
        func bind(to statement: OpaquePointer, at index: Int32) {
            withUnsafeBytes { bytes in
                if bytes.isEmpty {
                    _ = sqlite3_bind_zeroblob(statement, index, 0)
                } else {
                    _ = sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), sqliteTransient)
                }
            }
        }
    }

    extension Optional: SQLValue where Wrapped: SQLValue {
        func bind(to statement: OpaquePointer, at index: Int32) {
            if let self {
                self.bind(to: statement, at: index)
            } else {
                sqlite3_bind_null(statement, index)
            }
        }
    }

    /// SQLite copies what is bound: SQLITE_TRANSIENT, which Swift does not import.
    private let sqliteTransient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
#endif
