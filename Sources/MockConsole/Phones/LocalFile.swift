import PushPlatform

/// An ordinary file on this machine. Pipes and devices do not count.
package enum LocalFile {
    /// Reads the size and the first bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - count: The maximum number of bytes to read.
    /// - Returns: Both; `nil` if it is no ordinary file, or cannot be read.
    package static func read(_ path: String, atMost count: Int) -> (size: Int, bytes: [UInt8])? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Pipes and devices have no size.
        let size = Int(lseek(file, 0, SEEK_END))
        guard size >= 0, lseek(file, 0, SEEK_SET) == 0 else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < count {
            let wanted = min(count - bytes.count, 1 << 20)
            let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
                filled = max(0, systemRead(file, buffer.baseAddress, wanted))
            }
            guard !chunk.isEmpty else { break }
            bytes += chunk
        }
        guard bytes.count == min(size, count) else { return nil }
        return (size, bytes)
    }
}
