/// Cuts a stream of bytes into lines. A line that is too long is dropped while it arrives.
struct LineCutting {
    /// A line with its number, from 1.
    enum Line: Equatable {
        case text([UInt8], number: Int)
        case tooLong(number: Int)

        var number: Int {
            switch self {
            case .text(_, let number), .tooLong(let number): number
            }
        }

        /// The number of bytes that are kept of it.
        var byteCount: Int {
            switch self {
            case .text(let bytes, _): bytes.count
            case .tooLong: 0
            }
        }
    }

    private let most: Int
    private var rest: [UInt8] = []
    private var isDropping = false
    private var number = 0

    init(most: Int) {
        self.most = most
    }

    /// Appends bytes, and returns the lines that are complete.
    mutating func append(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        for piece in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            // Each piece but the first one comes after a line feed.
            if piece.offset > 0, let line = end() { lines.append(line) }
            guard !isDropping else { continue }
            rest += piece.element
            if rest.count > most {
                isDropping = true
                rest = []
            }
        }
        return lines
    }

    /// The last line if it has no line feed; `nil` if nothing is left.
    mutating func finish() -> Line? {
        rest.isEmpty && !isDropping ? nil : end()
    }

    private mutating func end() -> Line? {
        number += 1
        defer { (rest, isDropping) = ([], false) }
        if isDropping { return .tooLong(number: number) }
        if rest.last == 0x0D { rest.removeLast() }
        return rest.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : .text(rest, number: number)
    }
}
