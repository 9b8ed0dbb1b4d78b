import PushPlatform
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
    var requestReader = RequestReader()
    /// Who sends the requests of this connection now.
    private(set) var sender: ArrivalSender
    private var conduct = ConnectionConduct()
    /// Rules of conduct that were broken since the last request.
    private var violations: [MockViolation] = []
    private var ids = AnswerIDSource()
    /// Requests that have been processed and are not in the log yet.
    private var dealtWith: [DealtWith] = []
    /// Events that have not been processed yet.
    private var events: [HTTP2Event] = []
    /// Empty between two calls of ``noteSent()``; kept to reuse its memory.
    private var sentEvents: [HTTP2Event] = []
    /// The first stream beyond the limit that the client has acknowledged.
    var firstStreamBeyondLimit: Int32?

    init(_ connection: ServerConnection) {
        self.connection = connection
        facts = ConnectionFacts(number: connection.number, api: connection.api)
        announcedStreams = connection.state.configuration.streamsBeforeAuthentication
        sender = ArrivalSender(token: nil, certificate: nil, environment: connection.state.configuration.environment)
    }

    /// The environment of the connection.
    private var environment: MockEnvironment {
        facts.environment(else: connection.state.configuration.environment)
    }

    /// The connection was accepted from this address.
    func connected(from peer: String?) {
        sender = ArrivalSender(peer: peer, token: nil, certificate: nil, environment: environment)
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
        let now = connection.state.now
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

    func take(_ received: HTTP2Request, number: Int, _ snapshot: MockState.Snapshot, _ now: Date) {
        guard received.streamID <= connection.faults.lastStreamTaken else { return }
        if isBehindStreamBeyondLimit(received) { return passOver(received) }
        let request = requestReader.request(received)
        if connection.faults.isSilent {
            let unheard = MockVerdict.unanswered(
                request, "A fault had stopped all reading and sending on the connection.")
            return dealtWith.append(
                DealtWith(request, on: received.streamID, unheard, by: sender, wasAnswered: false))
        }
        if snapshot.hasFaults,
            let run = connection.faults.run(
                for: request, number: number, on: received.streamID, would: expected(request, snapshot, now))
        {
            // The record gets the provider token, whatever the outcome.
            _ = reading(of: request.authorization, snapshot)
            return connection.faults.begin(run)
        }
        if let run = magicRun(request, on: received.streamID, snapshot.world) {
            _ = reading(of: request.authorization, snapshot)
            return connection.faults.begin(run)
        }
        let verdict = judge(request, snapshot, now)
        noteConduct(verdict, request, now)
        let wasAnswered = answer(verdict, to: request, on: received.streamID)
        dealtWith.append(
            DealtWith(
                request, on: received.streamID, verdict, by: sender, wasAnswered: wasAnswered, conduct: takeConduct()))
    }

    /// What the answer to a request would be, without any effect; `nil` if no fault asks for it.
    private func expected(_ request: MockRequest, _ snapshot: MockState.Snapshot, _ now: Date) -> MockVerdict? {
        guard snapshot.hasFaultsAboutVerdicts else { return nil }
        let reading = reading(of: request.authorization, snapshot)
        return connection.state.world.judge(
            request, authorizedBy: reading, on: facts, at: now, ids: AnswerIDs(messageID: 0, uniqueID: 0)
        ).verdict
    }

    func judge(_ request: MockRequest, _ snapshot: MockState.Snapshot, _ now: Date) -> MockVerdict {
        let reading = reading(of: request.authorization, snapshot)
        let judgement =
            snapshot.world.mustJudgeAlone(request)
            ? judgeAlone(request, reading, now)
            : world(for: request, snapshot).judge(
                request, authorizedBy: reading, on: facts, at: now, ids: ids.next())
        facts = judgement.connection
        raiseStreamLimit()
        return judgement.verdict
    }

    /// The state to check a request that changes nothing. A request about channels gets the newest one: another request
    /// of the same batch may have created a channel.
    private func world(for request: MockRequest, _ snapshot: MockState.Snapshot) -> World {
        request.target.app == nil ? snapshot.world : connection.state.world
    }

    /// Checks a request and applies its effect, under the lock: all connections share the state.
    private func judgeAlone(
        _ request: MockRequest, _ reading: ParsedProviderToken, _ now: Date
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
        let isOther = lastReading.map { $0.authorization != authorization } ?? true
        lastReading = (authorization, snapshot.trustGeneration, reading)
        sender = ArrivalSender(
            peer: sender.peer, token: reading.content, certificate: facts.certificate?.commonName,
            environment: environment)
        if let token = reading.content {
            connection.state.records.change(connection.number) { $0.used(token, at: .now) }
            if isOther { noteNewToken(token) }
        }
        return reading
    }

    /// A slow or silent answer, for a magic token.
    private func magicRun(_ request: MockRequest, on streamID: Int32, _ world: World) -> FaultRun? {
        guard world.acceptsMagicTokens, case .device(let token) = request.target,
            let steps = MagicToken(token: token)?.steps, world.devices.device(hex: token) == nil
        else { return nil }
        return connection.state.order(of: steps).map { FaultRun($0, at: .request, request: (request, streamID)) }
    }

    // MARK: Conduct

    private func noteNewToken(_ token: ProviderTokenContent) {
        let now = connection.state.now
        let onAll = connection.state.noteConduct { $0.newToken(ofKey: token.keyID, issuedAt: token.issuedAt, at: now) }
        if let violation = conduct.newToken(at: now) ?? onAll { violations.append(violation) }
    }

    private func noteConduct(_ verdict: MockVerdict, _ request: MockRequest, _ now: Date) {
        guard verdict.reason == .unregistered || verdict.reason == .badDeviceToken,
            case .device(let token) = request.target, !token.isEmpty
        else { return }
        // A test sends to a magic token again and again.
        guard verdict.check != Check.magicToken.name else { return }
        if let violation = connection.state.noteConduct({ $0.rejected(deviceToken: token) }) {
            violations.append(violation)
        }
    }

    private func takeConduct() -> [MockViolation] {
        guard !violations.isEmpty else { return [] }
        defer { violations = [] }
        return violations
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
    func answer(_ verdict: MockVerdict, to request: MockRequest, on streamID: Int32) -> Bool {
        let body = verdict.body(for: request)
        guard connection.limits.hasRoom(forAnswer: body.count) else { return false }
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
    static func headers(of verdict: MockVerdict, hasBody: Bool, others: [String: String] = [:]) -> OutgoingFields {
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
        connection.state.journal.append(dealtWith, connection: connection.number, time: connection.state.now)
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
