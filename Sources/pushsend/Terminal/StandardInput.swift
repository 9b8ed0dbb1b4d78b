import PushPlatform

/// Reads standard input to its end, up to a limit that no payload exceeds.
enum StandardInput {
    /// The limit in bytes. Of longer input, only one byte more than this is read.
    static let mostBytes = 1 << 20

    /// Reads to the end, but at most ``mostBytes`` and one byte more.
    ///
    /// - Parameter what: The expected content, for the error if the input is empty.
    /// - Returns: The bytes.
    /// - Throws: ``CommandFailure`` with 65 if the input is empty.
    static func read(_ what: String = "a payload") throws -> [UInt8] {
        let bytes = (try? SmallFile.read(STDIN_FILENO, mostBytes + 1)) ?? []
        guard !bytes.isEmpty else {
            throw CommandFailure(
                status: .invalidInput, message: "There is nothing on standard input: pipe \(what) into it.")
        }
        return bytes
    }
}
