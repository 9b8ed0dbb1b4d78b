import NIOConcurrencyHelpers
import PushPlatform

/// Another program with SQLite, Python's, which runs statements on the file of a queue.
final class OtherProcess: Sendable {
    private let id: pid_t
    private let input: Int32
    private let output: Int32
    private let isGone: NIOLockedValueBox<Bool>

    /// Runs each line as a statement, and answers with the first value or the error.
    private static let program = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
        print("ready", flush=True)
        for line in sys.stdin:
            try:
                rows = database.execute(line).fetchall()
                print(rows[0][0] if rows else "done", flush=True)
            except sqlite3.Error as error:
                print(error, flush=True)
        """

    /// Whether this machine has Python with SQLite.
    static let isPossible: Bool = {
        let folder = "/tmp/push-queue-python-\(UInt32.random(in: 0...UInt32.max))"
        defer { unlink(folder) }
        return (try? OtherProcess(folder)) != nil
    }()

    /// Starts the program with a database.
    init(_ path: String) throws {
        var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw CannotStart() }
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        let arguments: [String] = ["python3", "-c", Self.program, path]
        let words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, "python3", &actions, nil, words + [nil], environ)
        close(toChild[0])
        close(fromChild[1])
        (id, input, output) = (child, toChild[1], fromChild[0])
        isGone = NIOLockedValueBox(code != 0)
        guard code == 0, readLine() == "ready" else { throw CannotStart() }
    }

    deinit {
        kill()
        close(input)
        close(output)
    }

    struct CannotStart: Error {}

    /// Runs a statement. Returns the first value, "done", or the error.
    func run(_ sql: String) -> String {
        var bytes = Array((sql + "\n").utf8)
        guard write(input, &bytes, bytes.count) == bytes.count else { return "The other process is gone." }
        return readLine()
    }

    /// Kills the program, in the middle of whatever it does.
    func kill() {
        let wasGone = isGone.withLockedValue { isGone in
            defer { isGone = true }
            return isGone
        }
        if wasGone { return }
        PushPlatform.kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    private func readLine() -> String {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}
