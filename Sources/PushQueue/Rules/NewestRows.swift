/// Rows of several apps, each of which was read from the newest on, as one list.
package struct NewestRows<Row> {
    /// The rows of the page, the newest first.
    package private(set) var rows: [(number: Int64, row: Row)] = []
    /// What the next page is before; `nil` if nothing follows.
    package private(set) var next: Int64?

    /// What was read of an app.
    package struct Part {
        /// The rows that match, the newest first.
        var rows: [(number: Int64, row: Row)]
        /// The number down to which all rows were read; `nil` for all rows.
        var end: Int64?

        /// - Parameters:
        ///   - scanned: The rows that were read, the newest first.
        ///   - isWhole: Whether there are no others.
        ///   - isWanted: Whether a row matches.
        package init(
            _ scanned: [(number: Int64, row: Row)], isWhole: Bool, isWanted: (Row) -> Bool = { _ in true }
        ) {
            rows = scanned.filter { isWanted($0.row) }
            end = isWhole ? nil : scanned.last?.number
        }
    }

    /// The page of a number of rows. A row is in it only if all newer ones were read.
    package init(_ parts: [Part], limit: Int) {
        let end = parts.compactMap(\.end).max()
        let all = parts.flatMap(\.rows).filter { $0.number >= end ?? .min }.sorted { $0.number > $1.number }
        rows = Array(all.prefix(limit))
        next = all.count > limit ? rows.last?.number : end
    }

    /// How many rows are read of an app, if most of them may not match.
    package static var mostScanned: Int { 1000 }
}
