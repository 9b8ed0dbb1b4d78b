internal import PushPlatform

/// Cuts the bytes of a file, which arrive in pieces, into lines or CSV records. In CSV, a line end in quotation marks
/// does not end the record. Buffers at most one piece and one line, and skips lines that are too long.
struct LineCutter {
    /// The maximum number of bytes of a line. Longer lines are skipped, so that a line without an end does not fill the
    /// memory.
    static let longest = 64 << 10

    struct Cut: Equatable {
        /// The range in the buffer, without the line end; `nil` if the line was too long.
        var range: Range<Int>?
        var line: Int
    }

    private(set) var buffer: [UInt8] = []
    /// The byte offset of the next line in the file.
    private(set) var offset = 0
    private(set) var line = 1
    /// The character between fields in CSV; `nil` if quotation marks have no meaning.
    var delimiter: UInt8?

    private var start = 0
    private(set) var isEnded = false
    /// The number of the line that is being skipped.
    private var skipped: Int?

    /// Continues at a position from an earlier run.
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

    mutating func end() {
        isEnded = true
    }

    /// The bytes that are not cut yet.
    var rest: ArraySlice<UInt8> { buffer[start...] }

    /// Skips bytes that belong to no line.
    mutating func drop(_ count: Int) {
        start += count
        offset += count
    }

    /// Returns the next line; `nil` when more bytes are needed, or at the end.
    mutating func next() -> Cut? {
        if let first = skipped {
            guard skip() else { return nil }
            skipped = nil
            return Cut(range: nil, line: first)
        }
        guard let (end, lines) = lineEnd() else {
            if buffer.count - start > Self.longestWithReturn { return passOver() }
            guard isEnded, start < buffer.count else { return nil }
            // An unclosed quotation mark makes only its own line invalid.
            if isOpenAtEnd, let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                return cutLine(to: end, behind: end + 1, lines: 1)
            }
            let lines = buffer[start...].count { $0 == UInt8(ascii: "\n") }
            return cutLine(to: buffer.count, behind: buffer.count, lines: lines + 1)
        }
        // The result must be the same as if the line end had not arrived yet: how the bytes are split must not matter.
        return end - start > Self.longestWithReturn ? passOver() : cutLine(to: end, behind: end + 1, lines: lines)
    }

    /// Starts to skip a line that is too long, up to the first line end. This includes line ends in quotation marks,
    /// because the quotation marks may be unclosed.
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

    private mutating func cutLine(to end: Int, behind next: Int, lines: Int) -> Cut {
        let first = line
        let hasReturn = end > start && buffer[end - 1] == UInt8(ascii: "\r")
        let range = start..<(hasReturn ? end - 1 : end)
        offset += next - start
        start = next
        line += lines
        return Cut(range: range.count > Self.longest ? nil : range, line: first)
    }

    /// - Returns: Whether the line has ended.
    private mutating func skip() -> Bool {
        let end = newline
        let next = end.map { $0 + 1 } ?? buffer.count
        offset += next - start
        start = next
        if end != nil { line += 1 }
        return end != nil || isEnded
    }

    /// Returns the offset of the line end, and the number of lines up to it.
    private func lineEnd() -> (end: Int, lines: Int)? {
        guard let delimiter else { return newline.map { ($0, 1) } }
        return buffer.withUnsafeBytes { Self.recordEnd($0, from: start, delimiter) }
    }

    /// The offset of the next line feed.
    private var newline: Int? {
        buffer.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, start < bytes.count else { return nil }
            return memchr(base + start, 0x0A, bytes.count - start).map { base.distance(to: UnsafeRawPointer($0)) }
        }
    }

    /// A quotation mark opens a field only at the start of the field.
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
