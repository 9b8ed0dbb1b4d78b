/// The position in the input where a line begins.
struct InputPosition: Equatable, Sendable {
    /// How many lines are before it, in all files.
    var index = 0
    /// The index of the file, from 0.
    var file = 0
    /// Its offset in the file, in bytes.
    var offset = 0
    var line = 1
}

/// The outcome of a line, as the journal stores it. The raw values are part of the format.
enum JournalEnd: UInt8, Sendable, CaseIterable {
    case accepted = 0
    case rejected = 1
    case notSent = 2
    case unknown = 3
    case invalid = 4
    case duplicate = 5
    /// The line was not sent and has no outcome. Another run sends it.
    case released = 6
    /// A later line that replaces it on its device was started. Folders of 0.9.0 and earlier have none. The last value
    /// that fits into three bits.
    case superseded = 7
    /// The line has a collapse id, was started and was not accepted. Another run sends it again, but none of the older lines that it replaces.
    case returned = 8
}

/// The sizes of the result files in bytes when a block was written.
struct OutputSizes: Equatable, Sendable {
    var results = 0
    var gone = 0
    var again = 0
    var unknown = 0
}

/// One entry in the journal of a campaign.
///
/// A block is a length (4 bytes, little-endian), a checksum (4 bytes), and a body of that length. The first byte of the
/// body is the kind. Integers have a variable length with 7 bits per byte.
enum JournalBlock: Equatable, Sendable {
    /// The first block: the facts of the campaign, as JSON.
    case campaign([UInt8])
    /// All lines before this position may have been sent. The digest is of the lines since the previous mark.
    case mark(InputPosition, digest: UInt64)
    /// Lines that had been released may have been sent.
    case intent([Int])
    /// Lines have their outcomes. These are in the result files up to these sizes. If one of them is
    /// ``JournalEnd/returned``, the block has another kind, which versions that do not know that end refuse.
    case outcomes([Outcome], OutputSizes)
    case end(lines: Int)

    struct Outcome: Equatable, Sendable {
        var index: Int
        var end: JournalEnd
    }

    /// The length of the head in bytes: the length of the body, and its checksum.
    private static let headLength = 8
    /// The maximum length of a body in bytes. A larger value means that the journal is damaged there.
    private static let longest = 1 << 26

