/// A position in a list: the numbers that order the list.
package struct QueueCursor: Equatable {
    package var numbers: [Int64]

    package init(_ numbers: [Int64]) {
        self.numbers = numbers
    }

    /// Reads the cursor of a page, in a list that is ordered by several numbers; `nil` for the first page.
    ///
    /// - Parameters:
    ///   - text: The cursor.
    ///   - count: How many numbers order the list.
    ///   - dropped: A cursor of an older version has one number more, at this position; `nil` if there was none.
    /// - Throws: ``QueueError`` if the cursor belongs to another list.
    package init?(_ text: String?, count: Int, dropped: Int? = nil) throws(QueueError) {
        guard let text else { return nil }
        var numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        if let dropped, numbers.count == count + 1 { numbers.remove(at: dropped) }
        self.numbers = numbers.compactMap(\.self)
        guard numbers.count == count, self.numbers.count == count else {
            throw QueueError(
                .invalid, "This cursor belongs to another list. Use the cursor of the previous page.")
        }
    }

    package var text: String { numbers.map(String.init).joined(separator: ".") }
}

extension QueueJobQuery {
    /// Waiting jobs were once also listed in the order of their expiry: the position of that number in a cursor.
    package static let droppedNumber = 2
}

extension QueuePage {
    package static var maximum: Int { 1000 }

    package static func checked(_ limit: Int) throws(QueueError) -> Int {
        guard (1...maximum).contains(limit) else {
            throw QueueError(.invalid, "The limit of a page must be 1 to \(maximum). It is \(limit).")
        }
        return limit
    }
}

/// Rows of several apps, each of which was read from the newest on, as one list.
package struct NewestRows<Row> {
    /// The newest first.
    package private(set) var rows: [(number: Int64, row: Row)] = []
    /// What the next page is before; `nil` if nothing follows.
    package private(set) var next: Int64?

    package struct Part {
        /// Those that match, the newest first.
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

    /// A row is in the page only if all newer ones were read.
    package init(_ parts: [Part], limit: Int) {
        let end = parts.compactMap(\.end).max()
        let all = parts.flatMap(\.rows).filter { $0.number >= end ?? .min }.sorted { $0.number > $1.number }
        rows = Array(all.prefix(limit))
        next = all.count > limit ? rows.last?.number : end
    }

    package func page(
        _ read: (Row) throws(QueueError) -> QueueJobRecord?
    ) throws(QueueError) -> QueueNewestPage {
        var page = QueueNewestPage(next: next.map { QueueResultCursor(number: $0) })
        for (number, row) in rows {
            guard let record = try read(row) else { continue }
            page.items.append(record)
            page.cursors.append(QueueResultCursor(number: number))
        }
        return page
    }
}
