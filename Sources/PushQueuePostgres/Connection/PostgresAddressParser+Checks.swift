internal import CPQ
import PushPlatform
import PushQueue

extension PostgresAddress {
    /// What this program sets itself.
    private static let reserved: Set<String> = ["client_encoding", "replication"]

    /// Checks what was read.
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
