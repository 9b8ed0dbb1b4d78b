/// A position in a list: the numbers that order the list.
package struct QueueCursor: Equatable {
    package var numbers: [Int64]

    package init(_ numbers: [Int64]) {
        self.numbers = numbers
    }

    /// Reads the cursor of a page, in a list that is ordered by several numbers; `nil` for the first page.
    package init?(_ text: String?, count: Int) throws(QueueError) {
        guard let text else { return nil }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        self.numbers = numbers.compactMap(\.self)
        guard numbers.count == count, self.numbers.count == count else {
            throw QueueError(
                .invalid, "This cursor belongs to another list. Use the cursor of the previous page.")
        }
    }

    package var text: String { numbers.map(String.init).joined(separator: ".") }
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
