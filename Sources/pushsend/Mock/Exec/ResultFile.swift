import PushPlatform

/// A file that a command writes and a person has named. It is written in place: a device or a pipe is not replaced.
final class ResultFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private let flag: String

    /// Creates the file, or empties it.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - flag: The flag that names it, for errors.
    /// - Throws: ``CommandFailure`` if it cannot be created.
    init(_ path: String, of flag: String) throws {
        descriptor = SavedFile.open(path, O_WRONLY | O_TRUNC, 0o666)
        self.path = path
        self.flag = flag
        guard descriptor >= 0 else {
            throw CommandFailure(
                status: .cannotCreate,
                message: "The file \"\(path)\" of \(flag) cannot be created (\(SavedFile.reason(errno, path))).")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandFailure`` if not all of them can be written.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw CommandFailure(
                    status: .cannotWrite,
                    message: "The file \"\(path)\" of \(flag) cannot be written (\(String(cString: strerror(errno)))).")
            }
            rest = rest.dropFirst(count)
        }
    }
}
