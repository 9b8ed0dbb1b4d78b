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
    /// The maximum number of items in a page.
    package static var most: Int { 1000 }

    /// The limit of a page, if a queue takes it.
    package static func checked(_ limit: Int) throws(QueueError) -> Int {
        guard (1...most).contains(limit) else {
            throw QueueError(.invalid, "The limit of a page must be 1 to \(most). It is \(limit).")
        }
        return limit
    }
}
