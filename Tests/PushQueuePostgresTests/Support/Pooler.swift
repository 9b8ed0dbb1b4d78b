import PushPlatform
import TestSupport

/// PgBouncer before a server. It ends with this object or with the process.
final class Pooler: Sendable {
    /// Where the program is; `nil` if it is not installed.
    static let program: String? = {
        let places: [String] = [
            "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer",
        ]
        return places.first { access($0, X_OK) == 0 }
    }()

    let port: Int
    private let shell: PipedProcess

    /// The folder is in /tmp, whatever TMPDIR says: the user postgres must be able to enter it.
    private static let script = """
        trap '' INT TERM HUP
        folder=$(mktemp -d /tmp/push-pooler-XXXXXX) && cd "$folder"
        printf '%s\\n' "[databases]" "* = host=127.0.0.1 port=$2 user=$3 password=$4" "[pgbouncer]" "listen_addr = 127.0.0.1" \\
            "listen_port = $5" "unix_socket_dir =" "auth_type = any" "pool_mode = $6" "ignore_startup_parameters = extra_float_digits$7" \\
            >pooler.ini
        "$1" pooler.ini >log 2>&1 </dev/null &
        until grep -q 'process up' log; do kill -0 $! && sleep 0.05 || { tail -n 1 log; break; }; done
        echo ready
        read -r line
        kill -KILL $!
        rm -rf "$folder"
        """

    /// Starts one.
    ///
    /// - Parameters:
    ///   - server: The server behind it.
    ///   - mode: When a client's session is given to the next client: after each `transaction`, or at the end of the `session`.
    ///   - dropsOptions: Whether it ignores the `options` of a client. Otherwise it refuses them.
    /// - Throws: What went wrong.
    init(_ server: PostgresServer, mode: String, dropsOptions: Bool) throws {
        let held = try HeldPort()
        held.letGo()
        port = held.number
        let shell = [
            "sh", "-c", Self.script, "sh", Self.program ?? "", "\(server.port)", PostgresServer.user,
            PostgresServer.password,
            "\(port)", mode, dropsOptions ? ", options" : "",
        ]
        // It refuses to run as root.
        let asPostgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        self.shell = try PipedProcess(getuid() == 0 ? asPostgres + shell : shell)
        let line = self.shell.readLine()
        guard line == "ready" else { throw CannotStart(program: "pgbouncer", reason: line) }
    }

    deinit { shell.end() }

    /// The address of a server, through the pooler.
    func through(_ address: String, _ server: PostgresServer) -> String {
        address.replacing(":\(server.port)/", with: ":\(port)/")
    }
}
