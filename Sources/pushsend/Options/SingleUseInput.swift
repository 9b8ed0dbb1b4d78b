import NIOConcurrencyHelpers

/// Sources that can be read only once: standard input, and pipes such as `<(...)` in a shell. The content is kept,
/// because payloads and keys are read more than once.
enum SingleUseInput {
    private static let kept = NIOLockedValueBox<[String: [UInt8]]>([:])

    /// Whether a path is such a source: `-`, a pipe, or a device.
    static func isOne(_ path: String) -> Bool { path == "-" || FileKind(path: path) == .stream }

    /// Returns the content, up to a limit that no payload or key exceeds.
    ///
    /// - Parameters:
    ///   - path: `-`, or a path.
    ///   - what: The expected content, for errors.
    /// - Returns: The content; `nil` for a regular file, which can be read again.
    /// - Throws: ``CommandFailure`` if it cannot be read, and with 65 if it is empty.
    static func contents(_ path: String, of what: String) throws -> [UInt8]? {
        guard isOne(path) else { return nil }
        if let known = kept.withLockedValue({ $0[path] }) { return known }
        let bytes = path == "-" ? try StandardInput.read(what) : try PayloadFile.read(path)
        guard !bytes.isEmpty else {
            throw CommandFailure(
                status: .invalidInput, message: "\"\(path)\" is empty, but \(what) was expected.")
        }
        kept.withLockedValue { $0[path] = bytes }
        return bytes
    }
}
