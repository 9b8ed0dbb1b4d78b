/// What the journal of a campaign tells, block after block. A pure value.
struct JournalReplay: Equatable, Sendable {
    typealias Mark = JournalMark

    /// What the campaign is; `nil` in an empty journal.
    private(set) var campaign: [UInt8]?
    /// In the order of the lines; small ones are put together.
    private(set) var marks: [Mark] = []
    /// The lines that have their outcomes.
    private(set) var states = LineStates()
    /// Lines that are marked and were not sent after all.
    private(set) var released = LineSet()
    /// How long the files are with the last outcomes that count.
    private(set) var sizes = OutputSizes()
    /// The last outcomes do not count: the process ended before their results were written.
    private(set) var isTorn = false
    /// The last outcomes, until it is known whether they count.
    private var pending: Pending?
    /// How many lines have ended how.
    private(set) var counts: [JournalEnd: Int] = [:]
    /// How many lines there are, once that is known.
    private(set) var lines: Int?
    /// How many bytes of the journal are whole.
    private(set) var length = 0

    private struct Pending: Equatable, Sendable {
        var outcomes: [JournalBlock.Outcome]
        var sizes: OutputSizes
        /// Lines that the journal lets go out after it.
        var intents: Set<Int> = []
    }

    init() {}

    /// How many lines may have gone out.
    var marked: Int { marks.last?.position.place ?? 0 }

    /// Whether any line was accepted, or may have been.
    var mayHaveReachedAnyone: Bool {
        let ended = counts.values.reduce(0, +)
        return counts[.accepted, default: 0] > 0 || counts[.unknown, default: 0] > 0 || ended + released.count < marked
    }

    /// Every line has its outcome.
    var isFinished: Bool { lines.map { states.low >= $0 } ?? false }

    /// The last mark before which all lines have their outcomes.
    var start: Mark {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].position.place <= states.low { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? .start : marks[low - 1]
    }

    /// What an earlier run left of a line.
    enum Line: Equatable {
        /// It has its outcome.
        case ended
        /// It may have gone out, and nobody knows.
        case interrupted
        /// It has not gone out.
        case open
    }

    func line(_ place: Int) -> Line {
        if states.has(place) { return .ended }
        return place < marked && !released.contains(place) ? .interrupted : .open
    }

    mutating func add(_ block: JournalBlock, length: Int) {
        self.length += length
        switch block {
        case .campaign(let json): campaign = json
        case .mark(let position, let digest): add(position, digest)
        case .intent(let places):
            for place in places { released.remove(place) }
            pending?.intents.formUnion(places)
        case .outcomes(let outcomes, let sizes):
            // Where the results are shorter than those before wanted, a run has found out that those do not count.
            if let pending, pending.sizes.results <= sizes.results { count(pending) }
            pending = Pending(outcomes: outcomes, sizes: sizes)
        case .end(let lines): self.lines = lines
        }
    }

    private mutating func add(_ position: InputPosition, _ digest: UInt64) {
        let lines = position.place - marked
        if let last = marks.indices.last, marks[last].take(position, digest, lines: lines) { return }
        marks.append(Mark(position: position, digest: digest, lines: lines))
    }

    private mutating func count(_ outcomes: Pending) {
        for outcome in outcomes.outcomes {
            if outcome.end == .released {
                if !outcomes.intents.contains(outcome.place) { released.insert(outcome.place) }
            } else {
                released.remove(outcome.place)
                states.add(outcome.place)
                counts[outcome.end, default: 0] += 1
            }
        }
        sizes = outcomes.sizes
    }

    /// Decides about the last outcomes. Their block is written before their results: they count when all results are there.
    ///
    /// - Parameter size: How long the file of results is.
    mutating func settle(results size: Int = .max) {
        guard let pending else { return }
        self.pending = nil
        isTorn = pending.sizes.results > size
        if !isTorn { count(pending) }
    }

    /// Takes in the whole blocks that some bytes begin with. ``length`` says how far it came.
    ///
    /// - Returns: `false` when what comes then was never written by a journal.
    mutating func take(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch JournalBlock.read(rest) {
            case .block(let block, let length):
                add(block, length: length)
                rest = rest.dropFirst(length)
            case .incomplete: return true
            case .damaged: return false
            }
        }
        return true
    }

    /// Whether whole blocks come behind what is none: then a journal is damaged, and not torn, and what is behind cannot be passed
    /// over, or lines would be sent twice.
    static func hasBlock(_ bytes: ArraySlice<UInt8>) -> Bool {
        let most = 1 << 16
        return bytes.indices.dropFirst().prefix(most).contains {
            if case .block = JournalBlock.read(bytes[$0...]) { true } else { false }
        }
    }
}
