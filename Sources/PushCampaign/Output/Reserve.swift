internal import PushPlatform

/// Reserved disk space for the outcomes of lines in flight, in case the disk becomes full.
///
/// On a small disk it uses half of the free space, and fewer lines are in flight. If there is no space even for a few
/// lines, the campaign does not begin.
struct Reserve: Sendable {
    private let file: OutputFile

    /// The maximum size in bytes that one line needs: a result, a line in a list, and a few bytes in the journal.
    static let bytesPerLine = 800
    /// The minimum reserved space in bytes. With less, a campaign does not begin.
    static let least = 128 << 10

    init(_ path: String) throws(SystemError) {
        file = try OutputFile(path)
    }

    /// Reserves space for some lines, or as much as there is.
    ///
    /// - Returns: The number of lines for which there is space.
    /// - Throws: ``SystemError`` if there is almost no space.
    func reserve(lines: Int) throws(SystemError) -> Int {
        // Free the space that an earlier run has reserved.
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
                // Not every file system can reserve space.
                guard error.isFull else { return lines }
                guard size / 2 >= Self.least else { throw error }
                size /= 2
            }
        }
    }

    /// Frees the space.
    ///
    /// - Returns: Whether any was reserved.
    func giveUp() -> Bool {
        guard let size = try? file.size(), size > 0 else { return false }
        return (try? file.truncate(to: 0)) != nil
    }
}

/// The maximum file size for this process (`ulimit -f`), and the free disk space.
enum FileSizeLimit {
    /// The maximum size of a file in bytes.
    static var bytes: Int { SystemLimit.fileSize.current ?? .max }

    /// The free space in bytes on the disk of a file; `nil` if unknown.
    static func free(for descriptor: Int32) -> Int? {
        var facts = statvfs()
        guard fstatvfs(descriptor, &facts) == 0 else { return nil }
        let (bytes, overflow) = Int(facts.f_bavail).multipliedReportingOverflow(by: Int(facts.f_frsize))
        return overflow ? .max : bytes
    }
}
