internal import Logging
internal import PushWire

/// One notification, from the call to its outcome. It is one object, so that each notification needs one allocation.
///
/// It has one owner at a time, which makes it safe to pass between threads. While it is in the queue, all of it belongs
/// to the lock of its client's queue (``SendIntake``). While a connection has it, everything except `stage`, `number`
/// and `isWatched` belongs to the connection's event loop; these three stay with the lock.
// The compiler cannot check an owner that changes. The rule is the paragraph above.
package class PendingSend: @unchecked Sendable {
    /// Where the notification is, as the queue sees it.
    enum Stage: Equatable {
        case new
        case inInbox
        /// The queue is full: the caller waits for space.
        case waitingForRoom
        case queued
        /// A connection has taken it.
        case onConnection
        /// It has come back from a connection and will be sent again at once.
        case returned
        /// It has come back from a connection and will be sent again later.
        case resting
        /// Another send with its key is on the way: it waits for that one.
        case waitingForKey
        /// It has left the queue with an outcome, or was cancelled before it was queued.
        case ended

        var isInQueue: Bool {
            switch self {
            case .waitingForRoom, .queued, .returned, .resting, .waitingForKey: true
            case .new, .inInbox, .onConnection, .ended: false
            }
        }
    }

    /// The contents of a send, created from a notification before it is queued.
    struct Contents {
        var kind = RequestKind.push
        var fields: OutgoingFields
        var body: [UInt8]
        var id: RequestID?
        var begun: MonotonicTime
        var deadline: MonotonicTime
        var expires = MonotonicTime.never
        /// ``PushNotification/registeredAt``, in milliseconds since 1970.
        var registered: Int64?
        /// Only with a collapse id.
        var key: CollapseKey?
    }

    final let kind: RequestKind
    final let fields: OutgoingFields
    final let body: [UInt8]
    /// The fields and the body, for a connection.
    final let request: OutgoingRequest
    final let id: RequestID?
    /// When the app registered the device token, in milliseconds since 1970.
    final let registered: Int64?
    /// Which sends it replaces on its device, and which replace it; `nil` without a collapse id.
    final let key: CollapseKey?
    final let begun: MonotonicTime
    final let deadline: MonotonicTime
    /// The deadline or the notification's own expiration, whichever is first.
    final let limit: MonotonicTime

    @exclusivity(unchecked) final var stage = Stage.new
    /// With a key: its place in the order of arrival. It keeps it when it is sent again.
    @exclusivity(unchecked) final var number = 0
    /// Whether the queue's table of limits has it or does not need it.
    @exclusivity(unchecked) final var isWatched = false
    /// Whether it has had an outcome.
    @exclusivity(unchecked) private final var isConcluded = false
    /// The attempts before. Most sends have none.
    @exclusivity(unchecked) final var past: PastAttempts?
    /// Only with a tracing backend.
    @exclusivity(unchecked) final var span: PushSpan?
    /// Only if the caller gave one for this notification.
    @exclusivity(unchecked) final var logger: Logger?
    /// The outcome. It is set before the waiting caller is resumed, and never changes until ``takeOutcome()``.
    @exclusivity(unchecked) private(set) final var outcome: PushOutcome?
    /// The caller that waits for the outcome. ``deliver()`` resumes it exactly once.
    @exclusivity(unchecked) final var continuation: UnsafeContinuation<Void, Never>?
    /// The mailbox of a sequence, instead of a caller. The send is then a ``SequencedSend``.
    ///
    /// The reference is not counted, because all sends of a sequence share it. A mailbox keeps itself alive while any
    /// of its sends has no outcome.
    @exclusivity(unchecked) final var mailbox: Unmanaged<OutcomeReceiver>?

    /// Whether the client reports a temporary failure at once, and does not wait before another attempt.
    final var leavesPausesToSequence: Bool { mailbox?._withUnsafeGuaranteedRef { $0.pausesForItsSends } ?? false }

    /// The topic. The lookup is slow; use it only in rare cases.
    final var topic: String? { fields[APNSHeader.topic] }

    init(_ contents: consuming Contents) {
        kind = contents.kind
        fields = contents.fields
        body = contents.body
        request = OutgoingRequest(contents.fields, method: contents.kind.method, body: contents.body)
        id = contents.id
        byteCount = contents.fields.byteCount + contents.body.count
        registered = contents.registered
        key = contents.key
        begun = contents.begun
        deadline = contents.deadline
        limit = min(contents.deadline, contents.expires)
    }

    /// The id in the form in which it is sent; empty if none is sent.
    final var apnsID: String { id?.description ?? "" }

    /// The number of bytes that counts against the limit of the queue.
    final let byteCount: Int

    /// Sets the outcome. Only the first one counts, and there should be no second one.
    final func conclude(_ outcome: consuming PushOutcome) {
        guard !isConcluded else { return }
        isConcluded = true
        self.outcome = consume outcome
        if span != nil { endSpan() }
        if logger != nil { logOutcome() }
    }

    private func logOutcome() {
        guard let outcome else { return }
        log(outcome)
    }

    private func endSpan() {
        guard let outcome, let span else { return }
        self.span = nil
        span.end(outcome, id: id)
    }

    /// Resumes the waiting caller, or delivers to the mailbox.
    final func deliver() {
        if let continuation {
            self.continuation = nil
            continuation.resume()
        } else if let mailbox {
            mailbox._withUnsafeGuaranteedRef { $0.deliver([self]) }
        }
    }

    /// Sets the outcome and reports it to the caller.
    final func end(_ outcome: PushOutcome) {
        conclude(outcome)
        deliver()
    }

    /// Whether APNs has accepted it. This needs no copy of the outcome.
    final var isAccepted: Bool { if case .accepted? = outcome { true } else { false } }

    /// The outcome, after the caller was resumed.
    final var deliveredOutcome: PushOutcome {
        guard let outcome else { preconditionFailure("the caller was resumed before there was an outcome") }
        return outcome
    }

    /// Moves the outcome out, for the caller that was resumed. Call it only once. A copy would count several references.
    final func takeOutcome() -> PushOutcome {
        guard let outcome = outcome.take() else {
            preconditionFailure("the caller was resumed before there was an outcome")
        }
        return outcome
    }
}

