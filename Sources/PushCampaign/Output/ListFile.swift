internal import NIOConcurrencyHelpers

/// A list that the user takes away when it suits them: `gone`, `again.jsonl` or `unknown.jsonl`.
///
/// What the journal knows of its size holds for the file that was there then. A file that was taken away, also during a run, is made
/// anew, and new lines begin at its true end.
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

    /// Finds where the next line belongs, and cuts off what is behind it: a torn line, or lines whose outcomes the journal does
    /// not know.
    ///
    /// - Parameter known: Its size according to the journal.
    /// - Returns: Its size now.
    /// - Throws: ``SystemError``.
    func cut(to known: Int) throws(SystemError) -> Int {
        let found = try file.size()
        // Where no line ends at the known size, it is another file.
        let knownEnd = try file.endOfLastLine(before: min(known, found))
        let end = knownEnd == known ? known : try file.endOfLastLine(before: found)
        if end < found { try file.truncate(to: end) }
        return end
    }

    /// Opens it again where its path leads to another file or to none by now.
    ///
    /// - Parameter known: The size up to which it was written.
    /// - Returns: Where the next line belongs; less than the known size when it was taken away.
    /// - Throws: ``SystemError``.
    func look(_ known: Int) throws(SystemError) -> Int {
        if !file.isInPlace {
            let new = try OutputFile(path)
            current.withLockedValue { $0 = new }
            return try cut(to: new.size())
        }
        return try file.size() < known ? cut(to: known) : known
    }

    /// Writes whole lines; when that fails, nothing of them stays.
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
