internal import DequeModule

/// Sends by a time of theirs, the earliest first: a hierarchical timing wheel (Varghese and Lauck, 1987).
///
/// Time is counted in ticks of a millisecond. A level has 64 slots, each as long as the whole level below it. A send stands
/// in the slot that holds its tick, at the lowest level where that slot is not the present one; when the slot becomes the
/// present one, what is in it moves to levels below. So each send is moved once a level at the most, whatever the number of
/// sends. It comes out at the end of its tick, never before its time. Those of the same tick stay in the order in which
/// they came.
///
/// A send that has gone elsewhere may stay in here: whoever asks says which ones are still meant, and the others are
/// passed over when they come up, or let go together before they outnumber those that are meant.
struct SendTimetable {
    /// In nanoseconds.
    private static let tickLength: UInt64 = 1_000_000
    private static let bitsPerLevel = 6

    private struct Entry {
        var tick: UInt64
        var send: PendingSend
    }

    private struct Slot {
        var entries: Deque<Entry> = []
        /// The earliest tick of all that came in; those that have left may be among them.
        var earliest = UInt64.max
    }

    private struct Level {
        var slots = [Slot](repeating: Slot(), count: 1 << bitsPerLevel)
        /// A bit for each slot that has entries.
        var occupied: UInt64 = 0
    }

    private var levels: [Level] = []
    /// Their tick has come.
    private var due: Deque<PendingSend> = []
    /// The tick up to which time has gone.
    private var present: UInt64 = 0
    private(set) var count = 0
    /// How often a send was put somewhere: what all the work is in proportion to.
    private(set) var moves = 0

    // MARK: In

    /// Takes a send in; one whose time never comes need not be here.
    mutating func insert(_ send: PendingSend, at time: MonotonicTime) {
        guard time < .never else { return }
        count += 1
        let (ticks, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: Self.tickLength)
        stage(Entry(tick: rest == 0 ? ticks : ticks + 1, send: send))
    }

    private mutating func stage(_ entry: Entry) {
        moves += 1
        guard entry.tick > present else { return due.append(entry.send) }
        // The highest bit in which they differ says how far away it is.
        let highest = entry.tick.bitWidth - 1 - (entry.tick ^ present).leadingZeroBitCount
        let level = highest / Self.bitsPerLevel
        while levels.count <= level { levels.append(Level()) }
        let slot = Int(truncatingIfNeeded: entry.tick >> (level * Self.bitsPerLevel)) & 63
        levels[level].occupied |= 1 << slot
        levels[level].slots[slot].entries.append(entry)
        levels[level].slots[slot].earliest = min(levels[level].slots[slot].earliest, entry.tick)
    }

    // MARK: Out

    /// Takes the earliest send out, if its time has come.
    mutating func popFirst(upTo now: MonotonicTime = .never) -> PendingSend? {
        advance(to: now.nanoseconds / Self.tickLength)
        guard let send = due.popFirst() else { return nil }
        count -= 1
        return send
    }

    private mutating func advance(to tick: UInt64) {
        while let (level, slot) = firstSlot(), begin(of: slot, level) <= tick {
            present = begin(of: slot, level)
            for entry in empty(slot, level) { stage(entry) }
        }
        present = max(present, tick)
    }

    /// What is at a level comes before all that is above it.
    private func firstSlot() -> (level: Int, slot: Int)? {
        for level in levels.indices where levels[level].occupied != 0 {
            return (level, levels[level].occupied.trailingZeroBitCount)
        }
        return nil
    }

    private func begin(of slot: Int, _ level: Int) -> UInt64 {
        let low = level * Self.bitsPerLevel
        let high = low + Self.bitsPerLevel
        return (present >> high) << high | UInt64(slot) << low
    }

    private mutating func empty(_ slot: Int, _ level: Int) -> Deque<Entry> {
        levels[level].occupied &= ~(1 << slot)
        var emptied = Slot()
        swap(&emptied, &levels[level].slots[slot])
        return emptied.entries
    }

    // MARK: When

    /// When to look for the next one: not later than its time comes, and earlier only where another one stood that has gone.
    ///
    /// - Parameter isOver: Whether a send that is next need not be here any more: it is let go.
    /// - Returns: The time, or `nil` when none is left.
    mutating func nextTime(passingOver isOver: (PendingSend) -> Bool) -> MonotonicTime? {
        while let send = due.first {
            guard isOver(send) else { return Self.end(of: present) }
            due.removeFirst()
            count -= 1
        }
        while let (level, slot) = firstSlot() {
            while let entry = levels[level].slots[slot].entries.first {
                guard isOver(entry.send) else { return Self.end(of: levels[level].slots[slot].earliest) }
                levels[level].slots[slot].entries.removeFirst()
                count -= 1
            }
            _ = empty(slot, level)
        }
        return nil
    }

    private static func end(of tick: UInt64) -> MonotonicTime {
        let (nanoseconds, overflow) = tick.multipliedReportingOverflow(by: tickLength)
        return overflow ? .never : MonotonicTime(nanoseconds: nanoseconds)
    }

    // MARK: Those that have gone

    /// Lets go those for which the answer is yes.
    mutating func removeAll(where isOver: (PendingSend) -> Bool) {
        due.removeAll(where: isOver)
        count = due.count
        for level in levels.indices {
            var left = levels[level].occupied
            while left != 0 {
                let slot = left.trailingZeroBitCount
                left &= left - 1
                let kept = empty(slot, level).filter { !isOver($0.send) }
                guard let earliest = kept.lazy.map(\.tick).min() else { continue }
                levels[level].occupied |= 1 << slot
                levels[level].slots[slot] = Slot(entries: kept, earliest: earliest)
                count += kept.count
            }
        }
    }
}