/// The attempts before the present one.
final class PastAttempts {
    let history: RetryHistory
    let outcome: PushOutcome
    /// The last attempt whose outcome is unknown.
    let unknown: PushOutcome.Unknown?

    init(history: RetryHistory, outcome: PushOutcome, before: PastAttempts?) {
        self.history = history
        self.outcome = outcome
        if case .unknown(let unknown) = outcome { self.unknown = unknown } else { unknown = before?.unknown }
    }

    /// Returns the outcome if a later attempt was provably not processed, or was not made.
    func ending(_ notSent: PushOutcome.NotSent) -> PushOutcome {
        if var unknown {
            unknown.trace.attempts = notSent.trace.attempts
            return .unknown(unknown)
        }
        // The rejection by APNs says more than that the retry was not made, except if no retry will ever be made.
        let causes: [PushOutcome.Cause] = [.refused, .connectionLost, .superseded]
        if case .rejected(var rejection) = outcome, !causes.contains(notSent.cause) {
            rejection.againAfter = .zero
            return .rejected(rejection)
        }
        return .notSent(notSent.after(outcome))
    }

    /// Returns the outcome if APNs rejects a later attempt with a temporary reason.
    func ending(_ rejection: PushOutcome.Rejection) -> PushOutcome {
        guard var unknown, !rejection.isFinal else { return .rejected(rejection) }
        unknown.trace.attempts = rejection.trace.attempts
        let reason = rejection.reason.map { " " + PeerText.printable($0.rawValue) } ?? ""
        unknown.description += " A later attempt was rejected: \(rejection.status)\(reason)."
        return .unknown(unknown)
    }
}

extension PushOutcome.NotSent {
    /// Returns a copy whose description includes why it was not sent before.
    fileprivate func after(_ earlier: PushOutcome) -> PushOutcome.NotSent {
        guard case .notSent(let first) = earlier, first.description != description else { return self }
        var all = self
        all.description += " Before that: \(first.description)"
        return all
    }
}

extension PendingSend {
    /// Returns the outcome of a send that leaves the queue without being sent, or without being sent again.
    func unsent(
        _ cause: PushOutcome.Cause, _ message: String, phase: PushOutcome.Phase = .queue,
        isConnectionHopeless: Bool = false,
        now: MonotonicTime
    ) -> PushOutcome {
        let before = past?.outcome.trace
        let trace = PushOutcome.Trace(
            queued: begun.duration(to: now), inFlight: before?.inFlight ?? .zero,
            attempts: past?.history.attempts ?? 0, connection: before?.connection)
        return final(
            .notSent(
                PushOutcome.NotSent(
                    cause: cause, phase: phase, description: message, trace: trace,
                    isConnectionHopeless: isConnectionHopeless)))
    }

    /// Returns the outcome of a send that leaves the queue, because a newer one with its key was started.
    func superseded(now: MonotonicTime) -> PushOutcome {
        unsent(.superseded, PushOutcome.NotSent.superseding, now: now)
    }

    /// Returns the final outcome: that of the last attempt, combined with those before.
    func final(_ outcome: PushOutcome) -> PushOutcome {
        guard let past else { return outcome }
        return switch outcome {
        case .notSent(let notSent): past.ending(notSent)
        case .rejected(let rejection): past.ending(rejection)
        case .accepted, .unknown, .invalid: outcome
        }
    }

    /// What has passed when ``limit`` has passed: the notification's own expiration or the deadline.
    var whatPassed: (cause: PushOutcome.Cause, name: String) {
        limit < deadline ? (.expired, "expiration") : (.deadline, "deadline")
    }
}

/// What one notification logs, if its caller gave a logger for it.
extension PendingSend {
    /// Logs that the notification is sent again.
    final func logRetry(_ outcome: PushOutcome, attempt: Int, in wait: Duration) {
        guard let logger else { return }
        logger.info(
            "the notification is sent again",
            metadata: ["apns-id": "\(apnsID)", "attempt": "\(attempt)", "in": "\(wait)", "why": "\(outcome)"])
    }

    /// Logs the outcome: an acceptance at level debug, every other outcome at level notice.
    final func log(_ outcome: PushOutcome) {
        guard let logger else { return }
        let level = isAccepted ? Logger.Level.debug : .notice
        logger.log(level: level, "the notification has its outcome", metadata: ["outcome": "\(outcome)"])
    }
}

/// Receives the outcomes of sends for which no single caller waits: those of a sequence.
// The compiler checks only classes that cannot be subclassed. This class has only a constant, and its only subclass
// proves its own safety.
@usableFromInline package class OutcomeReceiver: @unchecked Sendable {
    /// Whether the reader of the sequence decides when to send again. Then the client does not retry by itself after a
    /// pause: it reports a temporary failure at once.
    final let pausesForItsSends: Bool

    init(pausesForItsSends: Bool) {
        self.pausesForItsSends = pausesForItsSends
    }

    /// Why no more notifications are accepted.
    var refusal: (cause: PushOutcome.Cause, message: String) { (.cancelled, "its task was cancelled.") }

    /// Receives sends that have their outcomes. All of them were in flight or queued for this receiver.
    func deliver(_ sends: ArraySlice<PendingSend>) {}
}
