internal import NIOCore
internal import PushWire

/// Sends requests and handles answers.
extension ClientConnection {
    func streamEnded(_ end: consuming HTTP2StreamEnd, _ now: MonotonicTime) {
        let send = streams.remove(end.tag)
        if end.response.status != nil {
            pace.answered(after: streams[end.tag].begun.duration(to: now), now: now)
            liveness.streamAnswered()
        }
        if case .resetByPeer(HTTP2ErrorCode.enhanceYourCalm.rawValue) = end.cause { calmDown() }
        let wasUnproven = state.goodAnswers == 0
        let action = state.streamEnded(status: end.response.status)
        if wasUnproven, state.goodAnswers > 0 { tell(.authenticated) }
        if let send {
            let entry = streams[end.tag]
            let trace = trace(send, entry, now)
            if let acceptance = StreamResult.acceptance(end, trace) {
                if state.hasTopicRefusals { state.topicAnswered(send.topic ?? "") }
                ends.finish(send, .accepted(acceptance))
            } else {
                conclude(send, verdict(end, send, entry, trace), end.response, entry.tokenIssuedAt, now)
            }
        }
        switch action {
        case .none: break
        case .close: close()
        }
    }

    private func verdict(
        _ end: HTTP2StreamEnd, _ send: PendingSend, _ entry: StreamsInFlight.Entry, _ trace: PushTrace
    ) -> PushOutcome {
        StreamResult.outcome(
            of: StreamResult.Facts(
                end: end,
                wasWritten: isWritten(entry),
                connectionError: failure?.description,
                goAway: goAwayWords,
                isCertificateRefused: failure?.isAboutCredentials ?? false,
                apnsID: send.apnsID,
                registered: send.registered,
                trace: trace
            ))
    }

    // MARK: Requests

    /// Takes as many sends from the queue as the connection has room for, and writes them.
    func pull() {
        // HTTP/2 resets a stream with a malformed answer by itself. The stream ends when that reset is written.
        repeat { takeAndSubmit() } while tookSentEvents()
        ends.handOver()
        if tellsPulls { tell(.pulled) }
    }

    private func tookSentEvents() -> Bool {
        guard wire.http2.hasEvents else { return false }
        takeEvents()
        return true
    }

    private func takeAndSubmit() {
        guard let channel = context?.channel, channel.isWritable else { return noteFullness() }
        var room = room
        guard room.requests > 0, isTrusted() else {
            flush()
            return noteFullness()
        }
        do throws(CredentialsError) {
            let token = try tokens?.token(at: timing.reading)
            if let token, !state.mayCarry(tokenIssuedAt: token.issuedAt) {
                perform(state.drain())
                return flush()
            }
            repeat {
                while room.requests > 0, channel.isWritable {
                    intake.take(room.requests, bodyBytes: room.bodyBytes, into: &taken)
                    if taken.isEmpty { break }
                    let now = timing.now()
                    for send in taken {
                        if send.limit > now { submit(send, token, now) } else { expireUnsent(send, now) }
                    }
                    taken.removeAll(keepingCapacity: true)
                    if endsUnsent {
                        endsUnsent = false
                        takeEvents()
                    }
                    giveBack()
                    flush()
                    room = self.room
                }
            } while !looksAgainSoon() && intake.hasWork() && room.requests > 0 && channel.isWritable
        } catch {
            failEverythingQueued(error)
        }
        flush()
        noteFullness()
    }

    private var room: (requests: Int, bodyBytes: Int) {
        state.room(freeStreams: wire.http2.freeStreams, bodyRoom: wire.http2.bodyRoom)
    }

    /// From this many requests in flight, the connection counts as busy: an answer arrives soon, and with each answer
    /// it checks the queue.
    private static let busy = 32
    /// The longest time until a busy connection checks the queue again.
    private static let lookingPause = TimeAmount.milliseconds(1)

    /// Whether the connection checks the queue again soon without a wake-up.
    ///
    /// Callers need not wake a busy connection. It sends everything that they submit meanwhile together, with fewer
    /// thread switches, fewer records and fewer writes. That was a quarter of the cost of a send.
    private func looksAgainSoon() -> Bool {
        guard state.inFlight >= Self.busy, state.phase == .serving, let context else { return false }
        if !isLooking {
            isLooking = true
            context.eventLoop.assumeIsolated().scheduleTask(in: Self.lookingPause) { self.lookAgain() }
        }
        return true
    }

    private func lookAgain() {
        isLooking = false
        guard state.phase != .closed else { return }
        working { pull() }
        // Other connections may have room, or the pool may open one.
        if isLooking ? intake.holdsSendable() : intake.hasWork() { tell(.overflows) }
    }

    private func submit(_ send: PendingSend, _ token: ProviderToken?, _ now: MonotonicTime) {
        let tag = streams.add(send, tokenIssuedAt: token?.issuedAt ?? 0, begun: now)
        let id = try? wire.http2.submitRequest(send.request, owner: send, credential: token?.field, tag: tag)
        guard let id else {
            // The stream ids of this connection are used up. Another connection sends it.
            _ = streams.remove(tag)
            let outcome = send.unsent(.refused, "the connection has no stream left.", now: now)
            ends.putBack(send, elseTell: outcome, at: now)
            perform(state.drain())
            return
        }
        streams[tag].streamID = id
        if id == 0 { endsUnsent = true }
        state.requestSubmitted(tokenIssuedAt: token?.issuedAt)
        liveness.sent()
        pace.requested(now: now)
        hasCarried = true
        if send.deadline < expiryAt { armExpiry(at: send.deadline, now) }
    }

