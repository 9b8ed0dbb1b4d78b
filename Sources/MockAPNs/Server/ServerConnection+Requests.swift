internal import PushWire

/// Requests in, answers out.
extension ServerConnection {
    func answerRequests() {
        guard refusal == nil else { return }
        note()
        wire.http2.takeEvents(into: &events)
        guard !events.isEmpty else { return }
        var batch: [HTTP2Event] = []
        swap(&batch, &events)
        let count = batch.reduce(0) { if case .requestReceived = $1 { $0 + 1 } else { $0 } }
        let snapshot = state.snapshot(for: count)
        let now = Moment.now
        var number = snapshot.requestsBefore
        for event in batch where !isOver {
            switch event {
            case .headersReceived(let received): begin(received)
            case .requestReceived(let received):
                number += 1
                requestCount += 1
                if !isTakenCareOf(received, number: number) { take(received, number: number, snapshot, now) }
            case .requestRefused(let received, let refusal): refused(received, refusal)
            case .streamEnded(let end): ended(end)
            case .goAwayReceived(let goAway): heard(goAway, now)
            case .settingsReceived, .pingAnswered: break
            }
        }
        streamsOverBeforeBody.subtract(streamsToForget)
        streamsToForget.removeAll(keepingCapacity: true)
        giveBack(&batch)
    }

    /// Its memory is used again, unless something has happened meanwhile.
    private func giveBack(_ batch: inout [HTTP2Event]) {
        batch.removeAll(keepingCapacity: true)
        if events.isEmpty { swap(&batch, &events) }
    }

    /// A request whose body is still to come.
    private func begin(_ received: HTTP2Request) {
        guard received.streamID <= lastStreamTaken, !isBehindStreamBeyondLimit(received) else { return }
        let request = requestReader.request(received)
        if let run = run(forHeadersOf: request, on: received.streamID) { begin(run) }
    }

    /// A fault has acted at its headers, and what it did stands in place of an answer, or still goes on.
    private func isTakenCareOf(_ received: HTTP2Request, number: Int) -> Bool {
        if streamsOverBeforeBody.remove(received.streamID) != nil { return true }
        guard let run = runs[received.streamID], run.moment == .requestHeaders else { return false }
        run.whole = (received, number)
        return true
    }

    func take(_ received: HTTP2Request, number: Int, _ snapshot: MockState.Snapshot, _ now: Moment) {
        guard received.streamID <= lastStreamTaken else { return }
        if isBehindStreamBeyondLimit(received) { return passOver(received) }
        let request = requestReader.request(received)
        if isSilent {
            let unheard = Verdict.unanswered(request, "The connection had fallen silent.")
            return dealtWith.append(DealtWith(request, on: received.streamID, unheard, wasAnswered: false))
        }
        if snapshot.hasFaults, let run = run(for: request, number: number, on: received.streamID) {
            // The record knows of the token, whatever becomes of the request.
            _ = reading(of: request.authorization, snapshot)
            return begin(run)
        }
        let verdict = judge(request, snapshot, now)
        let wasAnswered = answer(verdict, to: request, on: received.streamID)
        dealtWith.append(DealtWith(request, on: received.streamID, verdict, wasAnswered: wasAnswered))
    }

    func judge(_ request: MockRequest, _ snapshot: MockState.Snapshot, _ now: Moment) -> Verdict {
        let reading = reading(of: request.authorization, snapshot)
        let judgement =
            snapshot.world.variants.deviceRateLimit == nil
            ? snapshot.world.judge(request, authorizedBy: reading, on: facts, at: now, ids: ids.next())
            : judgeAndCount(request, reading, now)
        facts = judgement.connection
        raiseStreamLimit()
        return judgement.verdict
    }

    /// A device's rate counts the requests before this one, of the same read and of other connections.
    private func judgeAndCount(
        _ request: MockRequest, _ reading: ProviderTokenReading, _ now: Moment
    ) -> Judgement {
        let ids = ids.next()
        return state.change { world in
            let judgement = world.judge(request, authorizedBy: reading, on: facts, at: now, ids: ids)
            if judgement.verdict.isAccepted { world.requestAccepted(request, at: now) }
            return judgement
        }
    }

