internal import PushWire

/// One notification on its way from the call to its outcome.
///
/// It has one owner at a time, and that is what makes it safe to pass between threads: while it is in the queue, all of it
/// belongs to the lock of its client's queue (``SendIntake``); while a connection has it, all but `stage` and `isWatched`
/// belongs to the connection's event loop, and those two stay with the lock.
// Not checked by the compiler, which cannot know of an owner that changes: the paragraph above is the rule.
package class PendingSend: @unchecked Sendable {
    /// Where the notification is, as the queue sees it.
    enum Stage: Equatable {
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

    /// What is made of a notification before it is handed in.
    struct Contents {
        var fields: OutgoingFields
        var body: [UInt8]
        var id: RequestID?
        var begun: MonotonicTime
        var deadline: MonotonicTime
        var expires = MonotonicTime.never
        /// ``PushNotification/registeredAt``, in milliseconds since 1970.
        var registered: Int64?
    }

    final let fields: OutgoingFields
    final let body: [UInt8]
    /// Both, for a connection.
    final let request: OutgoingRequest
    final let id: RequestID?
    /// When the app registered the device token, in milliseconds since 1970.
    final let registered: Int64?
    final let begun: MonotonicTime
    final let deadline: MonotonicTime
    /// When the deadline or the notification's own expiration comes, whichever is first.
    final let limit: MonotonicTime

    @exclusivity(unchecked) final var stage = Stage.new
    /// The queue's table of limits has it, or need not have it.
    @exclusivity(unchecked) final var isWatched = false
    /// Most sends have none.
    @exclusivity(unchecked) final var past: PastAttempts?
    /// Only where somebody traces.
    @exclusivity(unchecked) final var span: PushSpan?
    /// What became of it. Known before whoever waits is told, and never changed then.
    @exclusivity(unchecked) private(set) final var outcome: PushOutcome?
    /// Who waits for the outcome; resumed exactly once, which is what ``tell()`` is for.
    @exclusivity(unchecked) final var continuation: UnsafeContinuation<Void, Never>?
    /// Or the mailbox of a sequence: it is a ``SequencedSend`` then.
    ///
    /// Not counted, since all of a sequence have the same: a mailbox keeps itself while any is under way.
    @exclusivity(unchecked) final var mailbox: Unmanaged<OutcomeReceiver>?

    /// Whether the client tells an outcome that may pass at once, and does not wait before another attempt.
    final var leavesPausesToSequence: Bool { mailbox?._withUnsafeGuaranteedRef { $0.pausesForItsSends } ?? false }

    /// Where it goes, for what is seldom asked.
    final var topic: String? { fields[APNSHeader.topic] }

    init(_ contents: Contents) {
        fields = contents.fields
        body = contents.body
        request = OutgoingRequest(contents.fields, body: contents.body)
        id = contents.id
        byteCount = contents.fields.byteCount + contents.body.count
        registered = contents.registered
        begun = contents.begun
        deadline = contents.deadline
        limit = min(contents.deadline, contents.expires)
    }

    /// The id as it is sent; empty when none is.
    final var apnsID: String { id?.description ?? "" }

    /// What counts against the queue's bound in bytes.
    final let byteCount: Int

    /// Notes the outcome. The first one counts, and there should be no second.
    final func conclude(_ outcome: consuming PushOutcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        if span != nil { endSpan() }
    }

    private func endSpan() {
        guard let outcome, let span else { return }
        self.span = nil
        span.end(outcome, id: id)
    }

    /// Tells whoever waits that the outcome is there.
    final func tell() {
        if let continuation {
            self.continuation = nil
            continuation.resume()
        } else if let mailbox {
            mailbox._withUnsafeGuaranteedRef { $0.deliver([self]) }
        }
    }

    /// Gives the outcome to the caller.
    final func end(_ outcome: PushOutcome) {
        conclude(outcome)
        tell()
    }

    /// Apple has taken it; asked without a copy of the outcome.
    final var isAccepted: Bool { if case .accepted? = outcome { true } else { false } }

    /// The outcome, once whoever waits was told of it.
    final var told: PushOutcome {
        guard let outcome else { preconditionFailure("the caller was told before there was an outcome") }
        return outcome
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
        return .notSent(notSent.after(outcome))
    }

    /// What is true when the answer to a later attempt was that it may succeed another time.
    func ending(_ rejection: Rejection) -> PushOutcome {
        guard var unknown, !rejection.isFinal else { return .rejected(rejection) }
        unknown.trace.attempts = rejection.trace.attempts
        let word = rejection.reason.map { " " + PeerText.printable($0.rawValue) } ?? ""
        unknown.description += " A later attempt was rejected: \(rejection.status)\(word)."
        return .unknown(unknown)
    }
}

extension NotSent {
    /// The same, with what had kept it from being sent before.
    fileprivate func after(_ earlier: PushOutcome) -> NotSent {
        guard case .notSent(let first) = earlier, first.description != description else { return self }
        var all = self
        all.description += " Before that: \(first.description)"
        return all
    }
}

extension PendingSend {
    /// The outcome of a send that leaves the queue without being sent, or without being sent once more.
    func unsent(
        _ cause: NotSent.Cause, _ message: String, phase: PushPhase = .queue, isConnectionHopeless: Bool = false,
        now: MonotonicTime
    ) -> PushOutcome {
        let before = past?.outcome.trace
        let trace = PushTrace(
            queued: begun.duration(to: now), inFlight: before?.inFlight ?? .zero,
            attempts: past?.history.attempts ?? 0, connection: before?.connection)
        return final(
            .notSent(
                NotSent(
                    cause: cause, phase: phase, description: message, trace: trace,
                    isConnectionHopeless: isConnectionHopeless)))
    }

    /// The outcome of the last attempt, in the light of those before.
    func final(_ outcome: PushOutcome) -> PushOutcome {
        guard let past else { return outcome }
        return switch outcome {
        case .notSent(let notSent): past.ending(notSent)
        case .rejected(let rejection): past.ending(rejection)
        case .accepted, .unknown: outcome
        }
    }

    /// Whether it is the notification's own expiration that has come, and not the deadline.
    func hasExpired(now: MonotonicTime) -> Bool {
        limit < deadline && limit <= now
    }
}
