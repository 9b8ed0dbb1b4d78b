internal import NIOConcurrencyHelpers

/// The door between callers and the event loop: the queue behind a lock, and at most one wake-up for a burst of sends.
final class SendDesk: Sendable {
    private struct State {
        var queue: SendQueue
        /// Why nothing is taken any more.
        var closed: NotSent.Cause?
        /// The loop has nothing to do and wants to be woken by the next send.
        var loopSleeps = true
        /// When the loop next looks for deadlines that have passed.
        var nextSweep = MonotonicTime.never
    }

    private let state: NIOLockedValueBox<State>

    init(bound: SendQueue.Bound) {
        state = NIOLockedValueBox(State(queue: SendQueue(bound: bound)))
    }

    // MARK: For callers

    enum HandIn: Equatable {
        /// It is queued, or its caller waits for room.
        case taken(wakeLoop: Bool)
        /// It was not taken and has its outcome to be given.
        case refused(NotSent.Cause)
    }

    func handIn(_ send: PendingSend) -> HandIn {
        state.withLockedValue { state in
            // Cancelled before it was handed in.
            if send.place == .ended { return .refused(.cancelled) }
            if let cause = state.closed {
                send.place = .ended
                return .refused(cause)
            }
            state.queue.enqueue(send)
            let wake = state.loopSleeps || send.deadline < state.nextSweep
            if wake {
                state.loopSleeps = false
                state.nextSweep = min(state.nextSweep, send.deadline)
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
        state.withLockedValue { state in
            switch send.place {
            case .new:
                send.place = .ended
                return .tooLate
            case .queued, .waitingForRoom:
                return state.queue.withdraw(send) ? .withdrawn : .tooLate
            case .onConnection: return .onConnection
            case .ended: return .tooLate
            }
        }
    }

    // MARK: For the event loop

    /// Takes sends for a connection. When there are fewer than asked for, the next send wakes the loop.
    func take(_ most: Int, into taken: inout [PendingSend]) {
        state.withLockedValue { state in
            state.queue.take(most, into: &taken)
            if state.queue.isEmpty { state.loopSleeps = true }
        }
    }

    /// Whether anything waits to be sent. When nothing does, the next send wakes the loop.
    func hasWork() -> Bool {
        state.withLockedValue { state in
            if state.queue.isEmpty { state.loopSleeps = true }
            return !state.queue.isEmpty
        }
    }

    func withdrawExpired(now: MonotonicTime) -> [(send: PendingSend, hadRoom: Bool)] {
        state.withLockedValue { $0.queue.withdrawExpired(now: now) }
    }

    /// Says when deadlines are looked at next: at the earliest one of the queue or of the connections.
    func planSweep(connections: MonotonicTime?) -> MonotonicTime? {
        state.withLockedValue { state in
            let next = [state.queue.nextDeadline, connections].compactMap { $0 }.min()
            state.nextSweep = next ?? .never
            return next
        }
    }

    /// Takes everything out, and nothing more in when a cause is given.
    func withdrawAll(closing cause: NotSent.Cause? = nil) -> [PendingSend] {
        state.withLockedValue { state in
            if let cause { state.closed = cause }
            state.loopSleeps = true
            return state.queue.withdrawAll()
        }
    }

    /// Takes nothing more in; what is queued stays.
    func close(_ cause: NotSent.Cause) {
        state.withLockedValue { $0.closed = cause }
    }

    var counts: (queued: Int, bytes: Int, waiting: Int) {
        state.withLockedValue { ($0.queue.count, $0.queue.bytes, $0.queue.waitingCount) }
    }
}
