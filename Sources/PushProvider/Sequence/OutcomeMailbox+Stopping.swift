/// When the outcomes of a sequence show that it is of no use to go on.
extension OutcomeMailbox {
    /// What is done when it is of no use to go on.
    struct Breaker {
        /// Whether token and setup fit; `nil` where nobody asks.
        var watch: MismatchWatch?
        /// Puts it into words; the send is one that was rejected for it.
        var diagnose: @Sendable (MismatchWatch.Verdict, PendingSend) -> PushMismatch
        /// Tells somebody.
        var stopped: @Sendable (PushMismatch) -> Void
        /// Takes one back that no connection has.
        var withdraw: @Sendable (PendingSend, PushMismatch) -> Void
    }

    /// What is left to do when the outcomes have shown that it is of no use to go on.
    struct Stop {
        /// `nil` when it is the credentials: the client tells of them itself, and what it cannot send comes back.
        var mismatch: PushMismatch?
        var reading: Task<Void, Never>?
        var writer: UnsafeContinuation<Void, Never>?
        var underWay: [SequencedSend] = []
    }

    func see(_ send: SequencedSend, _ state: inout State) -> Stop? {
        // The first to be seen is the one that is told.
        guard let breaker, state.mismatch == nil, state.refused == nil else { return nil }
        let answer: MismatchWatch.Answer
        var reason: RejectionReason?
        if send.isAccepted {
            state.unsent.answered()
            answer = .fits
        } else {
            let outcome = send.told
            switch outcome {
            case .notSent(let notSent): return seeUnsent(notSent, &state)
            case .unknown: return nil
            case .accepted: break
            case .rejected(let rejection):
                if !rejection.concernsSender { state.unsent.answered() }
                reason = rejection.reason ?? RejectionReason(rawValue: "\(rejection.status)")
            }
            guard let said = MismatchWatch.Answer(outcome) else { return nil }
            answer = said
        }
        guard let verdict = state.watch?.answered(answer, topic: send.topic, reason: reason) else { return nil }
        let mismatch = breaker.diagnose(verdict, send)
        state.mismatch = mismatch
        return stop(mismatch, &state, underWay: state.underWay.compactMap { $0 })
    }

    private func seeUnsent(_ notSent: NotSent, _ state: inout State) -> Stop? {
        guard let count = state.unsent.wasUnsent(notSent.cause) else { return nil }
        state.refused = PushCredentialsRefused(notSent.cause, unsent: count, reason: notSent.description)
        return stop(nil, &state)
    }

    private func stop(_ mismatch: PushMismatch?, _ state: inout State, underWay: [SequencedSend] = []) -> Stop {
        state.isStopping = true
        return Stop(mismatch: mismatch, reading: state.reading, writer: state.writer.take(), underWay: underWay)
    }

    /// No more are taken in, and what no connection has yet comes back; what is in flight has its own end. Told and logged
    /// before the reader learns of it.
    func perform(_ stop: Stop) {
        defer { hasStopped() }
        stop.reading?.cancel()
        stop.writer?.resume()
        guard let breaker, let mismatch = stop.mismatch else { return }
        breaker.stopped(mismatch)
        for send in stop.underWay { breaker.withdraw(send, mismatch) }
    }
}
