internal import PushPlatform

/// A file in the folder of a campaign. It is open as long as the folder is.
///
/// Each part is written at the end of the last complete part. So it overwrites the remains of a part that failed.
final class OutputFile: Sendable {
    let path: String
    let descriptor: Int32

    /// Opens a file, and creates it if it does not exist. Only its user may read it.
    init(_ path: String) throws(SystemError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 { throw .last }
        var facts = stat()
        // Never write to something that is not a regular file.
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

    /// Removes what is beyond a size. It never lengthens a file: that would hide that something is missing.
    func truncate(to size: Int) throws(SystemError) {
        if try self.size() < size { return }
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last }
    }

    /// Writes all bytes at an offset. Fails if the file ends before it, because a gap would stay there.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        guard try size() >= offset else { throw .truncated }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return pwrite(descriptor, base + done, buffer.count - done, off_t(offset + done))
            }
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    /// Reserves disk space without writing to it.
    func occupy(_ size: Int) throws(SystemError) {
        #if canImport(Darwin)
            try write([UInt8](repeating: 0, count: size), at: 0)
        #else
            let number = posix_fallocate(descriptor, 0, off_t(size))
            if number != 0 { throw SystemError(number: number) }
        #endif
    }

    /// Waits until the content is on the disk.
    func sync() throws(SystemError) {
        #if canImport(Darwin)
            guard fcntl(descriptor, F_FULLFSYNC) != -1 else { throw .last }
        #else
            guard fdatasync(descriptor) == 0 else { throw .last }
        #endif
    }

    /// Waits until the names in a folder are on the disk.
    static func syncFolder(_ path: String) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        // Some network file systems do not support this, and do not need it.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw .last }
    }

    /// Reads a part of the file; fewer bytes at its end.
    func contents(from offset: Int = 0, atMost maximum: Int = .max) throws(SystemError) -> [UInt8] {
        let size = min(maximum, max(0, try size() - offset))
        let (bytes, failure) = InputFile.bytes(of: descriptor, from: offset, atMost: size)
        if let failure { throw failure }
        return bytes
    }

    /// Returns the offset at which the last complete line before a limit ends.
    func endOfLastLine(before limit: Int) throws(SystemError) -> Int {
        var end = limit
        while end > 0 {
            let start = max(0, end - (64 << 10))
            let bytes = try contents(from: start, atMost: end - start)
            if let last = bytes.lastIndex(of: UInt8(ascii: "\n")) { return start + last + 1 }
            end = start
        }
        return 0
    }

    /// Whether the path still leads to this file: it was not deleted, moved, or replaced.
    var isInPlace: Bool {
        var (here, there) = (stat(), stat())
        guard fstat(descriptor, &here) == 0, lstat(path, &there) == 0 else { return false }
        return here.st_dev == there.st_dev && here.st_ino == there.st_ino
    }

    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Locks the file for this process.
    ///
    /// - Returns: `false` if another process has the lock.
    func lock() -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
