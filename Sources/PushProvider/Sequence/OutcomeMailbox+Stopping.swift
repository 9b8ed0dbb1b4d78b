/// Stops a sequence when its outcomes show that further notifications would fail too.
extension OutcomeMailbox {
    /// The settings and callbacks that stop a sequence.
    struct Breaker {
        /// Counts mismatches of token and setup; `nil` if this check is off.
        var watch: MismatchWatch?
        /// Creates the error. The send is the last notification that was rejected.
        var diagnose: @Sendable (MismatchWatch.Result, PendingSend) -> PushMismatch
        /// Reports the stop in the log and the metrics.
        var stopped: @Sendable (PushMismatch) -> Void
        /// Ends a send that is still in the queue.
        var withdraw: @Sendable (PendingSend, PushMismatch) -> Void
    }

    /// The remaining work of a stop, done outside the lock.
    struct Stop {
        /// The mismatch; `nil` if the credentials or topics are refused. The client reports a refusal itself, and ends
        /// what it cannot send.
        var mismatch: PushMismatch?
        var reading: Task<Void, Never>?
        var writer: UnsafeContinuation<Void, Never>?
        var underWay: [SequencedSend] = []
    }

    /// Counts one outcome.
    ///
    /// - Parameters:
    ///   - send: A send with its outcome.
    ///   - state: The state, locked.
    /// - Returns: The work to do if the sequence stops now; otherwise `nil`.
    func see(_ send: SequencedSend, _ state: inout State) -> Stop? {
        // Only the first reason to stop is reported.
        // The breaker is not copied: it is needed only for a stop.
        guard breaker != nil, !state.isStopped else { return nil }
        let answer: MismatchWatch.Answer
        var reason: RejectionReason?
        if send.isAccepted {
            state.unsent.answered()
            answer = .fits
        } else {
            let outcome = send.deliveredOutcome
            switch outcome {
            case .notSent(let notSent): return seeUnsent(notSent, &state)
            case .unknown, .invalid: return nil
            case .accepted: break
            case .rejected(let rejection):
                if !rejection.concernsSender { state.unsent.answered() }
                reason = rejection.reason ?? RejectionReason(rawValue: "\(rejection.status)")
            }
            guard let counted = MismatchWatch.Answer(outcome) else { return nil }
            answer = counted
        }
        guard let result = state.watch?.answered(answer, topic: send.topic, reason: reason), let breaker else {
            return nil
        }
        let mismatch = breaker.diagnose(result, send)
        state.mismatch = mismatch
        return stop(mismatch, &state, underWay: state.underWay.compactMap { $0 })
    }

    private func seeUnsent(_ notSent: PushOutcome.NotSent, _ state: inout State) -> Stop? {
        guard let count = state.unsent.wasUnsent(notSent.cause) else { return nil }
        state.refused = PushCredentialsRefused(notSent.cause, unsent: count, reason: notSent.description)
        return stop(nil, &state)
    }

    private func stop(_ mismatch: PushMismatch?, _ state: inout State, underWay: [SequencedSend] = []) -> Stop {
        state.isStopping = true
        return Stop(mismatch: mismatch, reading: state.reading, writer: state.writer.take(), underWay: underWay)
    }

    /// Stops the sequence: nothing more is read, and sends in the queue end. Notifications in flight keep their own
    /// outcomes. The stop is logged before the reader gets the error.
    func perform(_ stop: Stop) {
        defer { hasStopped() }
        stop.reading?.cancel()
        stop.writer?.resume()
        guard let breaker, let mismatch = stop.mismatch else { return }
        breaker.stopped(mismatch)
        for send in stop.underWay { breaker.withdraw(send, mismatch) }
    }
}
