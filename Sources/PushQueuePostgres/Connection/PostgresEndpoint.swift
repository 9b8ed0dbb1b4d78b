internal import CPQ
import PushPlatform

/// A server of an address, for errors.
struct PostgresEndpoint: Sendable, CustomStringConvertible {
    var address: PostgresAddress
    /// The server as "host:port".
    var server: String

    var description: String {
        address.hosts.count > 1 ? "\(address) (at \(server))" : "\(address)"
    }

    /// The message of libpq about a connection.
    static func message(_ handle: OpaquePointer) -> String {
        PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    }

    /// The first line of a message of libpq, without the full stop. Further lines guess at reasons.
    static func firstLine(_ text: String) -> String {
        var line = text.split(whereSeparator: \.isNewline).first ?? ""
        while line.hasSuffix(".") || line.hasSuffix(" ") { line.removeLast() }
        return String(line)
    }
}
