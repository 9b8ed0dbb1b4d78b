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
/// It owns the descriptor of a locked file. The system releases the lock when the process ends, however it ends.
final class StateFolderHold: Sendable {
    private let file: Int32

    /// Makes the folder if need be, and takes the hold.
    ///
    /// - Throws: ``CommandFailure`` when another mock has it, or the folder cannot be written.
    init(_ folder: String) throws(CommandFailure) {
        let path = "\(folder)/.running.lock"
        // With --certs nothing else has made the folder.
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(stateFolder: folder) }
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let isHeld = errno == EWOULDBLOCK
            close(file)
            throw isHeld ? .running(on: folder) : .unwritable(stateFolder: folder)
        }
        self.file = file
    }

    deinit {
        close(file)
    }
}

extension CommandFailure {
    static func unwritable(stateFolder folder: String) -> CommandFailure {
        CommandFailure(
            status: .cannotCreate,
            message: "The state folder \(folder) cannot be written: name another one with --state.")
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
