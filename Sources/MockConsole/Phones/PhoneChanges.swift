import VirtualPhones

/// What changed on the phones lately, for readers that each have their own position. Bounded.
struct PhoneChanges: Sendable {
    struct Page: Sendable {
        /// For each phone, the pushes whose outcome is another one now.
        var phones: [(id: String, pushes: [Int], isCut: Bool)]
        /// The position after them.
        var count: Int
    }

    private struct Entry {
        var count: Int
        var change: Phones.Change
    }

    /// The maximum number of changes that are kept. A reader that is further behind gets no numbers of pushes.
    private static let maximum = 1000
    /// The maximum number of pushes for a phone in a page.
    private static let maximumPushes = 200

    private(set) var count = 0
    private var entries: [Entry] = []
    /// The changes until this position are no longer known.
    private var droppedThrough = 0

    mutating func note(_ change: Phones.Change) {
        entries.append(Entry(count: count + 1, change: change))
    }

    /// Ends a change, which can concern several phones.
    mutating func finish() {
        count += 1
        guard entries.count > 2 * Self.maximum else { return }
        let dropped = entries.count - Self.maximum
        droppedThrough = entries[dropped - 1].count
        entries.removeFirst(dropped)
    }

    func page(after known: Int) -> Page {
        var pushes: [String: [Int]] = [:]
        for entry in entries.reversed() {
            guard entry.count > known else { break }
            pushes[entry.change.phone, default: []] += entry.change.pushes
        }
        let isBehind = known < droppedThrough
        let phones = pushes.map { phone, numbers in
            let unique = Set(numbers).sorted(by: >)
            return (
                id: phone, pushes: Array(unique.prefix(Self.maximumPushes)),
                isCut: isBehind || unique.count > Self.maximumPushes
            )
        }
        return Page(phones: phones.sorted { $0.id < $1.id }, count: count)
    }
}
