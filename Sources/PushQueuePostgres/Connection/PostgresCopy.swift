import PushPlatform

/// Rows for `COPY ... FROM STDIN (FORMAT binary)`.
struct PostgresCopy {
    private let columns: Int
    private var encoded = PostgresBytes()
    private(set) var count = 0

    /// - Parameters:
    ///   - columns: The number of values of each row.
    ///   - rows: The number of rows that will follow, if it is known. It saves memory to be moved.
    init(columns: Int, rows: Int) {
        self.columns = columns
        encoded.reserve(64 + rows * columns * 16)
        encoded.add(Self.signature)
        encoded.add(0 as Int32)  // flags
        encoded.add(0 as Int32)  // length of an extension
    }

    /// The statement for rows of a table. It names the columns, so that a column that somebody has added does no harm.
    static func statement(_ table: String, _ columns: [String]) -> String {
        "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }

    /// Begins a row. All its values follow, in the order of the columns.
    mutating func beginRow() {
        encoded.add(Int16(columns))
        count += 1
    }

    mutating func add(_ value: PostgresValue) {
        encoded.addField(value)
    }

    /// The bytes for the server, without the end mark.
    var bytes: [UInt8] { encoded.bytes }

    /// The end after the last row: a number of columns of -1.
    static let end: [UInt8] = [0xFF, 0xFF]

    private static let signature = Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n".utf8) + [0]
}
