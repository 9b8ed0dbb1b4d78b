internal import DequeModule

/// Sends sorted by time, the earliest first: a hierarchical timing wheel (Varghese and Lauck, 1987).
///
/// Time is counted in ticks of one millisecond. A level has 64 slots, each as long as the whole level below it. A send
/// is in the slot that contains its tick, at the lowest level where that slot is not the present one. When the slot
/// becomes the present one, its sends move to lower levels. So each send moves at most once per level, whatever the
/// number of sends. It comes out at the end of its tick, never before its time. Sends of the same tick keep their
/// order.
///
/// A send that has left the queue may stay here. The caller says which sends are still valid. The others are skipped
/// when they come up, or removed together before they outnumber the valid ones.
struct SendTimetable {
    private static let tickLength: UInt64 = 1_000_000
    /// The bits of a tick for each level, so that a level has 64 slots.
    private static let bitsPerLevel = 6

    private struct Entry {
        var tick: UInt64
        var send: PendingSend
    }

    private struct Slot {
        var entries: Deque<Entry> = []
        /// The earliest tick of all sends that were added, including those that have left.
        var earliest = UInt64.max
    }

    private struct Level {
        var slots = [Slot](repeating: Slot(), count: 1 << bitsPerLevel)
        /// One bit for each slot that has entries.
        var occupied: UInt64 = 0
    }

    private var levels: [Level] = []
    /// The sends whose tick is due.
    private var due: Deque<PendingSend> = []
    private var present: UInt64 = 0
    private(set) var count = 0
    /// How often a send was placed in a slot. The work is proportional to it.
    private(set) var moves = 0

    // MARK: In

    /// Adds a send. A send whose time never comes is not added.
    mutating func insert(_ send: PendingSend, at time: MonotonicTime) {
        guard time < .never else { return }
        count += 1
        let (ticks, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: Self.tickLength)
        stage(Entry(tick: rest == 0 ? ticks : ticks + 1, send: send))
    }

    private mutating func stage(_ entry: Entry) {
        moves += 1
        guard entry.tick > present else { return due.append(entry.send) }
        // The highest bit in which the ticks differ gives the level.
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

    /// Returns the first slot with entries. Every entry of a level comes before those of higher levels.
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

    /// Returns when to check for the next send: not later than its time, and earlier only if an earlier send has left.
    ///
    /// - Parameter isOver: Whether a send is no longer valid. Then it is removed.
    /// - Returns: The time; `nil` if no send is left.
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

    // MARK: Sends that are no longer valid

    /// Removes the sends that are no longer valid.
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
