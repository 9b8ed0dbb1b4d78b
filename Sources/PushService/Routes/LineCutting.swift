/// Cuts a stream of bytes into lines. A line that is too long is dropped while it arrives.
struct LineCutting {
    /// A line with its number, from 1.
    struct Line: Equatable {
        let number: Int
        /// Its bytes; `nil` if it is too long.
        let bytes: [UInt8]?
    }

    private let maximum: Int
    /// What has arrived and isn't cut yet.
    private var waiting: ArraySlice<UInt8> = []
    /// The beginning of a line that isn't complete.
    private var rest: [UInt8] = []
    private var isDropping = false
    private var number = 0

    init(maximum: Int) {
        self.maximum = maximum
    }

    mutating func append(_ bytes: some Collection<UInt8>) { waiting += bytes }

    var hasCompleteLine: Bool { waiting.contains(0x0A) }

    /// The next lines that are complete; `nil` when more bytes are needed. What isn't returned yet stays bytes: a line needs much
    /// more memory than its bytes.
    mutating func next(atMost count: Int) -> [Line]? {
        var lines: [Line] = []
        while lines.count < count {
            guard let lineFeed = waiting.firstIndex(of: 0x0A) else {
                keep(waiting)
                waiting = []
                break
            }
            keep(waiting[..<lineFeed])
            waiting = waiting[(lineFeed + 1)...]
            if let line = end() { lines.append(line) }
        }
        return lines.isEmpty ? nil : lines
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        guard !isDropping else { return }
        rest += bytes
        guard rest.count > maximum else { return }
        (rest, isDropping) = ([], true)
    }

    /// The last line if it has no line feed; `nil` if nothing is left. All others have been returned.
    mutating func finish() -> Line? {
        rest.isEmpty && !isDropping ? nil : end()
    }

    private mutating func end() -> Line? {
        number += 1
        defer { (rest, isDropping) = ([], false) }
        if isDropping { return Line(number: number, bytes: nil) }
        if rest.last == 0x0D { rest.removeLast() }
        return rest.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : Line(number: number, bytes: rest)
    }
}
