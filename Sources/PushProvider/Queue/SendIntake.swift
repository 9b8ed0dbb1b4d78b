internal import NIOConcurrencyHelpers

/// A send that is to be sent again, and what it is told if that cannot be.
struct PendingRetry {
    var send: PendingSend
    var outcome: PushOutcome
    /// Not before.
    var at: MonotonicTime
}

/// The door between callers and event loops: an inbox that a caller holds for the blink of an append, the queue behind
/// it, and at most one wake-up for a burst of sends.
///
/// Two locks, always taken in the order queue, inbox. A caller that hands in takes only the inbox's, so it never waits
/// for a loop that takes a thousand sends out of the queue.
package final class SendIntake: Sendable {
    private struct Inbox {
        var arrivals: [PendingSend] = []
        /// Why nothing is taken any more.
        var closed: NotSent.Cause?
        /// The loop has nothing to do and wants to be woken by the next send.
        var loopSleeps = true
        /// When the loop next looks for limits that have come.
        var nextSweep = MonotonicTime.never
        /// Topics that APNs refuses, and until when nothing is taken in for them.
        var refusedTopics: [String: MonotonicTime] = [:]

        /// Whether APNs refuses the topic of a send. Almost always there is no such topic.
        func refuses(_ send: PendingSend) -> Bool {
            guard !refusedTopics.isEmpty, let until = refusedTopics[send.topic ?? ""] else { return false }
            return send.begun < until
        }
    }

    private let inbox = NIOLockedValueBox(Inbox())
    private let backlog: NIOLockedValueBox<Backlog>

    private struct Backlog {
        var queue: SendQueue
        /// The buffer that the inbox gets in exchange for a full one: it need not grow anew for each burst.
        var spare: [PendingSend] = []
        /// Nothing comes back any more.
        var isOver = false
    }

    /// How much is queued before callers have to wait.
    let bound: SendQueue.Bound

    init(bound: SendQueue.Bound) {
        self.bound = bound
        backlog = NIOLockedValueBox(Backlog(queue: SendQueue(bound: bound)))
    }

    // MARK: For callers

    enum HandIn: Equatable {
        /// It is queued, or its caller waits for room.
        case taken(wakeLoop: Bool)
        /// It was not taken and has its outcome to be given.
        case refused(NotSent.Cause)
    }

    func handIn(_ send: PendingSend) -> HandIn {
        inbox.withLockedValue { inbox in
            // Cancelled before it was handed in.
            if send.stage == .ended { return .refused(.cancelled) }
            if let cause = inbox.closed {
                send.stage = .ended
                return .refused(cause)
            }
            if inbox.refuses(send) {
                send.stage = .ended
                return .refused(.topicRefused)
            }
            send.stage = .handedIn
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
        /// It has left the queue; its outcome is to be given.
        case withdrawn
        /// A connection has it: the loop must decide.
        case onConnection
        /// There is nothing to do.
        case tooLate
    }

    func cancel(_ send: PendingSend) -> Cancellation {
        backlog.withLockedValue { backlog in
            let wasNew = inbox.withLockedValue { _ in
                guard send.stage == .new else { return false }
                send.stage = .ended
                return true
            }
            if wasNew { return .tooLate }
            admit(to: &backlog)
            switch send.stage {
            case .queued, .waitingForRoom, .returned, .resting:
                return backlog.queue.withdraw(send) ? .withdrawn : .tooLate
            case .onConnection: return .onConnection
            case .new, .handedIn, .ended: return .tooLate
            }
        }
    }

    // MARK: For event loops

    /// Takes sends for a connection. Whoever stops asking before it gets none sees to it that somebody looks again, by
    /// ``hasWork()`` or by the clock.
    func take(_ most: Int, bodyBytes: Int = .max, into taken: inout [PendingSend]) {
        backlog.withLockedValue { backlog in
            admit(to: &backlog)
            backlog.queue.take(most, bodyBytes: bodyBytes, into: &taken)
        }
    }

    /// Whether anything could be sent now; nobody is woken for it.
    func holdsSendable() -> Bool {
        backlog.withLockedValue { backlog in
            admit(to: &backlog)
            return !backlog.queue.isEmpty
        }
    }

    /// Whether anything waits to be sent. When nothing does, the next send wakes the loop.
    func hasWork() -> Bool {
        backlog.withLockedValue { backlog in
            admit(to: &backlog)
            return !(backlog.queue.isEmpty && sleepIfNothingArrived())
        }
    }

    /// Takes back what a connection had: at the front at once, or later at its time.
    ///
    /// - Returns: `false` when it is over and nothing was taken back.
    func putBack(_ comebacks: [PendingRetry], now: MonotonicTime) -> Bool {
        backlog.withLockedValue { backlog in
            guard !backlog.isOver else { return false }
            backlog.queue.putBack(comebacks.lazy.filter { $0.at <= now }.map(\.send))
            for retry in comebacks where retry.at > now { backlog.queue.putBack(retry.send, at: retry.at) }
            return true
        }
    }

    /// Lets those that rest go to the front whose time has come.
    func release(now: MonotonicTime) {
        backlog.withLockedValue { $0.queue.release(now: now) }
    }

    /// Whether anything is in here, be it for later.
    func holdsAnything() -> Bool {
        hasWork() || backlog.withLockedValue { !$0.queue.holdsNothing }
    }

    func withdrawExpired(now: MonotonicTime) -> [(send: PendingSend, hadRoom: Bool)] {
        backlog.withLockedValue { backlog in
            admit(to: &backlog)
            return backlog.queue.withdrawExpired(now: now)
        }
    }

    /// Says when the queue is looked at next: at the earliest limit in it, or when the next of those that rest may be sent.
    func planSweep() -> MonotonicTime? {
        backlog.withLockedValue { backlog in
            // Whoever hands in from here on wakes the loop with its own deadline.
            inbox.withLockedValue { $0.nextSweep = .never }
            admit(to: &backlog)
            let next = [backlog.queue.nextLimit(), backlog.queue.nextRelease()].compactMap { $0 }.min()
            inbox.withLockedValue { $0.nextSweep = min($0.nextSweep, next ?? .never) }
            return next
        }
    }

    /// Takes everything out, and nothing more in when a cause is given.
    func withdrawAll(closing cause: NotSent.Cause? = nil) -> [PendingSend] {
        backlog.withLockedValue { backlog in
            if let cause {
                close(cause)
                backlog.isOver = true
            }
            // Whoever arrived between the two would wait for a loop that believes itself awake.
            repeat { admit(to: &backlog) } while !sleepIfNothingArrived()
            return backlog.queue.withdrawAll()
        }
    }

    /// Takes nothing more in for a topic until a time, and takes out what is queued for it.
    ///
    /// - Returns: What was queued; `nil` when the topic is refused already.
    func refuse(_ topic: String, until time: MonotonicTime, now: MonotonicTime) -> [PendingSend]? {
        backlog.withLockedValue { backlog in
            let isNew = inbox.withLockedValue { inbox in
                inbox.refusedTopics = inbox.refusedTopics.filter { $0.value > now }
                guard inbox.refusedTopics.count < TopicRefusals.mostTopics else { return false }
                return inbox.refusedTopics.updateValue(time, forKey: topic) == nil
            }
            guard isNew else { return nil }
            admit(to: &backlog)
            return backlog.queue.withdrawAll { ($0.topic ?? "") == topic }
        }
    }

    /// What a caller is told whose notification was not sent because APNs refuses its topic.
    static func refusal(of topic: String) -> String {
        """
        APNs refuses the topic "\(PeerText.printable(topic))" with these credentials. Check the bundle id, and that the key or \
        certificate belongs to the team of the app; nothing is sent to it for \(RefusalPause.duration.seconds) s.
        """
    }

    /// Takes nothing more in; what is queued stays.
    func close(_ cause: NotSent.Cause) {
        inbox.withLockedValue { $0.closed = cause }
    }

    var counts: (queued: Int, bytes: Int, waiting: Int) {
        backlog.withLockedValue { backlog in
            admit(to: &backlog)
            return (backlog.queue.count, backlog.queue.bytes, backlog.queue.waitingCount)
        }
    }

    func reading() -> QueueFigures {
        backlog.withLockedValue { backlog in
            admit(to: &backlog)
            return backlog.queue.reading
        }
    }

    // MARK: From the inbox to the queue

    private func admit(to backlog: inout Backlog) {
        inbox.withLockedValue { swap(&$0.arrivals, &backlog.spare) }
        backlog.queue.enqueue(&backlog.spare)
    }

    private func sleepIfNothingArrived() -> Bool {
        inbox.withLockedValue { inbox in
            guard inbox.arrivals.isEmpty else { return false }
            inbox.loopSleeps = true
            return true
        }
    }
}
