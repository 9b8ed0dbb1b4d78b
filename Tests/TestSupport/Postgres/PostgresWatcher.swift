import NIOConcurrencyHelpers
import PushPlatform

/// A shell that starts a server, and ends it when its input ends: also if the process of the tests is killed.
final class PostgresWatcher: Sendable {
    /// The process of the server.
    let server: pid_t
    private let id: pid_t
    private let input: NIOLockedValueBox<Int32?>

    /// Processes of tests are started one at a time, or one could inherit the input of another.
    private static let starting = NIOLock()

    private static let script = """
        trap '' INT TERM HUP
        programs=$1 folder=$2 port=$3 user=$4 password=$5 settings=$6 standby=$7
        cd "$folder"
        printf '%s\\n' "$password" >password
        "${programs}initdb" --pgdata=data --username="$user" --pwfile=password --auth-local=trust \\
            --auth-host=scram-sha-256 --encoding=UTF8 --locale=C --no-sync >log 2>&1 </dev/null &&
            if [ "$standby" = yes ]; then touch data/standby.signal; fi &&
            "${programs}pg_ctl" start --wait --silent --pgdata=data --log=log --options="-p $port -k $folder -h 127.0.0.1 \\
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

    init(programs: String, folder: String, port: Int, settings: [String], isStandby: Bool) throws {
        let shell = [
            "sh", "-c", Self.script, "sh", programs, folder, "\(port)", PostgresServer.user, PostgresServer.password,
            settings.map { "-c \($0)" }.joined(separator: " "), isStandby ? "yes" : "no",
        ]
        let asPostgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        let started = try Self.starting.withLock {
            try Self.start(getuid() == 0 ? asPostgres + shell : shell)
        }
        let line = Self.readLine(started.output)
        close(started.output)
        guard let server = pid_t(line) else {
            close(started.input)
            waitpid(started.id, nil, 0)
            throw CannotStart(program: "postgres", reason: line)
        }
        (self.server, id, input) = (server, started.id, NIOLockedValueBox(started.input))
    }

    /// Ends the server, and waits until it has ended.
    func end() {
        let open = input.withLockedValue { input in
            defer { input = nil }
            return input
        }
        guard let open else { return }
        close(open)
        waitpid(id, nil, 0)
    }

    private static func start(_ command: [String]) throws -> (id: pid_t, input: Int32, output: Int32) {
        var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
            throw CannotStart(program: "pipe", reason: "errno \(errno)")
        }
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            close(toChild[0])
            close(fromChild[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        let words = command.map { strdup($0) }
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, command[0], &actions, nil, words + [nil], environ)
        guard code == 0 else {
            close(toChild[1])
            close(fromChild[0])
            throw CannotStart(program: command[0], reason: "errno \(code)")
        }
        return (id, toChild[1], fromChild[0])
    }

    private static func readLine(_ output: Int32) -> String {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}
