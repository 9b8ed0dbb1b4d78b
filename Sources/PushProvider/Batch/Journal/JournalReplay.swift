/// What the journal of a campaign tells, block after block. A pure value.
struct JournalReplay: Equatable, Sendable {
    struct Mark: Equatable, Sendable {
        /// All lines before it may have gone out.
        var position: InputPosition
        /// Of the lines since the mark before.
        var digest: UInt64
    }

    /// What the campaign is; `nil` in an empty journal.
    private(set) var campaign: [UInt8]?
    /// In the order of the lines.
    private(set) var marks: [Mark] = []
    /// The lines that have their outcomes.
    private(set) var states = LineStates()
    /// Lines that are marked and were not sent after all.
    private(set) var released: Set<Int> = []
    /// How long the files of results were with the last outcomes.
    private(set) var sizes = OutputSizes()
    /// How many lines have ended how.
    private(set) var counts: [JournalEnd: Int] = [:]
    /// How many lines there are, once that is known.
    private(set) var lines: Int?
    /// How many bytes of the journal are whole.
    private(set) var length = 0

    init() {}

    /// How many lines may have gone out.
    var marked: Int { marks.last?.position.place ?? 0 }

    /// Every line has its outcome.
    var isFinished: Bool { lines.map { states.low >= $0 } ?? false }

    /// The last mark before which all lines have their outcomes.
    var start: Mark {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].position.place <= states.low { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? Mark(position: InputPosition(), digest: 0) : marks[low - 1]
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
        case .mark(let position, let digest): marks.append(Mark(position: position, digest: digest))
        case .intent(let places): released.subtract(places)
        case .outcomes(let outcomes, let sizes):
            for outcome in outcomes {
                if outcome.end == .released {
                    released.insert(outcome.place)
                } else {
                    released.remove(outcome.place)
                    states.add(outcome.place)
                    counts[outcome.end, default: 0] += 1
                }
            }
            self.sizes = sizes
        case .end(let lines): self.lines = lines
        }
    }

    /// Takes in all of a journal, up to where it was torn.
    ///
    /// - Returns: `false` when it is damaged in the middle: what is behind cannot be passed over, or lines would be sent twice.
    mutating func read(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard case .block(let block, let length) = JournalBlock.read(rest) else { return !Self.hasBlock(rest) }
            add(block, length: length)
            rest = rest.dropFirst(length)
        }
        return true
    }

    /// Whether whole blocks come behind what is none.
    private static func hasBlock(_ bytes: ArraySlice<UInt8>) -> Bool {
        let most = 1 << 16
        return bytes.indices.dropFirst().prefix(most).contains {
            if case .block = JournalBlock.read(bytes[$0...]) { true } else { false }
        }
    }
}
