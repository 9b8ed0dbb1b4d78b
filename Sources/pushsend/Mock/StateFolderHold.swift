#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Holds a state folder for the one mock that may run on it.
///
/// It owns the descriptor of a locked file. The system releases the lock when the process ends, however it ends. The lock is one of
/// `fcntl`: ``isTaken(_:)`` can then look whether it is there without taking it, which would turn away a mock that starts just then.
final class StateFolderHold: Sendable {
    private let file: Int32

    /// Makes the folder if need be, takes the hold, and removes the note of a mock that was killed.
    ///
    /// - Parameter folder: The state folder.
    /// - Throws: ``CommandFailure`` when another mock has it, or the folder cannot be written.
    init(_ folder: String) throws(CommandFailure) {
        guard !folder.isEmpty else { throw .unwritable(stateFolder: folder, "that is not a path") }
        // The credentials come after the hold, so that nothing else has made the folder.
        if let problem = Self.make(folder) { throw .unwritable(stateFolder: folder, problem) }
        let file = open(Self.path(folder), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(stateFolder: folder, String(cString: strerror(errno))) }
        var lock = Self.lock(F_WRLCK)
        while fcntl(file, F_SETLK, &lock) != 0 {
            let number = errno
            if number == EINTR { continue }
            close(file)
            throw number == EACCES || number == EAGAIN
                ? .running(on: folder) : .unwritable(stateFolder: folder, String(cString: strerror(number)))
        }
        self.file = file
        MockNote.removeStale(from: folder)
    }

    deinit {
        close(file)
    }

    /// Looks whether a mock holds a folder.
    ///
    /// - Parameter folder: The state folder.
    /// - Returns: Whether a process has the hold. `false` where there is no folder, or it cannot be read.
    static func isTaken(_ folder: String) -> Bool {
        let file = open(path(folder), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var lock = lock(F_RDLCK)
        guard fcntl(file, F_GETLK, &lock) == 0 else { return false }
        return lock.l_type != CShort(F_UNLCK)
    }

    private static func path(_ folder: String) -> String { "\(folder)/.running.lock" }

    /// Makes a folder and those above it that are not there, for this user only.
    ///
    /// - Returns: What the system says of the first that cannot be made; `nil` when all are there.
    private static func make(_ folder: String) -> String? {
        var path = folder.hasPrefix("/") ? "" : "."
        for name in folder.split(separator: "/") {
            path += "/\(name)"
            // Reading is tried first: a folder above may be on a file system that answers anything else to mkdir.
            if access(path, F_OK) == 0 || mkdir(path, 0o700) == 0 || errno == EEXIST { continue }
            return String(cString: strerror(errno))
        }
        return nil
    }

    /// A lock on the whole file.
    private static func lock(_ kind: Int32) -> flock {
        var lock = flock()
        lock.l_type = CShort(kind)
        lock.l_whence = CShort(SEEK_SET)
        return lock
    }
}

extension CommandFailure {
    static func unwritable(stateFolder folder: String, _ why: String? = nil) -> CommandFailure {
        CommandFailure(
            status: .cannotCreate,
            message: """
                The state folder \(folder.isEmpty ? "\"\"" : folder) cannot be written\(why.map { " (\($0))" } ?? ""): name another \
                one with --state.
                """)
    }

    fileprivate static func running(on folder: String) -> CommandFailure {
        let place = (try? MockNote.read(folder)).map { " (process \($0.processID), on \($0.endpoint))" } ?? ""
        return CommandFailure(
            status: .notSent,
            message: """
                Another mock runs on the state folder \(folder)\(place). Stop it, or give this one a folder of its own with \
                --state.
                """)
    }
}
