/// The state of a campaign, computed from the blocks of its journal. A pure value.
struct JournalReplay: Equatable, Sendable {
    typealias Mark = JournalMark

    /// The facts of the campaign; `nil` in an empty journal.
    private(set) var campaign: [UInt8]?
    /// The marks in the order of the lines. Small ones are merged.
    private(set) var marks: [Mark] = []
    private(set) var states = LineStates()
    /// Lines that are marked but were not sent.
    private(set) var released = LineSet()
    /// Lines with a collapse id that were started and not accepted, whatever came later.
    private(set) var started = LineSet()
    /// Lines that have their outcomes and certainly were not sent.
    private(set) var unsent = LineSet()
    /// Lines that could not be sent.
    private(set) var invalid = LineSet()
    /// The sizes of the result files after the last outcomes that count.
    private(set) var sizes = OutputSizes()
    /// Whether the last outcomes do not count, because the process ended before their results were written.
    private(set) var isTorn = false
    /// The last outcomes, until it is known whether they count.
    private var pending: Pending?
    private(set) var counts: [JournalEnd: Int] = [:]
    /// The number of lines in the input, once it is known.
    private(set) var lines: Int?
    /// How many bytes of the journal are complete blocks.
    private(set) var length = 0
    /// Whether a complete block says what no campaign writes, so that the journal is not what a campaign left.
    private(set) var isImpossible = false

    private struct Pending: Equatable, Sendable {
        var outcomes: [JournalBlock.Outcome]
        var sizes: OutputSizes
        /// Lines that the journal allows to be sent again after these outcomes.
        var intents: Set<Int> = []
    }

    init() {}

    /// How many lines may have been sent.
    var marked: Int { marks.last?.position.index ?? 0 }

    var mayHaveReachedAnyone: Bool {
        let ended = counts.values.reduce(0, +)
        return counts[.accepted, default: 0] > 0 || counts[.unknown, default: 0] > 0 || ended + released.count < marked
    }

    var isFinished: Bool { lines.map { states.low >= $0 } ?? false }

    /// The last mark before which all lines have their outcomes.
    var start: Mark {
        let next = indexOfMark(beyond: states.low)
        return next == 0 ? .start : marks[next - 1]
    }

    /// The first mark beyond a number of lines; `nil` if there is none.
    func mark(beyond lines: Int) -> Mark? {
        let index = indexOfMark(beyond: lines)
        return index < marks.count ? marks[index] : nil
    }

