internal import HTTPTypes
internal import NIOConcurrencyHelpers

/// The bytes that the server holds for its clients: requests that aren't complete, requests that wait for the answer before
/// them, bodies that are being read, and answers that haven't left.
package final class SharedMemory: Sendable {
    /// Addresses cost nothing, so all of them together get half. Otherwise two of them could take everything from the keys.
    private struct Limits {
        var all: SharedLimit
        var addresses: SharedLimit

        mutating func take(_ count: Int, for holder: SharedLimit.Holder) -> SharedLimit.Refusal? {
            guard case .address = holder else { return all.take(count, for: holder) }
            if let refusal = addresses.take(count, for: holder) { return refusal }
            guard let refusal = all.take(count, for: holder) else { return nil }
            addresses.giveBack(count, of: holder)
            return refusal
        }

        mutating func giveBack(_ count: Int, of holder: SharedLimit.Holder) {
            all.giveBack(count, of: holder)
            if case .address = holder { addresses.giveBack(count, of: holder) }
        }
    }

    private let limits: NIOLockedValueBox<Limits>

    /// Creates memory of a number of bytes. One key gets half of it. Those without a key get half together, and one of their
    /// addresses half of that.
    package init(_ maximum: Int) {
        limits = NIOLockedValueBox(
            Limits(all: SharedLimit(maximum), addresses: SharedLimit(SharedLimit.half(of: maximum))))
    }

    package var used: Int { limits.withLockedValue { $0.all.used } }

    /// The bytes that a request or a connection holds. They are given back when this object is released.
    package final class Reservation: Sendable {
        package let holder: SharedLimit.Holder
        private let memory: SharedMemory
        /// How many of the bytes don't count in the memory.
        private let uncounted: Int
        private let count = NIOLockedValueBox(0)

        fileprivate init(_ memory: SharedMemory, _ holder: SharedLimit.Holder, uncounted: Int) {
            (self.memory, self.holder, self.uncounted) = (memory, holder, uncounted)
        }

        deinit {
            let counted = max(count.withLockedValue { $0 } - uncounted, 0)
            if counted > 0 { memory.limits.withLockedValue { $0.giveBack(counted, of: holder) } }
        }

        /// Changes the number of bytes. Less is always possible.
        ///
        /// - Throws: ``SharedMemoryFull``. Then the number stays as it was.
        package func set(_ new: Int) throws(SharedMemoryFull) {
            let refusal = count.withLockedValue { count -> SharedLimit.Refusal? in
                let more = max(new - uncounted, 0) - max(count - uncounted, 0)
                let refusal = memory.limits.withLockedValue { limits -> SharedLimit.Refusal? in
                    if more > 0 { return limits.take(more, for: holder) }
                    if more < 0 { limits.giveBack(-more, of: holder) }
                    return nil
                }
                if refusal == nil { count = new }
                return refusal
            }
            if let refusal { throw SharedMemoryFull(refusal: refusal) }
        }

        package func grow(by more: Int) throws(SharedMemoryFull) {
            try set(count.withLockedValue { $0 } + more)
        }
    }

    /// A reservation of no bytes yet. The first `uncounted` bytes of it are free: the caller limits how many such reservations
    /// there are.
    package func reservation(for holder: SharedLimit.Holder, uncounted: Int = 0) -> Reservation {
        Reservation(self, holder, uncounted: uncounted)
    }
}

package struct SharedMemoryFull: ProblemError, Hashable, Sendable {
    /// Whether the client has its share, or all clients together have everything.
    package var refusal: SharedLimit.Refusal

    package var problem: APIProblem {
        .later(
            refusal == .share ? .tooManyRequests : .serviceUnavailable, code: "memory_full",
            refusal == .share
                ? "This client's unfinished requests and unread answers fill its share of the memory."
                : "The unfinished requests and unread answers of all clients fill the memory for them.",
            afterSeconds: 1, remedy: "Read the answers, and send fewer or smaller requests at the same time.")
    }
}
