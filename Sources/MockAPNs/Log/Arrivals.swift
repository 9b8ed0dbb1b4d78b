/// What arrives at a mock, from the first request on; ends when the mock stops.
///
/// Each loop over it has a place of its own in the mock's log. One that is slower than the log is long misses what gave way.
public struct Arrivals: AsyncSequence, Sendable {
    let journal: MockJournal

    /// Begins at the oldest arrival that is kept.
    public func makeAsyncIterator() -> Iterator {
        Iterator(journal: journal)
    }

    /// A place in the log.
    public struct Iterator: AsyncIteratorProtocol {
        let journal: MockJournal
        private var next = 1

        init(journal: MockJournal) {
            self.journal = journal
        }

        /// Waits for the next arrival; `nil` when the mock has stopped or the task was cancelled.
        public mutating func next() async -> Arrival? {
            guard let arrival = try? await journal.arrival(from: next, before: nil) else { return nil }
            next = arrival.number + 1
            return arrival
        }
    }
}
