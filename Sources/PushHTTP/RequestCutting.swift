/// Finds where a request ends among the bytes that arrive, so that the decoder doesn't get the next one with it.
///
/// It reads only what tells the end: the empty line behind a head, the length of a body, and the sizes of chunks. All else is
/// the decoder's. The two can differ only about a broken request, which the decoder refuses.
struct RequestCutting: Equatable {
    enum Body: Equatable {
        case length(Int)
        case chunks
    }

    private enum Place: Equatable {
        /// Before a head, where the decoder skips line ends.
        case start
        /// In a head, or in the fields behind the last chunk. An empty line ends both.
        case lines(isEmpty: Bool)
        /// In a body with a length, with the number of bytes that are missing.
        case body(Int)
        /// In the size of a chunk.
        case size(Int)
        /// Behind the size of a chunk, in the same line.
        case sizeLine(Int)
        /// In a chunk, with the number of bytes that are missing.
        case chunk(Int)
        /// Between a chunk and the end of its line.
        case chunkEnd
    }

    /// The maximum number of lines of a head (the request line and 100 fields), and of trailers. Once it's read, a field takes many times its
    /// bytes.
    static let maximumLines = 101

    private var place = Place.start
    /// The lines so far of a head, or behind the last chunk.
    private var lines = 0

    /// Whether a head, or the end of a body, has more lines than a request may have.
    var hasTooManyLines: Bool { lines > Self.maximumLines }

    /// The decoder has read a head. `nil` is no body.
    mutating func headCame(_ body: Body?) {
        place =
            switch body {
            case .length(let count) where count > 0: .body(count)
            case .chunks: .size(0)
            case .length, nil: .start
            }
    }

    /// The decoder has read the end of a request.
    mutating func endCame() { place = .start }

    /// The number of the next bytes that end with a head or with a body; all of them if no end is among them.
    mutating func length(of bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index < bytes.count {
            switch place {
            case .body(let left):
                let count = min(left, bytes.count - index)
                place = count == left ? .start : .body(left - count)
                return index + count
            case .chunk(let left):
                let count = min(left, bytes.count - index)
                place = count == left ? .chunkEnd : .chunk(left - count)
                index += count
            case .start, .lines, .size, .sizeLine, .chunkEnd:
                index += 1
                if isEnd(bytes[index - 1]) { return index }
            }
        }
        return bytes.count
    }

    /// Goes on by one byte of a line. Returns whether a head or a body ends with it.
    private mutating func isEnd(_ byte: UInt8) -> Bool {
        let isLineEnd = byte == UInt8(ascii: "\n")
        let isText = !isLineEnd && byte != UInt8(ascii: "\r")
        switch place {
        case .start:
            if isText { place = .lines(isEmpty: false) }
        case .lines(let isEmpty):
            if isLineEnd, isEmpty {
                (place, lines) = (.start, 0)
                return true
            }
            if isLineEnd {
                place = .lines(isEmpty: true)
                lines += 1
                return hasTooManyLines
            }
            if isText { place = .lines(isEmpty: false) }
        case .size(let size):
            if isLineEnd {
                beginChunk(size)
            } else if let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
                place = .size(size > Int.max >> 4 ? .max : size << 4 | digit)
            } else {
                place = .sizeLine(size)
            }
        case .sizeLine(let size):
            if isLineEnd { beginChunk(size) }
        case .chunkEnd:
            if isLineEnd { place = .size(0) }
        case .body, .chunk: break
        }
        return false
    }

    private mutating func beginChunk(_ size: Int) {
        place = size > 0 ? .chunk(size) : .lines(isEmpty: true)
    }
}
