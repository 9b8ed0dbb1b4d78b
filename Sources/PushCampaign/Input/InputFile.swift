internal import NIOPosix
internal import PushPlatform

/// A file or standard input, read in pieces on a thread that may block.
final class InputFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// Whether reading may block for an unlimited time.
    let mayWait: Bool

    /// The maximum size of a piece, in bytes.
    private static let piece = 256 << 10

    /// Opens the file; `-` is standard input.
    init(_ path: String) throws(BatchInputError) {
        self.path = path
        // Opening a named pipe would block here until a writer opens it; reading waits for the writer instead.
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw BatchInputError(.noSuchFile, "It can't be opened: \(SystemError.last).")
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            throw BatchInputError(.unreadable, "It can't be read: \(SystemError.last).")
        }
        if facts.st_mode & S_IFMT == S_IFDIR {
            throw BatchInputError(.noSuchFile, "It is a folder, not a file.")
        }
        mayWait = facts.st_mode & S_IFMT != S_IFREG
        if path != "-" { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
    }

    /// Whether the path is a regular file, which can be read again from any offset. Opening other files may affect
    /// their writer.
    static func isRegular(_ path: String) -> Bool {
        var facts = stat()
        return path != "-" && stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the size of a file and a digest of its first bytes; `nil` when it is not a regular file or cannot be
    /// read.
    static func identity(of path: String) -> Identity? {
        isRegular(path) ? (try? InputFile(path))?.identity() : nil
    }

    /// Checks that the file exists and is not a folder.
    ///
    /// - Throws: ``BatchInputError``.
    static func require(_ path: String) throws(BatchInputError) {
        var facts = stat()
        if path == "-" { return }
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG, facts.st_mode & S_IFMT != S_IFDIR { return }
        _ = try InputFile(path)
    }

    deinit {
        close(descriptor)
    }

    /// Reads the next piece.
    ///
    /// - Parameters:
    ///   - deadline: When to stop waiting; `nil` to wait without a limit.
    ///   - isStopped: Whether to stop waiting.
    /// - Returns: The piece; empty at the end, `nil` after the deadline.
    /// - Throws: ``BatchInputError`` if the file cannot be read.
    func read(
        until deadline: ContinuousClock.Instant? = nil, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [UInt8]? {
        try await NIOThreadPool.singleton.runIfActive { [self] in
            while mayWait {
                var descriptorEvents = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if isStopped() { return nil }
                let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? SourceTimeout.interval
                let wait = min(max(left, .zero), SourceTimeout.interval)
                if poll(&descriptorEvents, 1, Int32(wait / .milliseconds(1))) > 0 { break }
                if left <= .zero { return nil }
            }
            return try nextPiece()
        }
    }

    private func nextPiece() throws -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, count in
            repeat {
                count = systemRead(descriptor, buffer.baseAddress, buffer.count)
                if count < 0 { failure = .last }
            } while count < 0 && failure?.number == EINTR
            if count >= 0 { failure = nil }
            count = max(0, count)
        }
        if let failure { throw BatchInputError(.unreadable, "It can't be read: \(failure).") }
        return bytes
    }

    /// Moves to an offset. Only a regular file can do this.
    func go(to offset: Int) -> Bool { lseek(descriptor, off_t(offset), SEEK_SET) >= 0 }

    var offset: Int { mayWait ? 0 : max(0, Int(lseek(descriptor, 0, SEEK_CUR))) }

    struct Identity: Equatable, Sendable {
        /// The size in bytes.
        var size: Int
        /// A digest of the first bytes.
        var head: UInt64
    }

    /// Returns the size of the file and a digest of its first bytes; `nil` when it is not a regular file.
    func identity() -> Identity? {
        guard !mayWait else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        return Identity(size: Int(facts.st_size), head: QuickDigest.of(beginning(64 << 10)))
    }

    /// Returns the first bytes of the file, at any reading offset.
    func beginning(_ maximum: Int) -> [UInt8] { Self.bytes(of: descriptor, from: 0, atMost: maximum).bytes }

    /// Reads a part of a file; less of it at the end of the file, or where it can't be read.
    static func bytes(
        of descriptor: Int32, from offset: Int, atMost maximum: Int
    ) -> (bytes: [UInt8], failure: SystemError?) {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            while count < maximum {
                let target = buffer.baseAddress.map { $0 + count }
                let read = pread(descriptor, target, maximum - count, off_t(offset + count))
                if read < 0, errno == EINTR { continue }
                if read < 0 { failure = .last }
                guard read > 0 else { return }
                count += read
            }
        }
        return (bytes, failure)
    }

    /// Checks that the file was not truncated, changed, or replaced since the campaign began.
    func requireUnchanged(since begun: Identity) throws(BatchInputError) {
        if let now = identity(), now != begun { throw Self.changed(from: begun, to: now) }
        var (open, named) = (stat(), stat())
        guard path != "-", fstat(descriptor, &open) == 0, stat(path, &named) == 0 else { return }
        guard open.st_dev == named.st_dev, open.st_ino == named.st_ino else { throw Self.replaced }
    }

    private static func changed(from begun: Identity, to now: Identity) -> BatchInputError {
        let change =
            begun.size == now.size
            ? "its first bytes are different now"
            : "it was \(begun.size) bytes when the campaign began, and is \(now.size) now"
        let added = now.size > begun.size ? " Put added lines into a separate file." : ""
        return BatchInputError(
            .changed,
            """
            It changed while it was read: \(change). The remaining lines weren't sent. Restore the file, then run \
            the campaign again: it continues and sends nothing twice.\(added)
            """)
    }

    private static let replaced = BatchInputError(
        .changed,
        """
        It was replaced by another file while it was read. The remaining lines weren't sent. Restore the first file, \
        then run the campaign again: it continues and sends nothing twice.
        """)
}

/// How long to wait for lines from a slow source.
enum SourceTimeout {
    /// The maximum time from the first line of a block to its end. After it, the block is sent with fewer lines. Marking
    /// lines together is cheaper, but no line should wait long for another.
    static let gathering = Duration.milliseconds(50)
    /// The time between two checks whether to keep waiting while no line arrives.
    static let interval = Duration.milliseconds(100)
}

struct SystemError: Error, Equatable, CustomStringConvertible {
    var number: Int32
    /// What is wrong, where the system has no words for it.
    var detail: String?

    static var last: SystemError { SystemError(number: errno) }
    /// The file or folder no longer exists at its path.
    static let absent = SystemError(number: ENOENT)
    /// The file is shorter than what was written to it. There is no errno for it.
    static let truncated = SystemError(number: -1, detail: "a file was truncated")
    /// The file has reached the maximum size that the system allows.
    static let tooLarge = SystemError(number: EFBIG)

    var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

    var description: String { detail ?? strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
