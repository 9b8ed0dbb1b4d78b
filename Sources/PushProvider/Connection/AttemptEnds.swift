internal import Metrics
internal import PushWire

/// Collects the consequences of the attempts that ended on one connection: outcomes to deliver, and sends to put back into the queue.
///
/// Keeps both until all ready bytes are written. Use it only on the event loop of the connection.
final class AttemptEnds {
    private let intake: SendIntake
    private let tokens: ProviderTokenSource?
    private let retry: PushConfiguration.RetryPolicy
    private let timing: ClientTiming
    private let metrics: PushMetrics

    @exclusivity(unchecked) private var finished: [PendingSend] = []
    /// The sends to send again, on this connection or another one.
    @exclusivity(unchecked) private var retries: [PendingRetry] = []
    /// The finished sends that have a collapse id: others may wait for them.
    @exclusivity(unchecked) private var keyed: [PendingSend] = []

    init(_ setup: ConnectionSetup) {
        intake = setup.intake
        tokens = setup.tokens
        retry = setup.retry
        timing = setup.timing
        metrics = setup.metrics
    }

    // MARK: One by one

    enum Consequence: Equatable {
        case none
        /// This connection cannot carry the send any more.
        case leave
        /// The server did not process the send, for the second time.
        case returnedAgain
        /// The provider token was refused as too old, and there is no newer one.
        case noNewerToken
    }

    /// Decides whether the outcome of an attempt, which is not an acceptance, is the outcome of the notification. If
    /// `mayRetry` is false, it always is.
    func conclude(
        _ send: PendingSend, _ outcome: PushOutcome, _ response: HTTP2Response, tokenIssuedAt: Int,
        mayRetry: Bool = true, _ now: MonotonicTime
    ) -> Consequence {
        var history = send.past?.history ?? RetryHistory()
        history.attempts += 1
        let hasNewToken = hasNewToken(after: outcome, response, tokenIssuedAt)
        let situation = RetryDecision.Situation(
            history: history, now: now, secondsSince1970: timing.wallSeconds(), limit: mayRetry ? send.limit : now,
            chance: .random(in: 0...1), hasNewToken: hasNewToken ?? false,
            mayRepeatProcessed: send.kind.mayRepeatProcessed, mayPause: !send.leavesPausesToSequence)
        switch retry.decision(outcome, situation) {
        case .final(let final):
            finish(send, send.final(final))
            if hasNewToken == false { return .noNewerToken }
            return leavesConnection(final, history)
        case .again(let again):
            send.logRetry(outcome, attempt: again.history.attempts, in: now.duration(to: again.at))
            putBack(send, otherwise: send.final(outcome), at: again.at)
            send.past = PastAttempts(history: again.history, outcome: outcome, before: send.past)
            if again.onFreshConnection { return .leave }
            if case .notSent = outcome, history.returns > 0 { return .returnedAgain }
            return .none
        }
    }

    /// What a final outcome means for the connection: its server is stopping, or does not process requests.
    private func leavesConnection(_ outcome: PushOutcome, _ history: RetryHistory) -> Consequence {
        switch outcome {
        case .rejected(let rejection): rejection.reason == .shutdown ? .leave : .none
        case .notSent(let notSent): notSent.cause == .refused && history.returns > 0 ? .returnedAgain : .none
        case .accepted, .unknown, .invalid: .none
        }
    }

    /// Whether there is a provider token newer than the one that APNs refused as too old. One new token is made for all
    /// streams that carried the old one.
    ///
    /// - Returns: `nil` if the answer says nothing about the age of the token.
    private func hasNewToken(after outcome: PushOutcome, _ response: HTTP2Response, _ issuedAt: Int) -> Bool? {
        guard let tokens, case .rejected(let rejection) = outcome else { return nil }
        if rejection.reason == .invalidProviderToken {
            tokens.refusedAsInvalid(issuedAt: issuedAt, at: timing.reading)
        }
        guard rejection.reason == .expiredProviderToken else { return nil }
        return tokens.refusedAsTooOld(
            issuedAt: issuedAt, serverTime: ParsedAnswer.serverTime(response), at: timing.reading)
    }

    func putBack(_ send: PendingSend, otherwise outcome: PushOutcome, at time: MonotonicTime) {
        retries.append(PendingRetry(send: send, outcome: outcome, at: time))
    }

    /// Finishes a send that APNs has accepted, which is the usual end.
    func finish(_ send: consuming PendingSend, _ acceptance: consuming PushOutcome.Acceptance) {
        metrics.accepted(after: acceptance.trace.inFlight)
        send.conclude(.accepted(consume acceptance))
        if send.key != nil { keyed.append(copy send) }
        finished.append(send)
    }

    func finish(_ send: consuming PendingSend, _ outcome: consuming PushOutcome) {
        metrics.count(outcome)
        send.conclude(outcome)
        if send.key != nil { keyed.append(copy send) }
        finished.append(send)
    }

    // MARK: All at once

    /// Puts the sends to send again into the queue, and those that have waited for a send that ended or rests.
    ///
    /// - Returns: The event for the pool; `nil` if there were none.
    func giveBack() -> ConnectionEvent? {
        guard !retries.isEmpty || !keyed.isEmpty else { return nil }
        var batch: [PendingRetry] = []
        swap(&batch, &retries)
        let now = timing.now()
        if !batch.isEmpty, !intake.putBack(batch, now: now) {
            for retry in batch { finish(retry.send, retry.outcome) }
            batch = []
        }
        let hasFreed = freeKeys(after: batch)
        guard !batch.isEmpty || hasFreed else { return nil }
        if !batch.isEmpty { metrics.retries.increment(by: batch.count) }
        return .returned(
            atOnce: hasFreed || batch.contains { $0.at <= now },
            later: batch.reduce(.never) { min($0, $1.at > now ? $1.at : $1.send.limit) })
    }

    /// - Returns: Whether sends that have waited for their key can be sent now.
    private func freeKeys(after batch: [PendingRetry]) -> Bool {
        guard !keyed.isEmpty || batch.contains(where: { $0.send.key != nil }) else { return false }
        defer { keyed.removeAll(keepingCapacity: true) }
        return intake.ended(keyed)
    }

    /// Delivers the outcomes, all at once: with one delivery per outcome, a caller would sleep and wake up each time.
    func handOver() {
        guard !finished.isEmpty else { return }
        var batch: [PendingSend] = []
        swap(&batch, &finished)
        var rest = batch[...]
        while let send = rest.first {
            guard let mailbox = send.mailbox else {
                send.deliver()
                rest.removeFirst()
                continue
            }
            // Deliver the outcomes of one sequence together.
            let address = mailbox.toOpaque()
            let end = rest.firstIndex { $0.mailbox?.toOpaque() != address } ?? rest.endIndex
            mailbox._withUnsafeGuaranteedRef { $0.deliver(rest[..<end]) }
            rest = rest[end...]
        }
        batch.removeAll(keepingCapacity: true)
        if finished.isEmpty { swap(&batch, &finished) }
    }
}
