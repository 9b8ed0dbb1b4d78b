internal import PushWire

/// Serves the requests of one connection: turns HTTP/2 events into answers and log entries.
final class ServedRequests {
    unowned let connection: ServerConnection

    /// The facts about the connection that the checks use.
    var facts: ConnectionFacts
    /// The maximum number of streams in the last SETTINGS.
    var announcedStreams: UInt32
    /// The number of complete requests.
    private(set) var count = 0
    /// The last `authorization` and its content, to be reused: a sender uses one for many requests.
    private var lastReading: (authorization: String?, generation: Int, reading: ParsedProviderToken)?
    private var requestReader = RequestReader()
    private var ids = AnswerIDSource()
    /// Requests that have been processed and are not in the log yet.
    private var dealtWith: [DealtWith] = []
    /// Events that have not been processed yet.
    private var events: [HTTP2Event] = []
    /// Empty between two calls of ``noteSent()``; kept to reuse its memory.
    private var sentEvents: [HTTP2Event] = []
    /// The first stream beyond the limit that the client has acknowledged.
    private(set) var firstStreamBeyondLimit: Int32?

    init(_ connection: ServerConnection) {
        self.connection = connection
        facts = ConnectionFacts(number: connection.number, api: connection.api)
        announcedStreams = connection.state.configuration.streamsBeforeAuthentication
    }

    func add(_ request: DealtWith) { dealtWith.append(request) }

    func answerRequests() {
        guard connection.refusal == nil else { return }
        connection.recorder.note()
        connection.wire.http2.takeEvents(into: &events)
        guard !events.isEmpty else { return }
        var batch: [HTTP2Event] = []
        swap(&batch, &events)
        let whole = batch.reduce(0) { if case .requestReceived = $1 { $0 + 1 } else { $0 } }
        let snapshot = connection.state.snapshot(for: whole)
        let now = Moment.now
        var number = snapshot.requestsBefore
        for event in batch where !connection.isOver {
            switch event {
            case .headersReceived(let received): begin(received)
            case .requestReceived(let received):
                number += 1
                count += 1
                if !connection.faults.isInterrupted(received, number: number) {
                    take(received, number: number, snapshot, now)
                }
            case .requestRefused(let received, let refusal): refused(received, refusal)
            case .streamEnded(let end): ended(end)
            case .goAwayReceived(let goAway): connection.heard(goAway, now)
            case .settingsReceived, .pingAnswered: break
            }
        }
        connection.faults.forgetEndedStreams()
        giveBack(&batch)
    }

    /// Reuses the memory of the batch for the next one, unless events were added meanwhile.
    private func giveBack(_ batch: inout [HTTP2Event]) {
        batch.removeAll(keepingCapacity: true)
        if events.isEmpty { swap(&batch, &events) }
    }

    /// Handles the headers of a request whose body has not arrived yet.
    private func begin(_ received: HTTP2Request) {
        guard received.streamID <= connection.faults.lastStreamTaken, !isBehindStreamBeyondLimit(received) else {
            return
        }
        let request = requestReader.request(received)
        if let run = connection.faults.run(forHeadersOf: request, on: received.streamID) {
            connection.faults.begin(run)
        }
    }

    func take(_ received: HTTP2Request, number: Int, _ snapshot: MockState.Snapshot, _ now: Moment) {
        guard received.streamID <= connection.faults.lastStreamTaken else { return }
        if isBehindStreamBeyondLimit(received) { return passOver(received) }
        let request = requestReader.request(received)
        if connection.faults.isSilent {
            let unheard = Verdict.unanswered(request, "A fault had stopped all reading and sending on the connection.")
            return dealtWith.append(DealtWith(request, on: received.streamID, unheard, wasAnswered: false))
        }
        if snapshot.hasFaults, let run = connection.faults.run(for: request, number: number, on: received.streamID) {
            // The record gets the provider token, whatever the outcome.
            _ = reading(of: request.authorization, snapshot)
            return connection.faults.begin(run)
        }
        let verdict = judge(request, snapshot, now)
        let wasAnswered = answer(verdict, to: request, on: received.streamID)
        dealtWith.append(DealtWith(request, on: received.streamID, verdict, wasAnswered: wasAnswered))
    }

    func judge(_ request: MockRequest, _ snapshot: MockState.Snapshot, _ now: Moment) -> Verdict {
        let reading = reading(of: request.authorization, snapshot)
        let judgement =
            snapshot.world.mustJudgeAlone(request)
            ? judgeAlone(request, reading, now)
            : snapshot.world.judge(request, authorizedBy: reading, on: facts, at: now, ids: ids.next())
        facts = judgement.connection
        raiseStreamLimit()
        return judgement.verdict
    }

    /// Checks a request and applies its effect, under the lock: all connections share the state.
    private func judgeAlone(
        _ request: MockRequest, _ reading: ParsedProviderToken, _ now: Moment
    ) -> Judgement {
        let ids = ids.next()
        return connection.state.change { world in
            let judgement = world.judge(request, authorizedBy: reading, on: facts, at: now, ids: ids)
            if let effect = judgement.effect { world.apply(effect, at: now) }
            return judgement
        }
    }

    private func reading(of authorization: String?, _ snapshot: MockState.Snapshot) -> ParsedProviderToken {
        if let lastReading, lastReading.generation == snapshot.trustGeneration,
            lastReading.authorization == authorization
        {
            return lastReading.reading
        }
        let reading = snapshot.reader.read(authorization)
        lastReading = (authorization, snapshot.trustGeneration, reading)
        if let token = reading.content {
            connection.state.records.change(connection.number) { $0.used(token, at: .now) }
        }
        return reading
    }

