/// A position in the input up to which lines may have been sent, and a digest of the lines since the previous mark.
///
/// A campaign whose lines arrived one by one has one mark for each. When the journal is read, neighbouring marks with
/// the same number of lines are merged into one, with the digest of their digests. So a million marks need little
/// memory, and the lines are still checked.
struct JournalMark: Equatable, Sendable {
    /// All lines before this position may have been sent.
    private(set) var position: InputPosition
    private var digest: UInt64
    /// The number of lines of each of the merged marks.
    private var linesEach: Int
    /// The number of lines of this mark.
    private var lines: Int

    /// The maximum number of lines of a merged mark. All of them are checked before the first is sent.
    private static let mostLines = 500

    init(position: InputPosition, digest: UInt64, lines: Int) {
        self.position = position
        self.digest = digest
        self.lines = lines
        linesEach = lines
    }

    /// The mark before the first line.
    static let start = JournalMark(position: InputPosition(), digest: 0, lines: 0)

    /// Merges the next mark into this one, if it has the same number of lines.
    ///
    /// - Returns: Whether it was merged.
    mutating func merge(_ next: InputPosition, _ nextDigest: UInt64, lines more: Int) -> Bool {
        guard more > 0, more == linesEach, lines + more <= Self.mostLines else { return false }
        var both = lines == linesEach ? Self.digest(of: digest) : QuickDigest(value: digest)
        both.add(nextDigest)
        digest = both.value
        position = next
        lines += more
        return true
    }

    private static func digest(of first: UInt64) -> QuickDigest {
        var digest = QuickDigest()
        digest.add(first)
        return digest
    }

    /// Whether these are the lines between the previous mark and this one.
    func fits(_ rows: [[UInt8]]) -> Bool {
        guard rows.count == lines else { return false }
        guard lines > linesEach else { return Self.digest(rows[...]) == digest }
        var all = QuickDigest()
        for start in stride(from: 0, to: lines, by: linesEach) {
            all.add(Self.digest(rows[start..<start + linesEach]))
        }
        return all.value == digest
    }

    private static func digest(_ rows: ArraySlice<[UInt8]>) -> UInt64 {
        var digest = QuickDigest()
        for row in rows { digest.add(row) }
        return digest.value
    }
}
