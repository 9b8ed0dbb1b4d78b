internal import NIOConcurrencyHelpers

/// A list that the user may move away at any time: `gone`, `again.jsonl`, or `unknown.jsonl`.
///
/// The size in the journal applies to the file at that time. If the file was moved away, even during a run, a new one
/// is created, and new lines begin at its real end.
final class ListFile: Sendable {
    let path: String
    private let current: NIOLockedValueBox<OutputFile>

    init(_ path: String) throws(SystemError) {
        self.path = path
        current = NIOLockedValueBox(try OutputFile(path))
    }

    private var file: OutputFile { current.withLockedValue { $0 } }

    func size() throws(SystemError) -> Int { try file.size() }

    func truncate(to size: Int) throws(SystemError) {
        try file.truncate(to: size)
    }

    /// Finds the offset for the next line, and truncates the file there. This removes an incomplete line, or lines
    /// whose outcomes the journal does not have.
    ///
    /// - Parameter known: The size according to the journal.
    /// - Returns: The new size.
    /// - Throws: ``SystemError``.
    func cut(to known: Int) throws(SystemError) -> Int {
        let found = try file.size()
        // If no line ends at the known size, it is another file.
        let knownEnd = try file.endOfLastLine(before: min(known, found))
        let end = knownEnd == known ? known : try file.endOfLastLine(before: found)
        if end < found { try file.truncate(to: end) }
        return end
    }

    /// Opens the file again if its path now leads to another file or to none.
    ///
    /// - Parameter known: The size up to which it was written.
    /// - Returns: The offset for the next line; less than the known size if the file was moved away.
    /// - Throws: ``SystemError``.
    func reopenIfMoved(_ known: Int) throws(SystemError) -> Int {
        if !file.isInPlace {
            let new = try OutputFile(path)
            current.withLockedValue { $0 = new }
            return try cut(to: new.size())
        }
        return try file.size() < known ? cut(to: known) : known
    }

    /// Writes complete lines. If writing fails, nothing of them remains.
    func write(_ lines: [UInt8], at offset: Int) throws(SystemError) {
        if lines.isEmpty { return }
        let file = file
        do throws(SystemError) {
            try file.write(lines, at: offset)
        } catch {
            try? file.truncate(to: offset)
            throw error
        }
    }

    func sync() throws(SystemError) {
        try file.sync()
    }
}
