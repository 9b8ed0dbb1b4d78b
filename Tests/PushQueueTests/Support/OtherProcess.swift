import TestSupport

/// Another program with SQLite, Python's, which runs statements on the file of a queue.
final class OtherProcess: Sendable {
    private let process: PipedProcess

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
        guard let folder = try? TemporaryFolder() else { return false }
        return withExtendedLifetime(folder) { (try? OtherProcess(folder.path("database"))) != nil }
    }()

    /// Starts the program with a database.
    init(_ path: String) throws {
        process = try PipedProcess(["python3", "-c", Self.program, path])
        let line = process.readLine()
        guard line == "ready" else { throw CannotStart(program: "python3", reason: line) }
    }

    /// Runs a statement. Returns the first value, "done", or the error.
    func run(_ sql: String) -> String { process.answer(to: sql) ?? "The other process is gone." }

    /// Kills the program, in the middle of whatever it does, and waits until it has ended.
    func kill() {
        process.kill()
    }
}
