internal import CPQ
import PushPlatform
import PushQueue

/// Why one server cannot be used.
struct PostgresConnectFailure: Error {
    /// The server as "host:port".
    var server: String
    var reason: String
    var code: QueueError.Code
    /// The remedy, in whole sentences.
    var advice: String
    /// Whether it makes no sense to try the other servers of the address.
    var isOfAllServers: Bool

    init(_ server: String, _ reason: String, _ code: QueueError.Code, _ advice: String, _ isOfAllServers: Bool) {
        (self.server, self.reason, self.code) = (server, reason, code)
        (self.advice, self.isOfAllServers) = (advice, isOfAllServers)
    }

    /// - Parameters:
    ///   - server: The server as "host:port".
    ///   - message: The message of libpq, with SQLSTATE if the server refused the connection.
    ///   - isStandby: Whether the server says that it is a standby.
    init(_ server: String, _ message: String, isStandby: Bool) {
        if let (state, text) = Self.serverError(message) {
            self = .ofServer(server, state, text)
        } else {
            self = .ofClient(server, Self.shortened(message), isStandby: isStandby)
        }
    }

    /// SQLSTATE and the first line of an error of the server: `FATAL:  28P01: password authentication failed`.
    static func serverError(_ message: String) -> (state: String, text: String)? {
        for line in message.split(whereSeparator: \.isNewline) {
            var rest = line[...]
            while let colon = rest.firstIndex(of: ":") {
                rest = rest[colon...].dropFirst()
                let message = rest.drop { $0 == " " }
                let state = message.prefix(5)
                // FATAL has five letters, too, but each SQLSTATE has a digit.
                let isState = state.allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
                guard state.count == 5, isState, state.contains(where: \.isNumber),
                    message.dropFirst(5).hasPrefix(": ")
                else { continue }
                return (String(state), PostgresEndpoint.firstLine(String(message.dropFirst(7))))
            }
        }
        return nil
    }

    /// A message of libpq without `connection to server at "host", port 5432 failed: `, which our sentence says already.
    private static func shortened(_ message: String) -> String {
        let line = PostgresEndpoint.firstLine(message)
        guard line.hasPrefix("connection to server"), let end = line.firstRange(of: " failed: ") else {
            return line
        }
        return String(line[end.upperBound...])
    }

    /// The server said nothing for too long.
    static func silent(_ server: String, _ time: Duration) -> PostgresConnectFailure {
        PostgresConnectFailure(
            server, "it didn't answer within \(time)", .unreachable,
            "Check the host and the port, the firewall, and that PostgreSQL runs there.", false)
    }

    static func tooOld(_ server: String, _ version: Int32, _ oldest: Int32) -> PostgresConnectFailure {
        PostgresConnectFailure(
            server, "it is PostgreSQL \(version), which is too old", .unusable,
            "PostgreSQL \(oldest) or newer is needed. Upgrade the server.", false)
    }
}

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
