internal import NIOConcurrencyHelpers

/// The bytes that the server holds for its clients: requests that aren't complete, requests that wait for the answer before
/// them, bodies that are being read, and answers that haven't left.
package final class SharedMemory: Sendable {
    private let limit: NIOLockedValueBox<SharedLimit>

    /// Creates memory of a number of bytes, of which one holder gets half.
    package init(_ most: Int) {
        limit = NIOLockedValueBox(SharedLimit(most))
    }

    /// How many bytes are in use.
    package var used: Int { limit.withLockedValue { $0.used } }
    /// The maximum number of bytes of one holder.
    package var mostOfOne: Int { limit.withLockedValue { $0.mostOfOne } }

    /// The bytes that a request or a connection holds. They are given back when this object is released.
    package final class Reservation: Sendable {
        /// Who holds the bytes.
        package let holder: SharedLimit.Holder
        private let memory: SharedMemory
        private let count = NIOLockedValueBox(0)

        fileprivate init(_ memory: SharedMemory, _ holder: SharedLimit.Holder) {
            (self.memory, self.holder) = (memory, holder)
        }

        deinit {
            let count = count.withLockedValue { $0 }
            if count > 0 { memory.limit.withLockedValue { $0.giveBack(count, of: holder) } }
        }

        /// Changes the number of bytes. Less is always possible.
        ///
        /// - Throws: ``SharedMemoryFull``. Then the number stays as it was.
        package func set(_ new: Int) throws(SharedMemoryFull) {
            let refusal = count.withLockedValue { count -> SharedLimit.Refusal? in
                let more = new - count
                if more == 0 { return nil }
                let refusal = memory.limit.withLockedValue { limit -> SharedLimit.Refusal? in
                    if more > 0 { return limit.take(more, for: holder) }
                    limit.giveBack(-more, of: holder)
                    return nil
                }
                if refusal == nil { count = new }
                return refusal
            }
            if let refusal { throw SharedMemoryFull(refusal: refusal) }
        }

        /// Adds bytes.
        package func grow(by more: Int) throws(SharedMemoryFull) {
            try set(count.withLockedValue { $0 } + more)
        }
    }

    /// A reservation of no bytes yet.
    package func reservation(for holder: SharedLimit.Holder) -> Reservation { Reservation(self, holder) }
}

/// There is no memory for a request at the moment.
package struct SharedMemoryFull: Error, Hashable, Sendable {
    /// Whether the client has its share, or all clients together have everything.
    package var refusal: SharedLimit.Refusal

    /// What is wrong, in a sentence.
    package var detail: String {
        refusal == .share
            ? "This client's unfinished requests and unread answers fill its share of the memory."
            : "The unfinished requests and unread answers of all clients fill the memory for them."
    }

    /// How to correct it.
    package var remedy: String { "Read the answers, and send fewer or smaller requests at the same time." }
}
