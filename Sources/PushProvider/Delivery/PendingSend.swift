internal import PushWire

/// One notification on its way from the call to its outcome.
///
/// It has one owner at a time, and that is what makes it safe to pass between threads: while it is in the queue, all of it
/// belongs to the lock of its client's queue (``SendDesk``); while a connection has it, all but `place` and `isWatched`
/// belongs to the connection's event loop, and those two stay with the lock.
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
        /// It has come back from a connection and is to be sent again at once.
        case returned
        /// It has come back from a connection and is to be sent again later.
        case resting
        /// It has left the queue with an outcome, or was cancelled before it was handed in.
        case ended

        /// It waits to be sent.
        var isInQueue: Bool {
            switch self {
            case .waitingForRoom, .queued, .returned, .resting: true
            case .new, .handedIn, .onConnection, .ended: false
            }
        }
    }

    let headers: HeaderBlock
    let body: [UInt8]
    let apnsID: String
    let begun: MonotonicTime
    let deadline: MonotonicTime
    /// When the deadline or the notification's own expiration comes, whichever is first.
    let limit: MonotonicTime

    @exclusivity(unchecked) var place = Place.new
    /// The queue's table of limits has it, or need not have it.
    @exclusivity(unchecked) var isWatched = false
    /// Most sends have none.
    @exclusivity(unchecked) var past: PastAttempts?
    /// Who waits for the outcome; resumed exactly once, which is what ``end(_:)`` is for.
    @exclusivity(unchecked) var continuation: UnsafeContinuation<PushOutcome, Never>?
    /// Or the mailbox of a sequence, and the place in it.
    @exclusivity(unchecked) var mailbox: OutcomeMailbox?
    @exclusivity(unchecked) var index = 0

    init(
        headers: HeaderBlock, body: [UInt8], apnsID: String, begun: MonotonicTime, deadline: MonotonicTime,
        expires: MonotonicTime = .never
    ) {
        self.headers = headers
        self.body = body
        self.apnsID = apnsID
        self.begun = begun
        self.deadline = deadline
        limit = min(deadline, expires)
    }

    /// What counts against the queue's bound in bytes.
    var byteCount: Int { headers.byteCount + body.count }

    /// Gives the outcome to the caller. The first one counts, and there should be no second.
    func end(_ outcome: PushOutcome) {
        let continuation = self.continuation
        self.continuation = nil
        continuation?.resume(returning: outcome)
        let mailbox = self.mailbox
        self.mailbox = nil
        mailbox?.deliver(index, outcome)
    }
}

/// What became of the attempts before.
final class PastAttempts {
    let history: RetryHistory
    /// The outcome of the last one.
    let outcome: PushOutcome
    /// The last of which nobody knows whether it was taken.
    let unknown: UnknownOutcome?

    init(history: RetryHistory, outcome: PushOutcome, before: PastAttempts?) {
        self.history = history
        self.outcome = outcome
        if case .unknown(let unknown) = outcome { self.unknown = unknown } else { unknown = before?.unknown }
    }

    /// What is true when a later attempt was provably not processed, or did not come about.
    func ending(_ notSent: NotSent) -> PushOutcome {
        if var unknown {
            unknown.trace.attempts = notSent.trace.attempts
            return .unknown(unknown)
        }
        // Apple's own word says more than that nothing came of asking again.
        if case .rejected(var rejection) = outcome, notSent.cause != .refused, notSent.cause != .connectionLost {
            rejection.againAfter = .zero
            return .rejected(rejection)
        }
        return .notSent(notSent)
    }
}

extension PendingSend {
    /// The outcome of a send that leaves the queue without being sent, or without being sent once more.
    func unsent(
        _ cause: NotSent.Cause, _ words: String, phase: PushPhase = .queue, now: MonotonicTime
    ) -> PushOutcome {
        let trace = PushTrace(
            queued: begun.duration(to: now), inFlight: .zero, attempts: past?.history.attempts ?? 0, connection: nil)
        return final(.notSent(NotSent(cause: cause, phase: phase, description: words, trace: trace)))
    }

    /// The outcome of the last attempt, in the light of those before.
    func final(_ outcome: PushOutcome) -> PushOutcome {
        guard let past, case .notSent(let notSent) = outcome else { return outcome }
        return past.ending(notSent)
    }

    /// Whether it is the notification's own expiration that has come, and not the deadline.
    func hasExpired(now: MonotonicTime) -> Bool {
        limit < deadline && limit <= now
    }
}
