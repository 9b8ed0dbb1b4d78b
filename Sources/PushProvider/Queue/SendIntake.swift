internal import NIOConcurrencyHelpers

/// A send that will be sent again, and its outcome if that is impossible.
struct PendingRetry {
    var send: PendingSend
    var outcome: PushOutcome
    /// The earliest time to send it.
    var at: MonotonicTime
}

/// The exchange between callers and event loops: an inbox that a caller locks only for one append, the queue behind it,
/// and at most one wake-up for a burst of sends.
///
/// There are two locks, always taken in the order queue, inbox. A caller takes only the lock of the inbox, so it never
/// waits while an event loop takes a thousand sends out of the queue.
package final class SendIntake: Sendable {
    private struct Inbox {
        var arrivals: [PendingSend] = []
        /// Why nothing more is accepted.
        var closed: PushOutcome.Cause?
        /// Whether the event loop has nothing to do and the next send must wake it.
        var loopSleeps = true
        /// When the event loop next checks for limits that have passed.
        var nextSweep = MonotonicTime.never
        /// The topics that APNs refuses, and until when no notifications for them are accepted.
        var refusedTopics: [String: MonotonicTime] = [:]

        /// Whether APNs refuses the topic of a send. Almost always no topic is refused.
        func refuses(_ send: PendingSend) -> Bool {
            guard !refusedTopics.isEmpty, let until = refusedTopics[send.topic ?? ""] else { return false }
            return send.begun < until
        }
    }

    private let inbox = NIOLockedValueBox(Inbox())
    private let state: NIOLockedValueBox<QueueState>

    private struct QueueState {
        var queue: SendQueue
        /// The buffer that the inbox gets in exchange for a full one, so that a burst does not allocate.
        var spare: [PendingSend] = []
        /// Whether no more sends can come back.
        var isOver = false
    }

    /// The maximum contents of the queue. When it is full, callers wait.
    let bound: SendQueue.Bound

    init(bound: SendQueue.Bound) {
        self.bound = bound
        state = NIOLockedValueBox(QueueState(queue: SendQueue(bound: bound)))
    }

    // MARK: For callers

    enum EnqueueResult: Equatable {
        /// It is queued, or its caller waits for space.
        case taken(wakeLoop: Bool)
        /// It was refused. The caller must set its outcome.
        case refused(PushOutcome.Cause)
    }

    func enqueue(_ send: PendingSend) -> EnqueueResult {
        inbox.withLockedValue { inbox in
            // It was cancelled before it was queued.
            if send.stage == .ended { return .refused(.cancelled) }
            if let cause = inbox.closed {
                send.stage = .ended
                return .refused(cause)
            }
            if inbox.refuses(send) {
                send.stage = .ended
                return .refused(.topicRefused)
            }
            send.stage = .inInbox
            inbox.arrivals.append(send)
            let wake = inbox.loopSleeps || send.limit < inbox.nextSweep
            if wake {
                inbox.loopSleeps = false
                inbox.nextSweep = min(inbox.nextSweep, send.limit)
            }
            return .taken(wakeLoop: wake)
        }
    }

    enum Cancellation: Equatable {
        /// It has left the queue. The caller must set its outcome.
        case withdrawn
        /// A connection has it: the event loop must decide.
        case onConnection
        /// There is nothing to do.
        case tooLate
    }

    func cancel(_ send: PendingSend) -> Cancellation {
        state.withLockedValue { state in
            let wasNew = inbox.withLockedValue { _ in
                guard send.stage == .new else { return false }
                send.stage = .ended
                return true
            }
            if wasNew { return .tooLate }
            admit(to: &state)
            switch send.stage {
            case .queued, .waitingForRoom, .returned, .resting, .waitingForKey:
                return state.queue.withdraw(send) ? .withdrawn : .tooLate
            case .onConnection: return .onConnection
            case .new, .inInbox, .ended: return .tooLate
            }
        }
    }

    // MARK: For event loops

    /// Takes sends for a connection. A connection that stops before it gets none must make sure that the queue is
    /// checked again, with ``hasWork()`` or a timer.
    ///
    /// - Returns: Sends that have left the queue, because a newer one with their collapse id was taken. The caller must
    ///   set their outcome.
    @discardableResult
    func take(
        _ maximum: Int, bodyBytes: Int = .max, now: MonotonicTime = MonotonicTime(nanoseconds: 0),
        into taken: inout [PendingSend]
    ) -> [PendingSend] {
        state.withLockedValue { state in
            admit(to: &state)
            return state.queue.take(maximum, bodyBytes: bodyBytes, now: now, into: &taken)
        }
    }

    /// Records that sends with a collapse id have their outcomes, and puts the next one of each into the queue.
    ///
    /// - Returns: Whether a send that waited for its key can be sent, since the last call.
    func ended(_ sends: [PendingSend]) -> Bool {
        state.withLockedValue { state in
            for send in sends { state.queue.ended(send) }
            return state.queue.takeHasFreed()
        }
    }

    /// Whether anything can be sent now. It does not change who is woken by the next send.
    func holdsSendable() -> Bool {
        state.withLockedValue { state in
            admit(to: &state)
            return !state.queue.isEmpty
        }
    }

    /// Whether anything waits to be sent. If nothing does, the next send wakes the event loop.
    func hasWork() -> Bool {
        state.withLockedValue { state in
            admit(to: &state)
            return !(state.queue.isEmpty && sleepIfNothingArrived())
        }
    }

    /// Takes back sends that a connection had: to the front of the queue now, or later at their time.
    ///
    /// - Returns: `false` if the queue is closed permanently and nothing was taken back.
    func putBack(_ retries: [PendingRetry], now: MonotonicTime) -> Bool {
        state.withLockedValue { state in
            guard !state.isOver else { return false }
            state.queue.putBack(retries.lazy.filter { $0.at <= now }.map(\.send))
            for retry in retries where retry.at > now { state.queue.putBack(retry.send, at: retry.at) }
            return true
        }
    }

    /// Moves resting sends to the front when their time has come.
    func release(now: MonotonicTime) {
        state.withLockedValue { $0.queue.release(now: now) }
    }

    /// Whether anything is in the queue, including sends that rest.
    func holdsAnything() -> Bool {
        hasWork() || state.withLockedValue { !$0.queue.holdsNothing }
    }

    func withdrawLate(now: MonotonicTime) -> [(send: PendingSend, hadRoom: Bool, hadKey: Bool)] {
        state.withLockedValue { state in
            admit(to: &state)
            return state.queue.withdrawLate(now: now)
        }
    }

    /// Returns when to check the queue next: at the earliest limit in it, or when the next resting send may be sent.
    func planSweep() -> MonotonicTime? {
        state.withLockedValue { state in
            // A send that arrives from here on wakes the event loop with its own deadline.
            inbox.withLockedValue { $0.nextSweep = .never }
            admit(to: &state)
            let next = [state.queue.nextLimit(), state.queue.nextRelease()].compactMap { $0 }.min()
            inbox.withLockedValue { $0.nextSweep = min($0.nextSweep, next ?? .never) }
            return next
        }
    }

    /// Takes everything out. With a cause, nothing more is accepted.
    func withdrawAll(closing cause: PushOutcome.Cause? = nil) -> [PendingSend] {
        state.withLockedValue { state in
            if let cause {
                close(cause)
                state.isOver = true
            }
            // A send that arrives between the two calls would not wake the event loop.
            repeat { admit(to: &state) } while !sleepIfNothingArrived()
            return state.queue.withdrawAll()
        }
    }

    /// Refuses new sends for a topic until a time, and takes out the queued ones.
    ///
    /// - Returns: The sends that were queued; `nil` if the topic is already refused.
    func refuse(_ topic: String, until time: MonotonicTime, now: MonotonicTime) -> [PendingSend]? {
        state.withLockedValue { state in
            let isNew = inbox.withLockedValue { inbox in
                inbox.refusedTopics = inbox.refusedTopics.filter { $0.value > now }
                guard inbox.refusedTopics.count < TopicRefusals.maximumTopics else { return false }
                return inbox.refusedTopics.updateValue(time, forKey: topic) == nil
            }
            guard isNew else { return nil }
            admit(to: &state)
            return state.queue.withdrawAll { ($0.topic ?? "") == topic }
        }
    }

    /// Returns the description for a notification that was not sent because APNs refuses its topic.
    static func refusal(of topic: String) -> String {
        """
        APNs refuses the topic "\(PeerText.printable(topic))" with these credentials. Check the bundle id, and that the key or \
        certificate belongs to the team of the app. Nothing is sent to this topic for \(RefusalPause.duration.seconds) s.
        """
    }

    /// Refuses new sends. Queued ones stay.
    func close(_ cause: PushOutcome.Cause) {
        inbox.withLockedValue { $0.closed = cause }
    }

    var counts: (queued: Int, bytes: Int, waiting: Int) {
        state.withLockedValue { state in
            admit(to: &state)
            return (state.queue.count, state.queue.bytes, state.queue.waitingCount)
        }
    }

    func reading() -> QueueFigures {
        state.withLockedValue { state in
            admit(to: &state)
            return state.queue.reading
        }
    }

    // MARK: From the inbox to the queue

    private func admit(to state: inout QueueState) {
        inbox.withLockedValue { swap(&$0.arrivals, &state.spare) }
        state.queue.enqueue(&state.spare)
    }

    private func sleepIfNothingArrived() -> Bool {
        inbox.withLockedValue { inbox in
            guard inbox.arrivals.isEmpty else { return false }
            inbox.loopSleeps = true
            return true
        }
    }
}
