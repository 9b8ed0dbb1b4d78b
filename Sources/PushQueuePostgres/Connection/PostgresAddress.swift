#if PushService
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
                var text = name.contains(":") ? "[\(name)]" : PostgresPercentCode.encode(name)
                if !port.isEmpty { text += ":\(port)" }
                return text
            }
        }

        /// The schema with the tables of the queue: 1 to 50 lower-case letters, digits and "_".
        public let schema: String

        /// The maximum number of letters of a schema. The channels of its notices have longer names, of which PostgreSQL keeps 63 bytes.
        static let longestSchema = 50
        static let usualSchema = "pushserve"
        /// The servers, in the order in which they are tried.
        let hosts: [Host]
        let user: String
        let database: String
        /// The other parameters of libpq by their keywords, the password included.
        let parameters: [String: String]

        /// Reads an address.
        ///
        /// It is a URI like `postgres://user:password@host:5432,other:5432/database?sslmode=verify-full&schema=NAME`, with the parameters
        /// of libpq (PostgreSQL's manual, "Connection URIs") and one more: `schema`, where the tables of the queue are. Its default
        /// is "pushserve". What the address leaves out comes from libpq: PGPASSWORD, ~/.pgpass, PGSSLROOTCERT and so on.
        ///
        /// - Parameter text: The URI. Each server in it is tried in turn, and the first that takes writes is used.
        /// - Throws: `QueueError` (`.invalid`) with the part that is wrong. It never contains the password.
        public init(_ text: String) throws(QueueError) {
            var parser = PostgresAddressParser()
            try parser.read(text)
            schema = parser.schema
            (hosts, parameters) = (parser.hosts, parser.parameters)
            (user, database) = (parser.user, parser.database)
        }

        /// The address without its password and its parameters.
        public var description: String {
            let hostList = hosts.map(\.description).joined(separator: ",")
            let login = user.isEmpty ? "" : PostgresPercentCode.encode(user) + "@"
            return "postgres://\(login)\(hostList)/\(PostgresPercentCode.encode(database))"
        }

        /// The address of the queue: with the schema, unless it is the usual one, and without the password and all other parameters.
        package var withSchema: String {
            schema == Self.usualSchema ? description : "\(description)?schema=\(schema)"
        }
    }

    /// Percent-encoding of a part of a URI (RFC 3986, section 2.1).
    enum PostgresPercentCode {
        /// Encodes everything but letters, digits and `-._~`.
        static func encode(_ text: String) -> String {
            var encoded = ""
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    encoded.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    let digits = String(byte, radix: 16, uppercase: true)
                    encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
                }
            }
            return encoded
        }

        /// Decodes a text. Returns `nil` if a `%` has no two digits behind it, or if the text would contain a NUL or bytes that are no UTF-8.
        static func decode(_ text: Substring) -> String? {
            guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
            var bytes: [UInt8] = []
            var rest = text.utf8[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    bytes.append(byte)
                    continue
                }
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            }
            return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
        }

        private static func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
#endif
