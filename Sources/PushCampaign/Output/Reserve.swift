/// Room on the disk that is kept free for the outcomes of what is in flight when the disk becomes full.
///
/// On a small disk it takes half of what is free, and fewer lines are in flight. Where not even a few lines would find room, the
/// campaign does not begin.
struct Reserve: Sendable {
    private let file: OutputFile

    /// What one line may need: a result, its line in a list, and a few bytes in the journal.
    static let bytesPerLine = 800
    /// With less room than this a campaign does not begin.
    static let least = 128 << 10

    init(_ path: String) throws(SystemError) {
        file = try OutputFile(path)
    }

    /// Takes room for some lines, or as much as there is.
    ///
    /// - Returns: For how many lines there is room.
    /// - Throws: ``SystemError`` when there is next to none.
    func take(lines: Int) throws(SystemError) -> Int {
        // What an earlier run has left is free again.
        try file.truncate(to: 0)
        let (wanted, overflow) = lines.multipliedReportingOverflow(by: Self.bytesPerLine)
        let free = FileSizeLimit.free(for: file.descriptor) ?? .max
        var size = min(overflow ? .max : wanted, free / 2, FileSizeLimit.bytes / 4)
        size = max(size, min(wanted, Self.least))
        while true {
            do throws(SystemError) {
                try file.occupy(size)
                return size / Self.bytesPerLine
            } catch {
                try file.truncate(to: 0)
                // Not every file system can promise room.
                guard error.isFull else { return lines }
                guard size / 2 >= Self.least else { throw error }
                size /= 2
            }
        }
    }

    /// Makes the room free.
    ///
    /// - Returns: Whether there was any.
    func giveUp() -> Bool {
        guard let size = try? file.size(), size > 0 else { return false }
        return (try? file.truncate(to: 0)) != nil
    }
}
