import PushPlatform
import PushQueue

/// What the errors of servers and of libpq mean.
extension PostgresConnectFailure {
    /// A server that answered does not take the connection.
    static func ofServer(_ server: String, _ state: String, _ text: String) -> PostgresConnectFailure {
        func refused(_ advice: String) -> PostgresConnectFailure {
            PostgresConnectFailure(server, text, .refused, advice, true)
        }
        func notNow(_ advice: String) -> PostgresConnectFailure {
            PostgresConnectFailure(server, text, .unreachable, advice, false)
        }
        switch state {
        case "28P01":
            return refused("Check the user and the password in the address, in PGPASSWORD or in ~/.pgpass.")
        case "28000" where text.contains("pg_hba.conf"):
            return refused(
                "Add a line for this user, database and client to pg_hba.conf on the server, and reload it.")
        case "28000" where text.contains("does not exist"):
            return refused("Create the role with CREATE ROLE ... LOGIN, or put another user into the address.")
        case "28000":
            return refused(
                "Check the user in the address, and the lines for this user in pg_hba.conf on the server.")
        case "3D000":
            return refused("Create the database with CREATE DATABASE, or put another database into the address.")
        case "42501":
            return refused("Give the user the right to connect: GRANT CONNECT ON DATABASE ... TO ...")
        case "53300":
            return notNow("Raise max_connections on the server, or stop some of its clients.")
        case "08P01" where text.contains("startup parameter"):
            return PostgresConnectFailure(
                server, "it is a connection pooler, such as PgBouncer (\(text))", .unusable,
                "\(PostgresConnection.withoutPooler) Only `recipients` can use one, with ignore_startup_parameters = options.",
                true)
        case "57P03":
            return notNow("It is starting, stopping or recovering. Wait, then try again.")
        case _ where state.hasPrefix("57P"):
            return notNow("Start it again, then try again.")
        case _ where state.hasPrefix("22") || state.hasPrefix("42"):
            return PostgresConnectFailure(
                server, text, .invalid, "Check the parameters of the address, above all \"options\".", true)
        default:
            return PostgresConnectFailure(
                server, "\(text) (SQLSTATE \(state))", .refused, "The server's log tells you more.", false)
        }
    }

    /// libpq itself gave up.
    static func ofClient(_ server: String, _ text: String, isStandby: Bool) -> PostgresConnectFailure {
        func unreachable(_ reason: String, _ advice: String) -> PostgresConnectFailure {
            PostgresConnectFailure(server, reason, .unreachable, advice, false)
        }
        func refused(_ advice: String) -> PostgresConnectFailure {
            PostgresConnectFailure(server, text, .refused, advice, false)
        }
        if isStandby || text.contains("server is in hot standby mode") {
            return unreachable(
                "it is a standby, which accepts no writes", "Put the primary into the address, or all servers.")
        }
        for (message, advice) in hints where text.contains(message) { return refused(advice) }
        switch text {
        case _ where text.contains("session is read-only"):
            return unreachable(
                "it accepts no writes, because default_transaction_read_only is on",
                "Put the primary into the address, or turn the setting off for this user and database.")
        case _ where text.hasPrefix("invalid "):
            return PostgresConnectFailure(server, text, .invalid, "Check the parameters of the address.", true)
        case _ where text.hasPrefix("could not translate host name"):
            return unreachable(text, "Check the name of the host, and the DNS of this machine.")
        default:
            return unreachable(text, "Check the host and the port, and that PostgreSQL runs and listens there.")
        }
    }

    /// Words of libpq's messages about passwords and TLS, and the remedy for each.
    private static let hints = [
        ("no password supplied", "Put the password into the address, into PGPASSWORD or into ~/.pgpass."),
        (
            "root certificate file",
            "Put the file with the certificates of the CA into the address (sslrootcert) or into PGSSLROOTCERT."
        ),
        (
            "certificate verify failed",
            "sslrootcert doesn't contain the CA that signed the certificate of the server. Give the file of the right CA."
        ),
        (
            "does not match host name",
            "Use a name in the address that the certificate contains, or give the server a certificate for this name."
        ),
        ("server does not support SSL", "Turn on ssl on the server, or put another sslmode into the address."),
        ("certificate", "Check sslcert, sslkey and sslrootcert in the address."),
        ("private key file", "Check sslcert and sslkey in the address. Only their owner may read the key."),
        ("SSL", "Check sslmode in the address, and the TLS settings of the server."),
    ]
}
