import PushPlatform
import PushQueue

/// The text of a statement. A connection prepares it when it is first used.
///
/// The statements are its members, each in the file of the code that runs it.
struct PostgresText: Sendable, Hashable, ExpressibleByStringInterpolation {
    let sql: String
    /// Computed once: a text is looked up for each statement that runs.
    private let hash: Int

    /// - Parameter sql: One statement. Its parameters are `$1`, `$2` and so on, each with a cast, as in `$1::int8[]`.
    init(_ sql: String) {
        self.sql = sql
        hash = sql.hashValue
    }

    init(stringLiteral sql: String) { self.init(sql) }

    /// The milliseconds of an interval, or since 1970 of a time, as SQL.
    ///
    /// In a database of somebody else, others may create functions and operators in a schema of the `search_path`. PostgreSQL takes theirs
    /// instead of its own if only theirs has exactly the types of the arguments: `numeric * integer`, for example. They would run with the
    /// rights of this role. So each call in our statements there has a function of PostgreSQL with exactly its types.
    static func milliseconds(_ value: String) -> String {
        "(extract(epoch FROM \(value))::float8 * 1000::float8)::int8"
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

struct PostgresStatement: Sendable {
    let text: PostgresText
    let values: [PostgresValue]

    init(_ text: PostgresText, _ values: [PostgresValue]) {
        (self.text, self.values) = (text, values)
    }

    init(_ text: PostgresText, _ values: any PostgresBindable...) { self.init(text, values.map(\.bound)) }

    /// Whether an error can be about a value. A statement without parameters may be the end of a transaction that had some.
    var hasValues: Bool {
        values.isEmpty || !values.allSatisfy { if case .null = $0 { true } else { false } }
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
    case optionalInt8s([Int64?])
    case texts([String])
    case optionalTexts([String?])
    case blobs([[UInt8]])
    case optionalBlobs([[UInt8]?])
    case uuids([UUID])
    case optionalUUIDs([UUID?])
}

// MARK: Swift's values as parameters

/// A type whose values are parameters. Its type in PostgreSQL follows from it, and is that of the cast in the statement.
protocol PostgresBindable {
    var bound: PostgresValue { get }
}

/// A type whose arrays are parameters.
protocol PostgresElement {
    static func bound(_ values: [Self]) -> PostgresValue
}

extension PostgresValue: PostgresBindable { var bound: PostgresValue { self } }
extension Bool: PostgresBindable { var bound: PostgresValue { .bool(self) } }
extension Int16: PostgresBindable { var bound: PostgresValue { .int2(self) } }
extension Int32: PostgresBindable { var bound: PostgresValue { .int4(self) } }
extension Int64: PostgresBindable { var bound: PostgresValue { .int8(self) } }
extension Int: PostgresBindable { var bound: PostgresValue { .int8(Int64(self)) } }
extension QueueTime: PostgresBindable { var bound: PostgresValue { .int8(milliseconds) } }
extension SteadyTime: PostgresBindable { var bound: PostgresValue { .int8(milliseconds) } }
extension String: PostgresBindable { var bound: PostgresValue { .text(self) } }
extension UUID: PostgresBindable { var bound: PostgresValue { .uuid(self) } }
extension Optional: PostgresBindable where Wrapped: PostgresBindable {
    var bound: PostgresValue { self?.bound ?? .null }
}
extension Array: PostgresBindable where Element: PostgresElement {
    var bound: PostgresValue { Element.bound(self) }
}

extension UInt8: PostgresElement { static func bound(_ values: [UInt8]) -> PostgresValue { .bytes(values) } }
extension Int16: PostgresElement { static func bound(_ values: [Int16]) -> PostgresValue { .int2s(values) } }
extension Int32: PostgresElement { static func bound(_ values: [Int32]) -> PostgresValue { .int4s(values) } }
extension Int64: PostgresElement { static func bound(_ values: [Int64]) -> PostgresValue { .int8s(values) } }
extension String: PostgresElement { static func bound(_ values: [String]) -> PostgresValue { .texts(values) } }
extension UUID: PostgresElement { static func bound(_ values: [UUID]) -> PostgresValue { .uuids(values) } }
