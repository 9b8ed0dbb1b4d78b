internal import CPQ
import PushPlatform
import PushQueue

extension PostgresConnection {
    /// How much is given to libpq at a time, in bytes. libpq would copy everything before it sends something.
    private static let piece = 256 * 1024

    /// Adds rows to a table.
    ///
    /// - Parameters:
    ///   - sql: A statement `COPY ... FROM STDIN (FORMAT binary)`.
    ///   - data: The rows.
    /// - Returns: The number of rows.
    /// - Throws: ``QueueError``. Then no row was added, unless the connection broke.
    func copy(_ sql: String, _ data: PostgresCopy) throws(QueueError) -> Int {
        let deadline = try begin()
        try sent(PQsendQuery(handle, sql))
        try flush(until: deadline)
        var (error, rows): (QueueError?, Int) = (nil, 0)
        while let result = try nextResult(until: deadline) {
            switch result.status {
            case PGRES_COPY_IN: try send(data, until: deadline)
            case PGRES_COMMAND_OK: rows = PostgresRows(result).affected
            case PGRES_FATAL_ERROR: if error == nil { error = try failure(result, hasValues: true) }
            default: throw fail(.defect("a statement that is no COPY of rows to a table", endpoint))
            }
        }
        try end(error)
        return rows
    }

    private func send(_ data: PostgresCopy, until deadline: ContinuousClock.Instant) throws(QueueError) {
        let bytes = data.bytes
        for start in stride(from: 0, to: bytes.count, by: Self.piece) {
            try put(bytes[start..<min(start + Self.piece, bytes.count)])
            try flush(until: deadline)
        }
        try put(PostgresCopy.end[...])
        try sent(PQputCopyEnd(handle, nil))
        try flush(until: deadline)
    }

    private func put(_ bytes: ArraySlice<UInt8>) throws(QueueError) {
        let handle = handle
        let code = bytes.withUnsafeBytes { bytes in
            PQputCopyData(handle, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count))
        }
        try sent(code)
    }
}
