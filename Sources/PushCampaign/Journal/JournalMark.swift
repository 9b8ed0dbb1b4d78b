/// A place in the input up to which lines may have gone out, and a digest of the lines since the mark before.
///
/// A campaign whose lines came one by one has a mark for each. When the journal is read, neighbours with equally many lines become one
/// mark, which has the digest of their digests: so a million of them need little memory, and the lines are still checked.
struct JournalMark: Equatable, Sendable {
    /// All lines before it may have gone out.
    private(set) var position: InputPosition
    private var digest: UInt64
    /// How many lines each of the marks had that it is made of.
    private var linesEach: Int
    /// How many lines it has itself.
    private var lines: Int

    /// How many lines one that is put together may have: they are all checked before the first of them goes out.
    private static let mostLines = 500

    init(position: InputPosition, digest: UInt64, lines: Int) {
        self.position = position
        self.digest = digest
        self.lines = lines
        linesEach = lines
    }

    /// Before the first line.
    static let start = JournalMark(position: InputPosition(), digest: 0, lines: 0)

    /// Takes in the mark behind it, when that has equally many lines.
    ///
    /// - Returns: Whether it did.
    mutating func take(_ next: InputPosition, _ nextDigest: UInt64, lines more: Int) -> Bool {
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

    /// Whether these are the lines between the mark before and this one.
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
