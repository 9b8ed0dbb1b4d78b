internal import CPQ
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
    public private(set) var schema = Self.defaultSchema
    /// Whether the address names it. Otherwise it is the default one.
    private(set) var namesSchema = false

    /// The maximum number of letters of a schema. The channels of its notices have longer names, of which PostgreSQL keeps 63 bytes.
    static let longestSchema = 50
    static let defaultSchema = "pushserve"
    /// The servers, in the order in which they are tried.
    private(set) var hosts: [Host] = []
    private(set) var user = ""
    private(set) var database = ""
    /// The other parameters of libpq by their keywords, the password included.
    private(set) var parameters: [String: String] = [:]

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

    /// The address of the queue: with the schema, unless it is the default one, and without the password and all other parameters.
    package var withSchema: String {
        schema == Self.defaultSchema ? description : "\(description)?schema=\(schema)"
    }
}

/// Parses an address. No error contains a text that may be a part of the password.
extension PostgresAddress {
    static let example = "postgres://user@host:5432/database"

    fileprivate mutating func read(_ text: String) throws(QueueError) {
        guard !text.utf8.contains(0) else { throw wrong("contains a NUL character") }
        var rest = text[...]
        if rest.hasPrefix("postgres://") {
            rest = rest.dropFirst("postgres://".count)
        } else if rest.hasPrefix("postgresql://") {
            rest = rest.dropFirst("postgresql://".count)
        } else {
            throw wrong("doesn't begin with postgres://. An example: \(Self.example)")
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        try readAuthority(rest[..<end], rest: rest[end...])
        rest = rest[end...]
        let query = rest.firstIndex(of: "?") ?? rest.endIndex
        database = try decoded(rest[..<query].dropFirst(), "database")
        try readQuery(rest[query...].dropFirst())
        try check()
    }

    /// The user, the password and the hosts: all before the first "/" or "?".
    private mutating func readAuthority(_ text: Substring, rest: Substring) throws(QueueError) {
        // Such an address usually has a special character in its password, which then looks like a host.
        guard text.count(where: { $0 == "@" }) < 2, !rest.contains("@") else {
            throw wrong(
                """
                has an "@", a "/" or a "?" in the user, the password or a parameter. Write "@" there as %40, "/" as %2F and "?" \
                as %3F
                """)
        }
        var hostList = text
        if let at = text.firstIndex(of: "@") {
            hostList = text[at...].dropFirst()
            let login = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try decoded(login[0], "user")
            if login.count == 2 { parameters["password"] = try decoded(login[1], "password") }
        }
        if hostList.isEmpty { return }
        for part in hostList.split(separator: ",", omittingEmptySubsequences: false) {
            hosts.append(try host(part))
        }
    }

    private func host(_ text: Substring) throws(QueueError) -> Host {
        let parts: HostAndPort
        do throws(HostAndPort.Mistake) { parts = try HostAndPort(text) } catch {
            switch error {
            case .noClosingBracket: throw wrong("has a \"[\" without a \"]\"")
            case .textAfterBracket:
                throw wrong("has text after the \"]\" of a host. Only a port can follow, as in [::1]:5432")
            case .noBrackets:
                throw wrong(
                    "has a host with more than one \":\". Put an IPv6 address in brackets, as in [::1]:5432")
            }
        }
        return Host(name: try decoded(parts.host, "host"), port: String(parts.port ?? ""))
    }

    /// The parameters behind the "?". Later ones replace earlier ones, as with libpq.
    private mutating func readQuery(_ text: Substring) throws(QueueError) {
        var (names, ports): (String?, String?)
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = try decoded(parts[0], "name of a parameter")
            guard parts.count == 2 else { throw wrong("has the parameter \"\(key)\" without a value") }
            let value = try decoded(parts[1], "parameter \(key)")
            switch key {
            case "schema": (schema, namesSchema) = (value, true)
            case "host": names = value
            case "port": ports = value
            case "user": user = value
            case "dbname": database = value
            default: parameters[key] = value
            }
        }
        if names != nil || ports != nil { try replaceHosts(names, ports) }
    }

