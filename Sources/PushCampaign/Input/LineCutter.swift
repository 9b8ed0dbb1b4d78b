#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Cuts the bytes of a file, which come in pieces, into lines, and into records of CSV, where a line end in quotation marks
/// ends nothing. It holds no more than a piece and a line; what is longer than a line may be is passed over.
struct LineCutter {
    /// No line of a campaign comes near this; one without an end must not fill the memory.
    static let longest = 64 << 10

    struct Cut: Equatable {
        /// Where it stands, without its end; `nil` when it was too long to be held.
        var range: Range<Int>?
        /// The number of its first line, from 1.
        var line: Int
    }

    private(set) var buffer: [UInt8] = []
    /// Where in the file the next line begins.
    private(set) var offset = 0
    /// The number of the next line.
    private(set) var line = 1
    /// What separates fields, where quotation marks count.
    var delimiter: UInt8?

    private var start = 0
    private var isEnded = false
    /// The line that is passed over.
    private var skipped: Int?

    /// Begins behind what was read before.
    mutating func resume(offset: Int, line: Int) {
        self.offset = offset
        self.line = line
        buffer.removeAll(keepingCapacity: true)
        start = 0
        skipped = nil
        isEnded = false
    }

    mutating func feed(_ bytes: [UInt8]) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer += bytes
    }

    /// Nothing more will come.
    mutating func end() {
        isEnded = true
    }

    /// What is there and not cut yet.
    var rest: ArraySlice<UInt8> { buffer[start...] }

    /// Passes over some bytes that belong to no line.
    mutating func drop(_ count: Int) {
        start += count
        offset += count
    }

    /// The next line; `nil` when more is needed, or nothing is left.
    mutating func next() -> Cut? {
        if let first = skipped {
            guard skip() else { return nil }
            skipped = nil
            return Cut(range: nil, line: first)
        }
        guard let (end, lines) = lineEnd() else {
            if buffer.count - start > Self.longestWithReturn { return passOver() }
            guard isEnded, start < buffer.count else { return nil }
            // A quotation mark that is never closed spoils its own line, and none behind it.
            if isOpenAtEnd, let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                return take(to: end, behind: end + 1, lines: 1)
            }
            let lines = buffer[start...].count { $0 == UInt8(ascii: "\n") }
            return take(to: buffer.count, behind: buffer.count, lines: lines + 1)
        }
        // As where its end is not there yet: what becomes of it does not depend on the pieces in which it comes.
        return end - start > Self.longestWithReturn ? passOver() : take(to: end, behind: end + 1, lines: lines)
    }

    /// Begins to pass over a line that is too long, to the first line end: one in quotation marks, too, which may be unclosed.
    private mutating func passOver() -> Cut? {
        skipped = line
        return next()
    }

    private static let longestWithReturn = longest + 1

    private var isOpenAtEnd: Bool {
        guard let delimiter else { return false }
        let whole = Array(buffer[start...]) + [UInt8(ascii: "\n")]
        return whole.withUnsafeBytes { Self.recordEnd($0, from: 0, delimiter) } == nil
    }

    private mutating func take(to end: Int, behind next: Int, lines: Int) -> Cut {
        let first = line
        let hasReturn = end > start && buffer[end - 1] == UInt8(ascii: "\r")
        let range = start..<(hasReturn ? end - 1 : end)
        offset += next - start
        start = next
        line += lines
        return Cut(range: range.count > Self.longest ? nil : range, line: first)
    }

    /// - Returns: Whether the line is over.
    private mutating func skip() -> Bool {
        let end = buffer.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, start < bytes.count else { return nil }
            return memchr(base + start, 0x0A, bytes.count - start).map { base.distance(to: UnsafeRawPointer($0)) }
        }
        let next = end.map { $0 + 1 } ?? buffer.count
        offset += next - start
        start = next
        if end != nil { line += 1 }
        return end != nil || isEnded
    }

    /// Where the line end is, and how many lines there are up to it.
    private func lineEnd() -> (end: Int, lines: Int)? {
        buffer.withUnsafeBytes { bytes -> (end: Int, lines: Int)? in
            guard let base = bytes.baseAddress, start < bytes.count else { return nil }
            guard let delimiter else {
                guard let found = memchr(base + start, 0x0A, bytes.count - start) else { return nil }
                return (base.distance(to: UnsafeRawPointer(found)), 1)
            }
            return Self.recordEnd(bytes, from: start, delimiter)
        }
    }

    /// A quotation mark opens a field only at its beginning.
    private static func recordEnd(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ delimiter: UInt8
    ) -> (end: Int, lines: Int)? {
        var at = start
        var lines = 1
        var beginsField = true
        while at < bytes.count {
            let byte = bytes[at]
            if beginsField, byte == UInt8(ascii: "\"") {
                at += 1
                while true {
                    guard at < bytes.count else { return nil }
                    if bytes[at] == UInt8(ascii: "\"") {
                        guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "\"") else { break }
                        at += 1
                    } else if bytes[at] == UInt8(ascii: "\n") {
                        lines += 1
                    }
                    at += 1
                }
            } else if byte == UInt8(ascii: "\n") {
                return (at, lines)
            }
            beginsField = byte == delimiter
            at += 1
        }
        return nil
    }
}
