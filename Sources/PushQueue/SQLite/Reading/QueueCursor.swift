#if PushService
    /// A position in a list: the numbers by which the list is ordered.
    struct QueueCursor: Equatable {
        var numbers: [Int64]

        init(_ numbers: [Int64]) {
            self.numbers = numbers
        }

        /// Reads the cursor of a page, in a list that is ordered by several numbers; `nil` for the first page.
        init?(_ text: String?, count: Int) throws(QueueError) {
            guard let text else { return nil }
            let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
            self.numbers = numbers.compactMap(\.self)
            guard numbers.count == count, self.numbers.count == count else {
                throw QueueError(
                    .invalid, "This cursor is not of this list. Use the cursor that came with the page before.")
            }
        }

        var text: String { numbers.map(String.init).joined(separator: ".") }
    }
#endif
