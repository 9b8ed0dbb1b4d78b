internal import PushWire

/// One notification on its way from the call to its outcome.
///
/// It has one owner at a time, and that is what makes it safe to pass between threads: until it is taken by a
/// connection, all of it belongs to the lock of its client's queue (``SendDesk``); from then on all but `place` belongs
/// to the connection's event loop, and `place` stays as it is.
final class PendingSend: @unchecked Sendable {
    /// Where the notification is, as the queue sees it.
    enum Place: Equatable {
        /// Not handed in yet.
        case new
        /// In the inbox, on its way to the queue.
        case handedIn
        /// The queue is full: the caller waits for room.
        case waitingForRoom
        /// In the queue.
        case queued
        /// A connection has taken it.
        case onConnection
        /// It has left the queue with an outcome, or was cancelled before it was handed in.
        case ended
    }

    let headers: HeaderBlock
    let body: [UInt8]
    let apnsID: String
    let begun: MonotonicTime
    let deadline: MonotonicTime

    @exclusivity(unchecked) var place = Place.new
    /// Who waits for the outcome; resumed exactly once, which is what ``end(_:)`` is for.
    @exclusivity(unchecked) var continuation: UnsafeContinuation<PushOutcome, Never>?

    init(
        headers: HeaderBlock, body: [UInt8], apnsID: String, begun: MonotonicTime, deadline: MonotonicTime
    ) {
        self.headers = headers
        self.body = body
        self.apnsID = apnsID
        self.begun = begun
        self.deadline = deadline
    }

    /// What counts against the queue's bound in bytes.
    var byteCount: Int { headers.byteCount + body.count }

    /// Gives the outcome to the caller. The first one counts, and there should be no second.
    func end(_ outcome: PushOutcome) {
        let continuation = self.continuation
        self.continuation = nil
        continuation?.resume(returning: outcome)
    }
}
