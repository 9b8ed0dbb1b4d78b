/// Where to look for the rows of an inbox. Index entries of rows that are gone, which a dump keeps, come before.
struct InboxFloor {
    /// All rows of earlier transactions are gone, but for those of ``running``.
    var first: UInt64 = 1
    /// Transactions that come before ``first``: they ran at the last look, or have rows still.
    var running: [UInt64] = []
    /// When all rows are looked at. An administrator may have changed the app of a row: it keeps its transaction.
    var until = ContinuousClock.now

    /// What a look without locks has found.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot, as the server writes it: `xmin:xmax:running,running`.
    ///   - oldest: The transaction of the first row that it has; `nil` if it has none.
    ///   - left: Those of ``running`` that have rows, if they don't count as the oldest.
    mutating func looked(_ snapshot: String, oldest: UInt64?, left: [UInt64] = []) {
        let parts = snapshot.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = UInt64(parts[1]) else { return }
        first = min(oldest ?? end, end)
        let active = parts[2].split(separator: ",").compactMap { UInt64($0) }
        running = Set(left + active).filter { $0 < first }.sorted()
    }
}
