import PushPlatform

/// Identifies a saved state of a file. Editors overwrite a file or replace it.
struct FileMark: Hashable, Sendable {
    private var seconds: Int
    private var nanoseconds: Int
    private var size: Int
    private var node: UInt64
    private var device: UInt64

    var isEmpty: Bool { size == 0 }

    /// Reads the state of a file; `nil` if it does not exist.
    init?(path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        let time = facts.modified
        (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
        (size, node, device) = (Int(facts.st_size), UInt64(facts.st_ino), UInt64(truncatingIfNeeded: facts.st_dev))
    }
}

/// Detects that a file was saved, by polling.
struct FileMonitor: Sendable {
    enum Change: Equatable {
        case nothing
        /// The file was saved, and the write is complete.
        case saved
        /// The file no longer exists. This is reported once.
        case vanished
        /// The file exists again, unchanged.
        case returned
    }

    /// The last reported state.
    private var known: FileMark?
    /// The state at the last poll.
    private var last: FileMark?
    private var isMissing = false

    init(known: FileMark?) {
        self.known = known
        last = known
    }

    /// Adds the state of a poll. A change counts when two polls agree on it, because in between an editor may have
    /// truncated or moved the file.
    mutating func observe(_ mark: FileMark?) -> Change {
        defer { last = mark }
        guard mark == last else { return .nothing }
        guard let mark else {
            defer { isMissing = true }
            return isMissing ? .nothing : .vanished
        }
        defer { (known, isMissing) = (mark, false) }
        if mark != known { return .saved }
        return isMissing ? .returned : .nothing
    }
}