    /// Whether a block can begin with these bytes, as far as the first bytes show.
    static func mayBegin(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4 else { return true }
        let length = bytes[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        return length <= longest
    }

    // MARK: Writing

    func write(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += repeatElement(0, count: Self.headLength)
        switch self {
        case .campaign(let json):
            bytes.append(UInt8(ascii: "C"))
            bytes += json
        case .mark(let position, let digest):
            bytes.append(UInt8(ascii: "M"))
            for number in [position.index, position.file, position.offset, position.line] {
                Self.write(UInt64(number), to: &bytes)
            }
            Self.writeFixed(digest, to: &bytes)
        case .intent(let indices):
            bytes.append(UInt8(ascii: "I"))
            Self.write(UInt64(indices.count), to: &bytes)
            var last = 0
            for index in indices {
                Self.write(Self.zigzag(index - last), to: &bytes)
                last = index
            }
        case .outcomes(let outcomes, let sizes):
            let width: UInt64 = outcomes.contains { $0.end == .returned } ? 4 : 3
            bytes.append(width == 3 ? UInt8(ascii: "O") : UInt8(ascii: "P"))
            for number in [sizes.results, sizes.gone, sizes.again, sizes.unknown, outcomes.count] {
                Self.write(UInt64(number), to: &bytes)
            }
            var last = 0
            for outcome in outcomes {
                Self.write(Self.zigzag(outcome.index - last) << width | UInt64(outcome.end.rawValue), to: &bytes)
                last = outcome.index
            }
        case .end(let lines):
            bytes.append(UInt8(ascii: "E"))
            Self.write(UInt64(lines), to: &bytes)
        }
        let length = bytes.count - start - Self.headLength
        let checksum = Self.checksum(bytes[(start + Self.headLength)...])
        for index in 0..<4 {
            bytes[start + index] = UInt8(truncatingIfNeeded: length >> (8 * index))
            bytes[start + 4 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
        }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
        var digest = QuickDigest()
        bytes.withUnsafeBytes { digest.add($0) }
        return Int(digest.value & 0xFFFF_FFFF)
    }

    private static func write(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func writeFixed(_ number: UInt64, to bytes: inout [UInt8]) {
        for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }

    private static func zigzag(_ number: Int) -> UInt64 { UInt64(bitPattern: Int64(number << 1 ^ number >> 63)) }
    private static func unzigzag(_ number: UInt64) -> Int { Int(bitPattern: UInt(number >> 1)) ^ -Int(number & 1) }

    // MARK: Reading

    enum ReadResult: Equatable {
        case block(JournalBlock, length: Int)
        /// The block continues after the last byte, or was not written completely.
        case incomplete
        /// A journal never wrote these bytes.
        case damaged
    }

    static func read(_ bytes: ArraySlice<UInt8>) -> ReadResult {
        guard bytes.count >= headLength else { return .incomplete }
        let start = bytes.startIndex
        var length = 0
        var checksum = 0
        for index in 0..<4 {
            length |= Int(bytes[start + index]) << (8 * index)
            checksum |= Int(bytes[start + 4 + index]) << (8 * index)
        }
        guard length > 0, length <= longest else { return .damaged }
        let from = start + headLength
        guard bytes.endIndex - from >= length else { return .incomplete }
        let body = bytes[from..<from + length]
        guard Self.checksum(body) == checksum, let block = decode(body) else { return .damaged }
        return .block(block, length: headLength + length)
    }

    private static func decode(_ body: ArraySlice<UInt8>) -> JournalBlock? {
        var reader = Reader(rest: body.dropFirst())
        switch body.first {
        case UInt8(ascii: "C"): return .campaign(Array(body.dropFirst()))
        case UInt8(ascii: "M"):
            guard let index = reader.number(), let file = reader.number(), let offset = reader.number(),
                let line = reader.number(), let digest = reader.fixed()
            else { return nil }
            return .mark(InputPosition(index: index, file: file, offset: offset, line: line), digest: digest)
        case UInt8(ascii: "I"):
            guard let count = reader.number(), count <= body.count else { return nil }
            var indices: [Int] = []
            var last = 0
            for _ in 0..<count {
                guard let bits = reader.bits() else { return nil }
                last &+= unzigzag(bits)
                indices.append(last)
            }
            return .intent(indices)
        case UInt8(ascii: "O"), UInt8(ascii: "P"):
            let width: UInt64 = body.first == UInt8(ascii: "O") ? 3 : 4
            guard let results = reader.number(), let gone = reader.number(), let again = reader.number(),
                let unknown = reader.number(), let count = reader.number(), count <= body.count
            else { return nil }
            var outcomes: [Outcome] = []
            outcomes.reserveCapacity(count)
            var last = 0
            for _ in 0..<count {
                guard let bits = reader.bits(), let end = JournalEnd(rawValue: UInt8(bits & (1 << width - 1))) else {
                    return nil
                }
                last &+= unzigzag(bits >> width)
                outcomes.append(Outcome(index: last, end: end))
            }
            return .outcomes(
                outcomes, OutputSizes(results: results, gone: gone, again: again, unknown: unknown))
        case UInt8(ascii: "E"): return reader.number().map { .end(lines: $0) }
        default: return nil
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func bits() -> UInt64? {
            var number: UInt64 = 0
            var shift: UInt64 = 0
            while let byte = rest.popFirst(), shift < 64 {
                number |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return number }
                shift += 7
            }
            return nil
        }

        mutating func number() -> Int? { bits().flatMap { Int(exactly: $0) } }

        mutating func fixed() -> UInt64? {
            guard rest.count >= 8 else { return nil }
            var number: UInt64 = 0
            for index in 0..<8 {
                guard let byte = rest.popFirst() else { return nil }
                number |= UInt64(byte) << (8 * UInt64(index))
            }
            return number
        }
    }
}

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
    private var lines: Int

    /// The maximum number of lines of a merged mark. All of them are checked before the first is sent.
    private static let maximumLines = 500

    init(position: InputPosition, digest: UInt64, lines: Int) {
        self.position = position
        self.digest = digest
        self.lines = lines
        linesEach = lines
    }

    static let start = JournalMark(position: InputPosition(), digest: 0, lines: 0)

    /// Merges the next mark into this one, if it has the same number of lines.
    ///
    /// - Returns: Whether it was merged.
    mutating func merge(_ next: InputPosition, _ nextDigest: UInt64, lines more: Int) -> Bool {
        guard more > 0, more == linesEach, lines + more <= Self.maximumLines else { return false }
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

/// A 64-bit digest of bytes. It detects accidental changes, not deliberate ones.
struct QuickDigest: Hashable, Sendable {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds bytes and their number. Two pieces give another digest than the same bytes in one piece.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            at += 8
        }
        var tail: UInt64 = 0
        while at < bytes.count {
            tail = tail << 8 | UInt64(bytes[at])
            at += 1
        }
        add(tail)
        add(UInt64(bytes.count))
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    mutating func add(_ word: UInt64) {
        let mixed = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = mixed.high ^ mixed.low ^ 0xA076_1D64_78BD_642F
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var digest = QuickDigest()
        digest.add(Array(bytes))
        return digest.value
    }
}
