internal import DequeModule

/// The log of requests, newest last. Limited in count and bytes: beyond a limit, the oldest entries are dropped.
struct MockLog {
    /// The limits of the log.
    struct Bound: Equatable {
        var count: Int
        var bytes: Int
    }

    let bound: Bound
    private(set) var entries: Deque<Arrival> = []
    private var bytes = 0
    /// The number of requests since the start, including dropped ones.
    private(set) var total = 0

    init(bound: Bound) {
        self.bound = bound
    }

    /// The number for the next entry.
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

    /// Returns the entry with this number. If it was dropped, returns the oldest entry; `nil` if it has not arrived.
    func entry(from number: Int) -> Arrival? {
        guard number <= total, let oldest = entries.first else { return nil }
        return entries[max(0, number - oldest.number)]
    }

    /// Returns up to `count` entries, starting with this number or, if it was dropped, with the oldest entry.
    func entries(from number: Int, atMost count: Int) -> [Arrival] {
        guard number <= total, let oldest = entries.first else { return [] }
        return Array(entries.dropFirst(max(0, number - oldest.number)).prefix(count))
    }

    mutating func removeAll() {
        entries.removeAll()
        bytes = 0
    }
}
