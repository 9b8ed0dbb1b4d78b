import PushPlatform

/// A shell that starts a server, and ends it when its input ends: also if the process of the tests is killed.
final class PostgresWatcher: Sendable {
    /// The process of the server.
    let server: pid_t
    private let shell: PipedProcess

    private static let script = """
        trap '' INT TERM HUP
        programs=$1 folder=$2 port=$3 user=$4 password=$5 settings=$6 standby=$7 source=$8
        cd "$folder"
        printf '%s\\n' "$password" >password
        if [ -n "$source" ]; then
            "${programs}pg_basebackup" --pgdata=data --dbname="$source" --checkpoint=fast --no-sync
        else
            "${programs}initdb" --pgdata=data --username="$user" --pwfile=password --auth-local=trust \\
                --auth-host=scram-sha-256 --encoding=UTF8 --locale=C --no-sync
        fi >log 2>&1 </dev/null &&
            if [ "$standby" = yes ]; then touch data/standby.signal; fi &&
            "${programs}pg_ctl" start --wait --timeout=600 --silent --pgdata=data --log=log --options="-p $port -k $folder -h 127.0.0.1 \\
            -c shared_buffers=32MB -c max_connections=1000 $settings" </dev/null >/dev/null 2>&1 || {
            tail -n 5 log | tr '\\n' ' '
            echo
            rm -rf "$folder"
            exit 1
        }
        id=$(head -n 1 data/postmaster.pid)
        echo "$id"
        read -r line
        kill -QUIT "$id"
        while kill -0 "$id" 2>/dev/null; do sleep 0.02; done
        rm -rf "$folder"
        """

    init(programs: String, folder: String, port: Int, settings: [String], isStandby: Bool, source: String) throws {
        let shell = [
            "sh", "-c", Self.script, "sh", programs, folder, "\(port)", PostgresServer.user, PostgresServer.password,
            settings.map { "-c \($0)" }.joined(separator: " "), isStandby ? "yes" : "no",
            source,
        ]
        let asPostgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        let process = try PipedProcess(getuid() == 0 ? asPostgres + shell : shell)
        let line = process.readLine()
        guard let server = pid_t(line) else {
            process.end()
            throw CannotStart(program: "postgres", reason: line)
        }
        (self.server, self.shell) = (server, process)
    }

    /// Ends the server, and waits until it has ended.
    func end() {
        shell.end()
    }
}
