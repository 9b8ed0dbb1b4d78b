#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard input, read whole and no further than any payload goes.
enum StandardInput {
    /// Of what is longer there are more than so many bytes, and not all.
    static let mostBytes = 1 << 20

    /// Reads it to its end, but no more than ``mostBytes`` and a piece.
    ///
    /// - Parameter what: What is expected there, for the error when nothing comes.
    /// - Returns: What came.
    /// - Throws: ``CommandFailure`` with 65 when nothing comes.
    static func read(_ what: String = "a payload") throws -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= mostBytes {
            let count = systemRead(&part)
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

    private static func systemRead(_ part: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            Glibc.read(STDIN_FILENO, &part, part.count)
        #elseif canImport(Musl)
            Musl.read(STDIN_FILENO, &part, part.count)
        #else
            Darwin.read(STDIN_FILENO, &part, part.count)
        #endif
    }
}
