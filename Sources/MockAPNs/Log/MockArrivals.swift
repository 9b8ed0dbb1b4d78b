/// The requests that arrive at a mock, from the first one on. The sequence ends when the mock stops.
///
/// Each loop has its own position in the mock's log. A loop that is too slow misses the requests that the log has
/// dropped.
package struct MockArrivals: AsyncSequence, Sendable {
    let journal: MockJournal

    /// Returns an iterator that starts at the oldest request in the log.
    package func makeAsyncIterator() -> Iterator {
        Iterator(journal: journal)
    }

    /// A position in the log.
    package struct Iterator: AsyncIteratorProtocol {
        let journal: MockJournal
        private var next = 1

        init(journal: MockJournal) {
            self.journal = journal
        }

        /// Waits for the next request. Returns `nil` if the mock has stopped or the task was cancelled.
        package mutating func next() async -> MockArrival? {
            guard let arrival = try? await journal.arrival(from: next, before: nil) else { return nil }
            next = arrival.number + 1
            return arrival
        }
    }
}
