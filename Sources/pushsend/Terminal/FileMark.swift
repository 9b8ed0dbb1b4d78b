#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What tells one saved state of a file from the next: editors write into it, or put another one in its place.
struct FileMark: Hashable, Sendable {
    private var seconds: Int
    private var nanoseconds: Int
    private var size: Int
    private var node: UInt64
    private var device: UInt64

    var isEmpty: Bool { size == 0 }

    /// `nil` where there is no file.
    init?(path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        #if canImport(Darwin)
            let time = facts.st_mtimespec
        #else
            let time = facts.st_mtim
        #endif
        (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
        (size, node, device) = (Int(facts.st_size), UInt64(facts.st_ino), UInt64(truncatingIfNeeded: facts.st_dev))
    }
}

/// Notices when a file was saved, by looking at it again and again.
struct FileLookout: Sendable {
    enum Sight: Equatable {
        /// As before.
        case nothing
        /// It was saved, and is no longer being written to.
        case saved
        /// It is gone, which is told once.
        case vanished
        /// It is there again as it was.
        case returned
    }

    /// The state that was told last.
    private var known: FileMark?
    /// What the last look saw.
    private var last: FileMark?
    private var isMissing = false

    init(known: FileMark?) {
        self.known = known
        last = known
    }

    /// Takes what a look has seen. A change counts when two looks agree on it: between them an editor may have
    /// emptied the file, or put it aside.
    mutating func see(_ mark: FileMark?) -> Sight {
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