    private func indexOfMark(beyond lines: Int) -> Int {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].position.index <= lines { low = middle + 1 } else { high = middle }
        }
        return low
    }

    enum Line: Equatable {
        /// The line has its outcome.
        case ended
        /// The line may have been sent. Its outcome is unknown.
        case interrupted
        /// The line was not sent.
        case open
    }

    func mayHaveBeenSent(_ index: Int) -> Bool {
        if started.contains(index) { return true }
        return switch line(index) {
        case .ended: !unsent.contains(index)
        case .interrupted: true
        case .open: false
        }
    }

    func line(_ index: Int) -> Line {
        if states.has(index) { return .ended }
        return index < marked && !released.contains(index) ? .interrupted : .open
    }

    mutating func add(_ block: JournalBlock, length: Int) {
        self.length += length
        switch block {
        case .campaign(let json): campaign = json
        case .mark(let position, let digest): add(position, digest)
        case .intent(let indices):
            for index in indices { released.remove(index) }
            pending?.intents.formUnion(indices)
        case .outcomes(let outcomes, let sizes):
            // If the results file is shorter than the previous outcomes need, a run has found that those do not count.
            if let pending, pending.sizes.results <= sizes.results { count(pending) }
            pending = Pending(outcomes: outcomes, sizes: sizes)
        case .end(let lines): self.lines = lines
        }
    }

    private mutating func add(_ position: InputPosition, _ digest: UInt64) {
        let lines = position.index - marked
        if let last = marks.indices.last, marks[last].merge(position, digest, lines: lines) { return }
        marks.append(Mark(position: position, digest: digest, lines: lines))
    }

    private mutating func count(_ outcomes: Pending) {
        for outcome in outcomes.outcomes {
            if outcome.end == .returned { started.insert(outcome.index) }
            if outcome.end == .released || outcome.end == .returned {
                if !outcomes.intents.contains(outcome.index) { released.insert(outcome.index) }
            } else {
                released.remove(outcome.index)
                states.add(outcome.index)
                switch outcome.end {
                case .notSent, .duplicate, .superseded: unsent.insert(outcome.index)
                case .invalid:
                    unsent.insert(outcome.index)
                    invalid.insert(outcome.index)
                case .accepted, .rejected, .unknown, .released, .returned: break
                }
                counts[outcome.end, default: 0] += 1
            }
        }
        sizes = outcomes.sizes
    }

    /// Decides whether the last outcomes count. Their block is written before their results, so they count only if all
    /// results are there.
    ///
    /// - Parameter size: The size of the results file in bytes.
    mutating func countLastBlock(results size: Int = .max) {
        guard let pending else { return }
        self.pending = nil
        isTorn = pending.sizes.results > size
        if !isTorn { count(pending) }
    }

    /// Adds the complete blocks at the start of some bytes. ``length`` is the number of bytes that were read.
    ///
    /// - Returns: `false` if the following bytes are not from a journal.
    mutating func add(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch JournalBlock.read(rest) {
            case .block(let block, let length):
                guard isPossible(block) else {
                    isImpossible = true
                    return false
                }
                add(block, length: length)
                rest = rest.dropFirst(length)
            case .incomplete: return true
            case .damaged: return false
            }
        }
        return true
    }

    /// The maximum number of lines of a mark. A campaign marks at most 500 lines at a time. Beyond it, a few bytes of a damaged or forged
    /// journal would need memory for any number of lines.
    private static let maximumLinesOfMark = 4096
    /// The maximum of other numbers: of lines and files, and of bytes of a file (256 TiB). Beyond it, sums could overflow.
    private static let maximumOfAnything = 1 << 48

    /// Whether a campaign may have written a block here: lines are marked in their order, and only marked lines have outcomes.
    private func isPossible(_ block: JournalBlock) -> Bool {
        func are(_ numbers: [Int]) -> Bool { numbers.allSatisfy { (0...Self.maximumOfAnything).contains($0) } }
        return switch block {
        case .campaign: true
        case .mark(let position, _):
            are([position.index, position.file, position.offset, position.line])
                && (0...Self.maximumLinesOfMark).contains(position.index - marked)
        case .intent(let indices): indices.allSatisfy { 0 <= $0 && $0 < marked }
        case .outcomes(let outcomes, let sizes):
            outcomes.allSatisfy { 0 <= $0.index && $0.index < marked }
                && are([sizes.results, sizes.gone, sizes.again, sizes.unknown])
        case .end(let lines): are([lines])
        }
    }

    /// Whether a complete block follows after bytes that are not a block. Then the journal is damaged, and not only cut
    /// off at its end. The blocks after the damage must not be skipped, because lines would be sent twice.
    static func hasBlock(_ bytes: ArraySlice<UInt8>) -> Bool {
        let maximum = 1 << 16
        return bytes.indices.dropFirst().prefix(maximum).contains {
            if case .block = JournalBlock.read(bytes[$0...]) { true } else { false }
        }
    }
}

/// The lines that have their outcomes: all below an index, and some above it. A pure value.
///
/// Outcomes arrive nearly in the order of the lines, so bits are needed only from the first line without an outcome to
/// the last line with one.
struct LineStates: Equatable, Sendable {
    /// All lines below this index have their outcomes.
    private(set) var low = 0
    /// One bit for each line, 64 in a word.
    private var words: [UInt64] = []
    /// The index of the first word: its lines begin at 64 times this number.
    private var firstWord = 0

    init() {}

    func has(_ index: Int) -> Bool { index < low || isSet(index) }

    mutating func add(_ index: Int) {
        guard index >= low else { return }
        if words.isEmpty { firstWord = low >> 6 }
        let word = index >> 6 - firstWord
        if word >= words.count { words += repeatElement(0, count: word + 1 - words.count) }
        words[word] |= 1 << UInt64(index & 63)
        guard index == low else { return }
        while isSet(low) { low += 1 }
        let over = low >> 6 - firstWord
        // Removing each word separately would cost more than it saves.
        if over >= words.count {
            words.removeAll(keepingCapacity: true)
        } else if over >= 1024, over * 2 >= words.count {
            words.removeFirst(over)
            firstWord += over
        }
    }

    private func isSet(_ index: Int) -> Bool {
        let word = index >> 6 - firstWord
        return word >= 0 && word < words.count && words[word] >> UInt64(index & 63) & 1 == 1
    }
}

/// A set of lines that needs little memory if it has many neighbours. A pure value.
struct LineSet: Equatable, Sendable {
    /// One bit for each line, 64 in a word. No word is zero.
    private var words: [Int: UInt64] = [:]
    private(set) var count = 0

    init() {}

    func contains(_ index: Int) -> Bool { words[index >> 6].map { $0 & Self.bit(index) != 0 } ?? false }

    mutating func insert(_ index: Int) {
        guard !contains(index) else { return }
        words[index >> 6, default: 0] |= Self.bit(index)
        count += 1
    }

    mutating func remove(_ index: Int) {
        guard contains(index), let word = words[index >> 6] else { return }
        let rest = word & ~Self.bit(index)
        words[index >> 6] = rest == 0 ? nil : rest
        count -= 1
    }

    private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(index & 63) }
}
