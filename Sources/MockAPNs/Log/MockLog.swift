internal import DequeModule

/// What has arrived, newest last, bounded in count and bytes: the oldest entries give way.
struct MockLog {
    /// How much is kept.
    struct Bound: Equatable {
        var count: Int
        var bytes: Int
    }

    let bound: Bound
    private(set) var entries: Deque<Arrival> = []
    private var bytes = 0
    /// How many have arrived since the beginning, those that gave way included.
    private(set) var total = 0

    init(bound: Bound) {
        self.bound = bound
    }

    /// The number that the next entry has to have.
    var nextNumber: Int { total + 1 }

    mutating func append(_ arrival: Arrival) {
        total += 1
        bytes += arrival.byteCount
        entries.append(arrival)
        while let oldest = entries.first, entries.count > bound.count || (bytes > bound.bytes && entries.count > 1) {
            bytes -= oldest.byteCount
            entries.removeFirst()
        }
    }

    /// The entry with that number, or the oldest one that is kept when it gave way; `nil` when it has not arrived.
    func entry(from number: Int) -> Arrival? {
        guard number <= total, let oldest = entries.first else { return nil }
        return entries[max(0, number - oldest.number)]
    }

    /// The entries from that number on, or from the oldest one that is kept, at most so many.
    func entries(from number: Int, atMost count: Int) -> [Arrival] {
        guard number <= total, let oldest = entries.first else { return [] }
        return Array(entries.dropFirst(max(0, number - oldest.number)).prefix(count))
    }

    mutating func removeAll() {
        entries.removeAll()
        bytes = 0
    }
}
