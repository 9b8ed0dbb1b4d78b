import PushPlatform

/// Reads standard input to its end, up to a limit that no payload exceeds.
enum StandardInput {
    /// The limit in bytes. Of longer input, slightly more than this is read.
    static let mostBytes = 1 << 20

    /// Reads to the end, but at most ``mostBytes`` and one piece.
    ///
    /// - Parameter what: The expected content, for the error if the input is empty.
    /// - Returns: The bytes.
    /// - Throws: ``CommandFailure`` with 65 if the input is empty.
    static func read(_ what: String = "a payload") throws -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= mostBytes {
            let count = systemRead(STDIN_FILENO, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes.append(contentsOf: part[..<count])
        }
        guard !bytes.isEmpty else {
            throw CommandFailure(
                status: .invalidInput, message: "There is nothing on standard input: pipe \(what) into it.")
        }
        return bytes
    }
}
