import PushPlatform
public import PushQueue

/// Where a queue in PostgreSQL is: a connection URI of libpq with one or several hosts.
public struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// A server. An empty name or port means the default of libpq.
    struct Host: Sendable, Hashable, CustomStringConvertible {
        var name: String
        var port: String

        /// The host as a URI has it.
        var description: String {
            var text = name.contains(":") ? "[\(name)]" : PercentEncoding.encoded(name)
            if !port.isEmpty { text += ":\(port)" }
            return text
        }
    }

    /// The schema with the tables of the queue: 1 to 50 lower-case letters, digits and "_".
    public internal(set) var schema = Self.defaultSchema
    /// Whether the address names it. Otherwise it is the usual one.
    var namesSchema = false

    /// The maximum number of letters of a schema. The channels of its notices have longer names, of which PostgreSQL keeps 63 bytes.
    static let longestSchema = 50
    static let defaultSchema = "pushserve"
    /// The servers, in the order in which they are tried.
    var hosts: [Host] = []
    var user = ""
    var database = ""
    /// The other parameters of libpq by their keywords, the password included.
    var parameters: [String: String] = [:]

    /// Reads an address.
    ///
    /// It is a URI like `postgres://user:password@host:5432,other:5432/database?sslmode=verify-full&schema=NAME`, with the parameters
    /// of libpq (PostgreSQL's manual, "Connection URIs") and one more: `schema`, where the tables of the queue are. Its default
    /// is "pushserve". What the address leaves out comes from libpq: PGPASSWORD, ~/.pgpass, PGSSLROOTCERT and so on.
    ///
    /// - Parameter text: The URI. Each server in it is tried in turn, and the first that takes writes is used.
    /// - Throws: `QueueError` (`.invalid`) with the part that is wrong. It never contains the password.
    public init(_ text: String) throws(QueueError) {
        try read(text)
    }

    /// The address without its password and its parameters.
    public var description: String {
        let hostList = hosts.map(\.description).joined(separator: ",")
        let login = user.isEmpty ? "" : PercentEncoding.encoded(user) + "@"
        return "postgres://\(login)\(hostList)/\(PercentEncoding.encoded(database))"
    }

    /// The address of the queue: with the schema, unless it is the usual one, and without the password and all other parameters.
    package var withSchema: String {
        schema == Self.defaultSchema ? description : "\(description)?schema=\(schema)"
    }
}
