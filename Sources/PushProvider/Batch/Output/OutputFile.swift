#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What the system said when a file could not be written or read.
struct SystemError: Error, Equatable, CustomStringConvertible {
    var number: Int32

    static var last: SystemError { SystemError(number: errno) }

    /// There is no room left.
    var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }
    /// Nobody reads any more.
    var isClosedPipe: Bool { number == EPIPE }

    var description: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}

/// A file that is written at its end.
///
/// Each part goes to the place where the last whole one ended: what was written of one that failed is overwritten by the next.
final class OutputFile: Sendable {
    let path: String
    let descriptor: Int32

    /// Opens a file, which only its user may read, and makes it where there is none.
    init(_ path: String) throws(SystemError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 { throw .last }
        var facts = stat()
        // What is in its place and is no file must not be written to.
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(number: EINVAL)
        }
    }

    deinit {
        close(descriptor)
    }

    func size() throws(SystemError) -> Int {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .last }
        return Int(facts.st_size)
    }

    func truncate(to size: Int) throws(SystemError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last }
    }

    /// Writes all of it.
    func write(_ bytes: [UInt8], at place: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return pwrite(descriptor, base + done, buffer.count - done, off_t(place + done))
            }
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    /// Takes so much of the disk without writing it.
    func occupy(_ size: Int) throws(SystemError) {
        #if canImport(Darwin)
            try write([UInt8](repeating: 0, count: size), at: 0)
        #else
            let number = posix_fallocate(descriptor, 0, off_t(size))
            if number != 0 { throw SystemError(number: number) }
        #endif
    }

    /// Waits until the disk has it.
    func sync() throws(SystemError) {
        #if canImport(Darwin)
            guard fcntl(descriptor, F_FULLFSYNC) != -1 else { throw .last }
        #else
            guard fdatasync(descriptor) == 0 else { throw .last }
        #endif
    }

    /// Reads all of it.
    func contents() throws(SystemError) -> [UInt8] {
        let size = try size()
        var failed: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = 0
            while count < size {
                let read = pread(descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                if read == 0 { break }
                if read > 0 {
                    count += read
                } else if errno != EINTR {
                    failed = .last
                    break
                }
            }
        }
        if let failed { throw failed }
        return bytes
    }

    /// Lets others have it.
    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Keeps others out.
    ///
    /// - Returns: `false` when another process has it.
    func lock() -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
