internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file or standard input, read in pieces on a thread that may wait.
final class InputFile: Sendable {
    private let descriptor: Int32
    /// Reading it may take as long as somebody likes.
    let mayWait: Bool

    private static let piece = 256 << 10

    /// Opens it; `-` is standard input.
    init(_ path: String) throws(BatchInputError) {
        // A pipe with a name would be waited for here; whether anybody writes is waited for where it is read.
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw BatchInputError(code: .noSuchFile, description: "It cannot be opened: \(SystemError.last).")
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            throw BatchInputError(code: .unreadable, description: "It cannot be read: \(SystemError.last).")
        }
        if facts.st_mode & S_IFMT == S_IFDIR {
            throw BatchInputError(code: .unreadable, description: "It is a folder.")
        }
        mayWait = facts.st_mode & S_IFMT != S_IFREG
        if path != "-" { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
    }

    /// Whether it is a file that can be read again, and from anywhere. Opening what is none may do something to who writes it.
    static func isRegular(_ path: String) -> Bool {
        var facts = stat()
        return path != "-" && stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    /// The size of a file, and a digest of how it begins; `nil` for what is no file or cannot be read.
    static func identity(of path: String) -> (size: Int, head: UInt64)? {
        isRegular(path) ? (try? InputFile(path))?.identity() : nil
    }

    /// It is there, and no folder.
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

    /// The next piece; empty at the end, `nil` when it is not to be waited for any more.
    func read(unless isStopped: @escaping @Sendable () -> Bool) async throws -> [UInt8]? {
        try await NIOThreadPool.singleton.runIfActive { [self] in
            while mayWait {
                var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if isStopped() { return nil }
                if poll(&place, 1, 100) > 0 { break }
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
        if let failure { throw BatchInputError(code: .unreadable, description: "It cannot be read: \(failure).") }
        return bytes
    }

    /// Goes to a place; only a file can.
    func go(to offset: Int) -> Bool { lseek(descriptor, off_t(offset), SEEK_SET) >= 0 }

    /// Its size, and the bytes that it begins with, by which it is known again; `nil` for what is no file.
    func identity() -> (size: Int, head: UInt64)? {
        guard !mayWait else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        var head = [UInt8](repeating: 0, count: 64 << 10)
        let count = pread(descriptor, &head, head.count, 0)
        return (Int(facts.st_size), QuickDigest.of(head.prefix(max(0, count))))
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    #if canImport(Glibc)
        Glibc.read(descriptor, bytes, count)
    #elseif canImport(Musl)
        Musl.read(descriptor, bytes, count)
    #else
        Darwin.read(descriptor, bytes, count)
    #endif
}