    /// Announces the higher stream limit after the first authenticated request, as APNs does.
    private func raiseStreamLimit() {
        let wanted = connection.state.configuration.streamsAfterAuthentication
        guard facts.isAuthenticated, announcedStreams != wanted, !connection.faults.limitsStreams else { return }
        announcedStreams = wanted
        connection.announce(HTTP2Settings(maxConcurrentStreams: wanted))
    }

    /// Sends an answer.
    ///
    /// - Returns: Whether the stream is still open.
    func answer(_ verdict: Verdict, to request: MockRequest, on streamID: Int32) -> Bool {
        let body = verdict.body(for: request)
        let headers = Self.headers(of: verdict, hasBody: !body.isEmpty)
        return (try? connection.wire.http2.submitResponse(headers, body: body, on: streamID)) ?? false
    }

    /// Returns the header fields of an answer.
    ///
    /// - Parameters:
    ///   - verdict: The answer.
    ///   - hasBody: Whether a body follows.
    ///   - others: Further fields. They replace usual ones of the same name.
    /// - Returns: The fields, the status first.
    static func headers(of verdict: Verdict, hasBody: Bool, others: [String: String] = [:]) -> OutgoingFields {
        OutgoingFields(expecting: 160) { fields in
            func write(_ name: String, _ value: String?, _ indexing: HeaderBlock.Indexing) {
                guard let value, others.isEmpty || others[name] == nil else { return }
                fields.write(name, value, indexing: indexing)
            }
            write(":status", verdict.status == 200 ? "200" : String(verdict.status), .allowed)
            verdict.forEachField { write($0, $1, .avoided) }
            write("content-type", hasBody ? "application/json" : nil, .allowed)
            guard !others.isEmpty else { return }
            for (name, value) in others.sorted(by: { $0.key < $1.key }) {
                fields.write(name, value, indexing: .avoided)
            }
        }
    }

    /// Adds processed requests to the log when the frames of their answers have been created.
    func publish() {
        guard !dealtWith.isEmpty else { return }
        var waiting: [DealtWith] = []
        if !connection.wire.http2.allAnswersHaveLeft { waiting = setAsideUnanswered() }
        connection.state.journal.append(dealtWith, connection: connection.number, time: .now)
        dealtWith.removeAll(keepingCapacity: true)
        dealtWith.append(contentsOf: waiting)
    }

    /// Marks requests as not answered when their answer will never be sent.
    ///
    /// - Returns: Requests whose answer may still be sent. They are removed from ``dealtWith``.
    private func setAsideUnanswered() -> [DealtWith] {
        let http2 = connection.wire.http2
        var waiting: [DealtWith] = []
        dealtWith = dealtWith.compactMap { entry in
            guard entry.wasAnswered, http2.answerHasNotLeft(entry.streamID) else { return entry }
            guard !connection.isOver, !connection.faults.isSilent, !http2.hasLostAnswer(entry.streamID) else {
                return entry.withoutAnswer()
            }
            waiting.append(entry)
            return nil
        }
        http2.forgetLostAnswers()
        return waiting
    }

    // MARK: Other events

    /// Processes the events that sending has caused. Events from receiving stay in the queue.
    func noteSent() {
        var sent: [HTTP2Event] = []
        swap(&sent, &sentEvents)
        connection.wire.http2.takeEvents(into: &sent)
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
        connection.recorder.ended(end)
        connection.faults.streamIsGone(end)
    }
}

// MARK: Refused requests

/// Requests that violate HTTP/2, exceed a limit, or are incomplete.
extension ServedRequests {
    /// Logs a request whose stream was reset, or which ends its connection.
    func refused(_ received: HTTP2Request, _ refusal: HTTP2Refusal) {
        // If a fault acts on the request, the fault logs it.
        guard !connection.faults.concerns(received.streamID) else { return }
        writeDown(received) {
            .refused($0, refusal.fact, refusal.detail, refusal.remedy)
        }
        if refusal == .beyondAcknowledgedLimit {
            firstStreamBeyondLimit = min(firstStreamBeyondLimit ?? .max, received.streamID)
        }
    }

    private func writeDown(_ received: HTTP2Request, _ verdict: (MockRequest) -> Verdict) {
        connection.state.countRequest()
        let request = requestReader.request(received)
        dealtWith.append(DealtWith(request, on: received.streamID, verdict(request), wasAnswered: false))
    }

    /// Whether the stream comes after one beyond the limit. The GOAWAY declares such streams unprocessed.
    func isBehindStreamBeyondLimit(_ received: HTTP2Request) -> Bool {
        firstStreamBeyondLimit.map { received.streamID > $0 } ?? false
    }

    /// Logs a request that such a GOAWAY declares unprocessed. The request has already been counted.
    func passOver(_ received: HTTP2Request) {
        let request = requestReader.request(received)
        let message = """
            An earlier stream exceeds the limit of the SETTINGS that the client has acknowledged. The connection was closed with a \
            GOAWAY that declared this request unprocessed.
            """
        let verdict = Verdict.refused(request, HTTP2Refusal.beyondAcknowledgedLimit.fact, message)
        dealtWith.append(DealtWith(request, on: received.streamID, verdict, wasAnswered: false))
    }

    /// Logs the requests that are incomplete when the connection ends.
    ///
    /// - Parameter why: Why the connection ends.
    func noteUnfinished(_ why: String) {
        for received in connection.wire.http2.unfinishedRequests
        where received.streamID <= connection.faults.lastStreamTaken {
            if connection.faults.concerns(received.streamID) { continue }
            writeDown(received) { .unfinished($0, why) }
        }
    }
}