    private func reading(of authorization: String?, _ snapshot: MockState.Snapshot) -> ProviderTokenReading {
        if let lastReading, lastReading.generation == snapshot.trustGeneration,
            lastReading.authorization == authorization
        {
            return lastReading.reading
        }
        let reading = snapshot.reader.read(authorization)
        lastReading = (authorization, snapshot.trustGeneration, reading)
        if let token = reading.content { state.records.change(number) { $0.used(token, at: .now) } }
        return reading
    }

    /// Apple's allow one stream until a request is authenticated, and many from then on.
    private func raiseStreamLimit() {
        let wanted = state.configuration.streamsAfterAuthentication
        guard facts.isAuthenticated, announcedStreams != wanted, !faultLimitsStreams else { return }
        announcedStreams = wanted
        announce(HTTP2Settings(maxConcurrentStreams: wanted))
    }

    /// - Returns: Whether the stream is still there.
    func answer(_ verdict: Verdict, to request: MockRequest, on streamID: Int32) -> Bool {
        let body = verdict.body(for: request)
        let headers = Self.headers(of: verdict, hasBody: !body.isEmpty)
        return (try? wire.http2.submitResponse(headers, body: body, on: streamID)) ?? false
    }

    /// The header fields of an answer.
    ///
    /// - Parameters:
    ///   - verdict: What is answered.
    ///   - hasBody: Whether a body follows.
    ///   - others: Fields besides the usual ones, or in place of them.
    /// - Returns: The fields, the status first.
    static func headers(of verdict: Verdict, hasBody: Bool, others: [String: String] = [:]) -> OutgoingFields {
        OutgoingFields(expecting: 160) { fields in
            func write(_ name: String, _ value: String?, _ indexing: HeaderBlock.Indexing) {
                guard let value, others.isEmpty || others[name] == nil else { return }
                fields.write(name, value, indexing: indexing)
            }
            write(":status", verdict.isAccepted ? "200" : String(verdict.status), .allowed)
            write(APNSHeader.id, verdict.messageID.isEmpty ? nil : verdict.messageID, .avoided)
            write(APNSHeader.uniqueID, verdict.uniqueID, .avoided)
            write("content-type", hasBody ? "application/json" : nil, .allowed)
            guard !others.isEmpty else { return }
            for (name, value) in others.sorted(by: { $0.key < $1.key }) {
                fields.write(name, value, indexing: .avoided)
            }
        }
    }

    /// Hands to the journal what was dealt with, once the frames of its answer are made.
    func publish() {
        guard !dealtWith.isEmpty else { return }
        var waiting: [DealtWith] = []
        if !wire.http2.allAnswersHaveLeft { waiting = setAsideUnanswered() }
        state.journal.append(dealtWith, connection: number, time: .now)
        dealtWith.removeAll(keepingCapacity: true)
        dealtWith.append(contentsOf: waiting)
    }

    /// Marks requests whose answer never leaves as not answered.
    ///
    /// - Returns: Requests whose answer can still leave. They are taken out of ``dealtWith``.
    private func setAsideUnanswered() -> [DealtWith] {
        let http2 = wire.http2
        var waiting: [DealtWith] = []
        dealtWith = dealtWith.compactMap { entry in
            guard entry.wasAnswered, http2.answerHasNotLeft(entry.streamID) else { return entry }
            guard !isOver, !isSilent, !http2.hasLostAnswer(entry.streamID) else { return entry.withoutAnswer() }
            waiting.append(entry)
            return nil
        }
        http2.forgetLostAnswers()
        return waiting
    }

    // MARK: What else happens

    /// Looks at what sending has brought about; what receiving did waits for its turn.
    func noteSent() {
        var sent: [HTTP2Event] = []
        swap(&sent, &sentEvents)
        wire.http2.takeEvents(into: &sent)
        for event in sent {
            switch event {
            case .streamEnded(let end): ended(end)
            case .requestRefused(let received, let refusal): refused(received, refusal)
            default: events.append(event)
            }
        }
        sent.removeAll(keepingCapacity: true)
        swap(&sent, &sentEvents)
    }

    private func ended(_ end: HTTP2StreamEnd) {
        switch end.cause {
        case .answered: endedStreams.append((end.streamID, .answered))
        case .resetByPeer(let code):
            endedStreams.append((end.streamID, .resetByClient(HTTP2Code(rawValue: code))))
        case .resetHere(let code): endedStreams.append((end.streamID, .resetByMock(HTTP2Code(rawValue: code))))
        case .unprocessed, .connectionLost: break
        }
        if !runs.isEmpty || !streamsOverBeforeBody.isEmpty { streamIsGone(end) }
    }
}