    /// The parameters `host` and `port`. Folders of Unix sockets are usually given in this way.
    private mutating func replaceHosts(_ names: String?, _ ports: String?) throws(QueueError) {
        let names = names.map { Self.list($0) } ?? hosts.map(\.name)
        var ports = ports.map { Self.list($0) } ?? hosts.map(\.port)
        if ports.count == 1, names.count > 1 { ports = Array(repeating: ports[0], count: names.count) }
        if ports.isEmpty { ports = Array(repeating: "", count: names.count) }
        if names.isEmpty, ports.count == 1 {
            hosts = [Host(name: "", port: ports[0])]
            return
        }
        guard names.count == ports.count else {
            throw wrong("has \(names.count) hosts but \(ports.count) ports. Give one port, or one for each host")
        }
        hosts = zip(names, ports).map { Host(name: $0, port: $1) }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private func decoded(_ text: Substring, _ part: String) throws(QueueError) -> String {
        guard let decoded = PercentEncoding.text(text), !decoded.utf8.contains(0) else {
            throw wrong(
                "has a wrong %-sequence in its \(part). Write two hexadecimal digits after each %, and a % itself as %25"
            )
        }
        return decoded
    }

    func wrong(_ problem: String) -> QueueError {
        QueueError(.invalid, "The address of the queue in PostgreSQL \(problem).")
    }
}

extension PostgresAddress {
    /// What this program sets itself.
    private static let reserved: Set<String> = ["client_encoding", "replication"]

    func check() throws(QueueError) {
        try checkSchema()
        for host in hosts { try checkPort(host) }
        if hosts.count > 1, parameters["hostaddr"] != nil {
            throw wrong("has several hosts and \"hostaddr\". Leave out \"hostaddr\", or give one host")
        }
        if let wanted = parameters["target_session_attrs"], wanted != "read-write", wanted != "primary" {
            throw wrong(
                "has the parameter \"target_session_attrs\" with \"\(wanted)\". A queue writes: leave it out, or give read-write"
            )
        }
        let known = Self.keywords()
        for key in parameters.keys.sorted() where key != "password" {
            guard !Self.reserved.contains(key) else {
                throw wrong("has the parameter \"\(key)\", which this program sets itself. Leave it out")
            }
            guard known.contains(key) else {
                throw wrong(
                    """
                    has the unknown parameter "\(key)". It accepts "schema" and the parameters of libpq, for example \
                    sslmode, sslrootcert and application_name
                    """)
            }
        }
    }

    private func checkSchema() throws(QueueError) {
        let isRight = schema.utf8.allSatisfy {
            $0.isASCIIDigit || $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        }
        // PostgreSQL keeps names with this prefix for itself.
        guard isRight, (1...Self.longestSchema).contains(schema.utf8.count), !schema.hasPrefix("pg_")
        else {
            throw wrong(
                """
                has a wrong "schema". Its name has 1 to \(Self.longestSchema) lower-case letters, digits and "_", and doesn't begin with "pg_"; the \
                default is pushserve
                """)
        }
    }

    private func checkPort(_ host: Host) throws(QueueError) {
        if host.port.isEmpty { return }
        let isNumber = host.port.utf8.allSatisfy(\.isASCIIDigit)
        guard isNumber, let port = Int(host.port), (1...65535).contains(port) else {
            // What stands there may be a password, if the address has no "@".
            throw wrong("has a wrong port. A port is a number from 1 to 65535, as in \(Self.example)")
        }
    }

    /// The keywords that this libpq knows.
    private static func keywords() -> Set<String> {
        guard let options = PQconndefaults() else { return [] }
        defer { PQconninfoFree(options) }
        var (keywords, option): (Set<String>, UnsafeMutablePointer<PQconninfoOption>) = ([], options)
        while let keyword = option.pointee.keyword {
            keywords.insert(String(cString: keyword))
            option += 1
        }
        return keywords
    }
}
