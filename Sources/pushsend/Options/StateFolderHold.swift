import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushPlatform

/// Locks a state folder for the one mock that may use it.
///
/// Owns the descriptor of a locked file. The system releases the lock when the process ends, in any way. It is a lock
/// of `fcntl`, so ``isTaken(_:)`` can test it without taking it. Taking it would refuse a mock that starts at that
/// moment.
///
/// There are two locks: the first one keeps other mocks out, and the second one shows commands that the note is that of this mock.
final class StateFolderHold: Sendable {
    private let file: Int32

    /// Creates the folder if necessary, takes the locks, and removes the note of a mock that was killed.
    ///
    /// - Parameter folder: The state folder.
    /// - Throws: ``CommandFailure`` if another mock has the lock, or the folder cannot be written.
    init(_ folder: String) throws(CommandFailure) {
        guard !folder.isEmpty else { throw .unwritable(stateFolder: folder, "that isn't a path") }
        // The credentials are made after the lock, so the folder may not exist yet.
        if let problem = Self.make(folder) { throw .unwritable(stateFolder: folder, problem) }
        var facts = stat()
        if stat(folder, &facts) == 0, let problem = OtherWriters.problem(of: facts) {
            throw .untrusted(stateFolder: folder, problem)
        }
        let file = open(Self.path(folder), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(stateFolder: folder, String(cString: strerror(errno))) }
        if fstat(file, &facts) == 0, let problem = OtherWriters.problem(of: facts) {
            close(file)
            throw .untrusted(stateFolder: folder, problem, file: Self.path(folder))
        }
        var lock = Self.lock(F_WRLCK, Self.entrance)
        while fcntl(file, F_SETLK, &lock) != 0 {
            let number = errno
            if number == EINTR { continue }
            close(file)
            throw number == EACCES || number == EAGAIN
                ? .running(on: folder) : .unwritable(stateFolder: folder, String(cString: strerror(number)))
        }
        // No mock lives here any more. Until its note is gone, commands must not take this mock for the one of the note.
        MockNote.removeStale(from: folder)
        var shown = Self.lock(F_WRLCK, Self.presence)
        guard fcntl(file, F_SETLK, &shown) == 0 else {
            let number = errno
            close(file)
            throw .unwritable(stateFolder: folder, String(cString: strerror(number)))
        }
        self.file = file
    }

    deinit {
        close(file)
    }

    /// Tests whether a mock has locked a folder, and has removed the note of the one before.
    ///
    /// - Parameter folder: The state folder.
    /// - Returns: Whether a process has the lock. `false` if the folder does not exist or cannot be read, or if other users can
    ///   change the file.
    static func isTaken(_ folder: String) -> Bool {
        let file = open(path(folder), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, OtherWriters.problem(of: facts) == nil else { return false }
        var lock = lock(F_RDLCK, presence)
        guard fcntl(file, F_GETLK, &lock) == 0 else { return false }
        return lock.l_type != CShort(F_UNLCK)
    }

    private static func path(_ folder: String) -> String { "\(folder)/.running.lock" }

    /// Creates a folder and its missing parents, for this user only.
    ///
    /// - Returns: The error of the system for the first that cannot be created; `nil` if all exist.
    private static func make(_ folder: String) -> String? {
        var path = folder.hasPrefix("/") ? "" : "."
        for name in folder.split(separator: "/") {
            path += "/\(name)"
            // Test for existence first: for a parent on another file system, mkdir may return a different error.
            if access(path, F_OK) == 0 || mkdir(path, 0o700) == 0 || errno == EEXIST { continue }
            return String(cString: strerror(errno))
        }
        return nil
    }

    /// The first byte: taken before the note of a killed mock is removed.
    private static let entrance: (start: off_t, length: off_t) = (0, 1)
    /// The other bytes: taken afterwards.
    private static let presence: (start: off_t, length: off_t) = (1, 0)

    /// A lock on a part of the file; a length of 0 is up to the end.
    private static func lock(_ kind: Int32, _ part: (start: off_t, length: off_t)) -> flock {
        var lock = flock()
        lock.l_type = CShort(kind)
        lock.l_whence = CShort(SEEK_SET)
        (lock.l_start, lock.l_len) = (part.start, part.length)
        return lock
    }
}

extension CommandFailure {
    static func unwritable(stateFolder folder: String, _ why: String? = nil) -> CommandFailure {
        CommandFailure(
            .cannotCreate,
            """
            The state folder \(folder.isEmpty ? "\"\"" : folder) can't be written\(why.map { " (\($0))" } ?? ""). \
            Give another one with --state.
            """)
    }

    /// A state folder, or a file in it, that other users may have written.
    static func untrusted(stateFolder folder: String, _ why: String, file: String? = nil) -> CommandFailure {
        CommandFailure(
            .credentials,
            """
            The state folder "\(folder)" can't be trusted\(file.map { ", because of \"\($0)\"" } ?? ""): \(why). Give a folder \
            that only you can change with --state; the mock creates it if it doesn't exist.
            """)
    }

    fileprivate static func running(on folder: String) -> CommandFailure {
        let holder =
            (try? MockNote.ofRunningMock(on: folder)).map { " (process \($0.processID), on \($0.endpoint))" } ?? ""
        return CommandFailure(
            .tryAgain,
            """
            Another mock uses the state folder \(folder)\(holder). Stop it, or give this mock its own folder with --state.
            """)
    }
}

/// The option for the folder in which a mock keeps its CA, its key, and a note with its endpoint, so that other
/// commands find it.
struct StateFolderOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp("The mock's state folder. Default: ~/.local/state/pushsend/mock.", valueName: "dir"),
        completion: .directory)
    var folder: String?

    static let needsMock = "--state is a mock's state folder: it needs --mock."

    /// Returns the folder of the option, of the environment, or the default folder of the user.
    ///
    /// - Throws: ``CommandFailure`` if none is given and HOME is not set: keys must not be written to the current
    ///   folder.
    var path: String {
        get throws {
            if let folder = folder ?? Fallback.state.value { return folder }
            guard let path = Self.defaultPath else {
                throw CommandFailure.usage("HOME isn't set: give the mock's state folder with --state DIR.")
            }
            return path
        }
    }

    /// The default folder of the user. It needs no flag.
    static var defaultPath: String? { ConfigLocation.stateFile("mock") }

    /// Returns the flag with which another command finds a state folder: ` --state DIR`, or nothing for the default
    /// folder.
    static func flag(for folder: String) -> String {
        folder == defaultPath || AbsolutePath.of(folder) == defaultPath ? "" : " --state \(ShellWord.quoted(folder))"
    }
}
