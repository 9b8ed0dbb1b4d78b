internal import GRDBSQLite

/// The current row of a statement. It is valid until the next step.
struct SQLRow: ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func time(_ column: Int32) -> QueueTime { QueueTime(milliseconds: integer(column)) }

    func steady(_ column: Int32) -> SteadyTime { SteadyTime(milliseconds: integer(column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func isText(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_TEXT }

    func optional<Value>(_ column: Int32, _ read: (borrowing SQLRow, Int32) -> Value) -> Value? {
        isNull(column) ? nil : read(self, column)
    }

    func text(_ column: Int32) -> String {
        // The pointer comes first: it may convert the value, and so change its size.
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
