import NIOConcurrencyHelpers

/// What can be read once only: standard input, and pipes such as a shell makes of `<(...)`. What was read is kept, because payloads
/// and keys are looked at more than once.
enum OnceReadable {
    private static let kept = NIOLockedValueBox<[String: [UInt8]]>([:])

    /// Whether a path is one: `-`, a pipe, or a device.
    static func isOne(_ path: String) -> Bool { path == "-" || FileKind(path: path) == .stream }

    /// What is in it, no further than any payload or key goes.
    ///
    /// - Parameters:
    ///   - path: `-`, or a path.
    ///   - what: What is expected to come, for errors.
    /// - Returns: `nil` for a file, which can be read again.
    /// - Throws: ``CommandFailure`` when it cannot be read, and with 65 when nothing comes.
    static func contents(_ path: String, of what: String) throws -> [UInt8]? {
        guard isOne(path) else { return nil }
        if let known = kept.withLockedValue({ $0[path] }) { return known }
        let bytes = path == "-" ? try StandardInput.read(what) : try PayloadFile.read(path)
        guard !bytes.isEmpty else {
            throw CommandFailure(
                status: .invalidInput, message: "Nothing came from \"\(path)\": \(what) was expected there.")
        }
        kept.withLockedValue { $0[path] = bytes }
        return bytes
    }
}