    private func expireUnsent(_ send: PendingSend, _ now: MonotonicTime) {
        let outcome =
            send.hasExpired(now: now)
            ? send.unsent(.expired, "its expiration passed while it was in the queue.", now: now)
            : send.unsent(.deadline, "its deadline passed while it was in the queue.", now: now)
        ends.finish(send, outcome)
    }

    private func failEverythingQueued(_ error: CredentialsError) {
        let now = timing.now()
        for send in intake.withdrawAll() { ends.finish(send, send.unsent(.credentials, error.description, now: now)) }
    }

    private func trace(_ send: PendingSend, _ entry: StreamsInFlight.Entry, _ now: MonotonicTime) -> PushTrace {
        PushTrace(
            queued: send.begun.duration(to: entry.begun),
            inFlight: entry.begun.duration(to: now),
            attempts: (send.past?.history.attempts ?? 0) + 1,
            connection: number
        )
    }

    private func conclude(
        _ send: PendingSend, _ outcome: PushOutcome, _ response: HTTP2Response,
        _ tokenIssuedAt: Int, mayRetry: Bool = true, _ now: MonotonicTime
    ) {
        let consequence = ends.conclude(
            send, outcome, response, tokenIssuedAt: tokenIssuedAt, mayRetry: mayRetry, now)
        switch consequence {
        case .none, .noNewerToken: break
        case .leave: perform(state.drain())
        case .returnedAgain: perform(state.returnedAgain())
        }
        guard case .rejected(let rejection) = outcome else { return }
        // The notification is sent again with a newer token.
        if consequence == .leave, rejection.reason == .expiredProviderToken { return }
        rejected(rejection, topic: send.topic ?? "", noNewerToken: consequence == .noNewerToken)
    }

    /// Reports a rejection that concerns more than its notification: all sends with these credentials, or all sends to
    /// a topic.
    private func rejected(_ rejection: PushRejection, topic: String, noNewerToken: Bool) {
        let word = rejection.reason.map { " \(PeerText.printable($0.rawValue))" } ?? ""
        let message = "\(rejection.status)\(word)"
        let reports = state.rejected(
            status: rejection.status, rejection.reason, topic: topic, noNewerToken: noNewerToken)
        for report in reports {
            switch report {
            case .keyRefused(let hadFitted): tell(.keyRefused(message: message, hadFitted: hadFitted))
            case .topicRefused: tell(.topicRefused(topic, message: message))
            case .newestTokenRefused: tell(.newestTokenRefused(message: message))
            case .credentialsRefused: tell(.credentialsRefused(message: message, certificate: refusal))
            }
        }
    }

    func giveBack() {
        guard let returned = ends.giveBack() else { return }
        tell(.returned(atOnce: returned.atOnce, later: returned.later))
    }

    // MARK: Deadlines and cancellation

    /// Ends the requests in flight whose deadline has passed.
    private func expire() {
        learnEnds()
        let now = timing.now()
        expiryAt = .never
        for tag in streams.late(now: now) {
            guard let send = streams[tag].send else { continue }
            let isAnswered = abandon(tag, send, .deadline, "its deadline passed before the answer came.")
            if !isAnswered, liveness.deadlinePassed(isStarved: pace.isStarved(since: streams[tag].begun, now: now)) {
                if liveness.ask() { sendPing() }
                perform(state.drain())
            }
        }
        if let next = streams.nextDeadline { armExpiry(at: next, now) }
        flush()
        takeEvents()
        pull()
    }

    private func armExpiry(at time: MonotonicTime, _ now: MonotonicTime) {
        guard time < .never, let context else { return }
        expiryTimer?.cancel()
        expiryAt = time
        // A minimum of one millisecond handles close deadlines together.
        let wait = max(now.duration(to: time), .milliseconds(1))
        expiryTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: wait)) { self.expire() }
    }

    /// Cancels one send.
    ///
    /// - Returns: `false` if this connection does not have it.
    func cancel(_ send: PendingSend) -> Bool {
        learnEnds()
        guard let tag = streams.tag(of: send) else { return false }
        abandon(tag, send, .cancelled, "its task was cancelled before the answer came.")
        flush()
        takeEvents()
        // The stream is free again.
        pull()
        return true
    }

    /// Handles the streams that HTTP/2 has reset because of malformed answers, before any stream is cancelled, so that
    /// they end as malformed.
    private func learnEnds() {
        flush()
        takeEvents()
    }

    /// Resets a stream, which frees it for another request, and gives its send the outcome.
    ///
    /// If the status of the answer has arrived, it counts. Without a status, the outcome is unknown as soon as the
    /// request was given to the socket: bytes in the buffer of this process are still sent unless the connection ends.
    ///
    /// - Returns: Whether the status has arrived.
    @discardableResult
    private func abandon(
        _ tag: Int, _ send: PendingSend, _ cause: PushUnknownOutcome.Cause, _ message: String
    ) -> Bool {
        let entry = streams[tag]
        let answer = wire.http2.answerSoFar(on: entry.streamID)
        streams[tag].send = nil
        wire.http2.reset(entry.streamID, code: .cancel)
        let now = timing.now()
        let trace = trace(send, entry, now)
        guard let answer, let outcome = StreamResult.outcome(of: answer, registered: send.registered, trace) else {
            let phase: PushPhase = isWritten(entry) ? .wait : .write
            let unknown = PushUnknownOutcome(
                cause: cause, phase: phase, apnsID: send.apnsID, description: message, trace: trace)
            ends.finish(send, .unknown(unknown))
            return false
        }
        switch outcome {
        case .accepted: ends.finish(send, outcome)
        case .rejected, .notSent, .unknown:
            conclude(send, outcome, answer, entry.tokenIssuedAt, mayRetry: false, now)
        }
        return true
    }
}
