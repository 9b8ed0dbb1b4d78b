import PushPlatform

/// The text of a statement. A connection prepares it when it is first used.
///
/// The statements are its members, each in the file of the code that runs it.
struct PostgresText: Sendable, Hashable {
    let sql: String
    /// Computed once: a text is looked up for each statement that runs.
    private let hash: Int

    /// - Parameter sql: One statement. Its parameters are `$1`, `$2` and so on, each with a cast, as in `$1::int8[]`.
    init(_ sql: String) {
        self.sql = sql
        hash = sql.hashValue
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

/// A statement with the values of its parameters.
struct PostgresStatement: Sendable {
    let text: PostgresText
    let values: [PostgresValue]

    init(_ text: PostgresText, _ values: [PostgresValue]) {
        (self.text, self.values) = (text, values)
    }
}

/// A value of a parameter, in PostgreSQL's binary format.
enum PostgresValue: Sendable {
    case null
    case bool(Bool)
    case int2(Int16)
    case int4(Int32)
    case int8(Int64)
    case text(String)
    /// Any value as PostgreSQL writes it, for a parameter whose type the server decides. It has no NUL.
    case written(String)
    case bytes([UInt8])
    case uuid(UUID)
    case int2s([Int16])
    case int4s([Int32])
    case int8s([Int64])
    case optionalInt2s([Int16?])
    case optionalInt4s([Int32?])
    case optionalInt8s([Int64?])
    case bools([Bool])
    case texts([String])
    case optionalTexts([String?])
    case blobs([[UInt8]])
    case optionalBlobs([[UInt8]?])
    case uuids([UUID])
    case optionalUUIDs([UUID?])
}
