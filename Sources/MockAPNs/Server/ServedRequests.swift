import PushPlatform
internal import PushWire

/// Serves the requests of one connection: turns HTTP/2 events into answers and log entries.
///
/// The steps of a request are namespace, fault, verdict, conduct, answer and log. The decisions are in ``FixedWorld``, ``FaultPlayer``,
/// ``ConnectionConduct`` and ``StreamAllowance``.
final class ServedRequests {
    // The connection owns this object and does not share it. Checking the reference would take 3 % of the time of a request.
    unowned(unsafe) let connection: ServerConnection

    /// The facts about the connection that the checks use.
    var facts: ConnectionFacts
    /// How many streams the client may open.
    var allowance: StreamAllowance
    /// The number of complete requests.
    private(set) var count = 0
    /// The last `authorization` and its content, to be reused: a sender uses one for many requests.
    private var lastReading: (authorization: String?, generation: Int, reading: ParsedProviderToken)?
    var requestReader = RequestReader()
    /// Who sends the requests of this connection now.
    private(set) var sender: MockArrivalSender
    private var behaviour = ConnectionBehaviour()
    /// Rules of behaviour that were broken since the last request.
    private var violations: [MockViolation] = []
    private var ids = AnswerIDSource()
    /// Requests that have been processed and are not in the log yet.
    private var judgedRequests: [JudgedRequest] = []
    /// The same for requests in other namespaces.
    private var elsewhere: [(state: MockState, connection: Int, requests: [JudgedRequest])] = []
    /// What other namespaces know about the connection.
    private var views: [ObjectIdentifier: NamespaceView] = [:]
    private var keyIDs = KeyIDReader()
    /// Events that have not been processed yet.
    private var events: [HTTP2Event] = []
    /// Empty between two calls of ``noteSent()``; kept to reuse its memory.
    private var sentEvents: [HTTP2Event] = []
    /// The client has had too many rejections.
    private var endsAfterBatch = false
    /// The first stream beyond the limit that the client has acknowledged.
    var firstStreamBeyondLimit: Int32?

    init(_ connection: ServerConnection) {
        self.connection = connection
        facts = ConnectionFacts(number: connection.number, api: connection.api)
        allowance = StreamAllowance(announced: connection.state.configuration.variants.streamsBeforeAuthentication)
        sender = MockArrivalSender(
            token: nil, certificate: nil, environment: connection.state.configuration.environment)
    }

    /// The environment of the connection.
    private var environment: MockEnvironment {
        facts.environment(else: connection.state.configuration.environment)
    }

    /// The connection was accepted from this address.
    func connected(from peer: String?) {
        sender = MockArrivalSender(peer: peer, token: nil, certificate: nil, environment: environment)
    }

    func add(_ request: JudgedRequest) { judgedRequests.append(request) }

    /// Adds a request that belongs to a namespace, wherever the connection is now.
    func add(_ request: JudgedRequest, of state: MockState) {
        guard state !== connection.state, let number = number(in: state) else { return add(request) }
        if let index = elsewhere.firstIndex(where: { $0.state === state }) {
            elsewhere[index].requests.append(request)
        } else {
            elsewhere.append((state, number, [request]))
        }
    }

    /// The number that the connection had in another mock; `nil` if it was never there.
    func number(in state: MockState) -> Int? { views[ObjectIdentifier(state)]?.number }

    func answerRequests() {
        guard connection.refusal == nil else { return }
        connection.recorder.note()
        connection.wire.http2.takeEvents(into: &events)
        guard !events.isEmpty else { return }
        var batch: [HTTP2Event] = []
        swap(&batch, &events)
        let whole = batch.reduce(0) { if case .requestReceived = $1 { $0 + 1 } else { $0 } }
        var view = BatchView(of: connection.state, left: whole)
        let (connection, faults) = (connection, connection.faults)
        let routes = connection.home === connection.state ? view.snapshot.keyRoutes : connection.home.keyRoutes
        for event in batch where !connection.isOver {
            switch event {
            case .headersReceived(let received):
                followKeyID(of: received, routes, &view)
                begin(received)
            case .requestReceived(let received):
                followKeyID(of: received, routes, &view)
                let number = view.countRequest()
                count += 1
                if !faults.isInterrupted(received, number: number) {
                    accept(received, number: number, view.snapshot, view.now)
                }
            case .requestRefused(let received, let refusal): refused(received, refusal)
            case .streamEnded(let end): ended(end)
            case .goAwayReceived(let goAway): connection.received(goAway, view.now)
            case .settingsReceived, .pingAnswered: break
            }
        }
        endIfTooManyRejections()
        connection.faults.forgetEndedStreams()
        giveBack(&batch)
    }

    // MARK: Namespaces

    /// Moves the connection to the namespace that the key id of a request's provider token chooses.
    private func followKeyID(of received: HTTP2Request, _ routes: [String: MockState], _ view: inout BatchView) {
        guard !routes.isEmpty || connection.state !== connection.home else { return }
        let authorization = requestReader.request(received).authorization
        let wanted = keyIDs.keyID(of: authorization).flatMap { routes[$0] } ?? connection.home
        guard wanted !== connection.state else { return }
        connection.state.uncount(view.left)
        connection.move(to: wanted)
        view = BatchView(of: wanted, left: view.left)
    }

    /// The connection leaves its mock for another one.
    func leave() {
        publish()
        views[ObjectIdentifier(connection.state)] = NamespaceView(
            number: connection.number, facts: facts, behaviour: behaviour)
        if !judgedRequests.isEmpty { elsewhere.append((connection.state, connection.number, judgedRequests)) }
        judgedRequests = []
    }

    /// The connection has come to another mock.
    func enter() {
        let view = views[ObjectIdentifier(connection.state)]
        facts = view?.facts ?? facts.ofHandshake
        behaviour = view?.behaviour ?? ConnectionBehaviour()
        lastReading = nil
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

    func accept(_ received: HTTP2Request, number: Int, _ snapshot: MockState.Snapshot, _ now: Date) {
        let faults = connection.faults
        guard received.streamID <= faults.lastStreamTaken else { return }
        if isBehindStreamBeyondLimit(received) { return passOver(received) }
        let request = requestReader.request(received)
        if faults.isSilent {
            let unheard = MockVerdict.unanswered(
                request, "A fault had stopped all reading and sending on the connection.")
            return judgedRequests.append(
                JudgedRequest(request, on: received.streamID, unheard, by: sender, wasAnswered: false))
        }
        if snapshot.hasFaults,
            let run = faults.run(
                for: request, number: number, on: received.streamID, would: expected(request, snapshot, now))
        {
            // The record gets the provider token, whatever the outcome.
            _ = reading(of: request.authorization, snapshot)
            return faults.begin(run)
        }
        if let run = magicRun(request, on: received.streamID, snapshot.apnsSnapshot) {
            _ = reading(of: request.authorization, snapshot)
            return faults.begin(run)
        }
        let verdict = judge(request, snapshot, now)
        noteBehaviour(verdict, request, now)
        let wasAnswered = answer(verdict, to: request, on: received.streamID)
        judgedRequests.append(
            JudgedRequest(
                request, on: received.streamID, verdict, by: sender, wasAnswered: wasAnswered,
                behaviour: takeBehaviour()))
    }

    /// What the answer to a request would be, without any effect; `nil` if no fault needs it.
    private func expected(_ request: MockRequest, _ snapshot: MockState.Snapshot, _ now: Date) -> MockVerdict? {
        guard snapshot.hasFaultsAboutVerdicts else { return nil }
        let reading = reading(of: request.authorization, snapshot)
        return connection.state.apns.judge(
            request, authorizedBy: reading, on: facts, at: now, ids: MockAnswerIDs(messageID: 0, uniqueID: 0)
        ).verdict
    }

    func judge(_ request: MockRequest, _ snapshot: MockState.Snapshot, _ now: Date) -> MockVerdict {
        let reading = reading(of: request.authorization, snapshot)
        let judgement =
            snapshot.apns.mustJudgeAlone(request)
            ? judgeAlone(request, reading, now)
            : apnsSnapshot(for: request, snapshot).judge(
                request, authorizedBy: reading, on: facts, at: now, ids: ids.next())
        facts = judgement.connection
        follow(judgement.verdict, under: snapshot.apns.variants)
        return judgement.verdict
    }

    /// The state to check a request that changes nothing. A request about channels gets the newest one: another request
    /// of the same batch may have created a channel.
    private func apnsSnapshot(for request: MockRequest, _ snapshot: MockState.Snapshot) -> APNSSnapshot {
        request.target.app == nil ? snapshot.apnsSnapshot : APNSSnapshot(connection.state.apns)
    }

    /// Checks a request and applies its effect, under the lock: all connections share the state.
    private func judgeAlone(
        _ request: MockRequest, _ reading: ParsedProviderToken, _ now: Date
    ) -> Judgement {
        let ids = ids.next()
        return connection.state.change { apns in
            let judgement = apns.judge(request, authorizedBy: reading, on: facts, at: now, ids: ids)
            if let effect = judgement.effect { apns.apply(effect, at: now) }
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
        sender = MockArrivalSender(
            peer: sender.peer, token: reading.content, certificate: facts.certificate?.commonName,
            environment: environment)
        if let token = reading.content {
            connection.state.records.change(connection.number) { $0.used(token, at: .now) }
            if isOther { noteNewToken(token) }
        }
        return reading
    }

    /// A slow or silent answer, for a magic token.
    private func magicRun(_ request: MockRequest, on streamID: Int32, _ apnsSnapshot: APNSSnapshot) -> FaultRun? {
        guard apnsSnapshot.apns.acceptsMagicTokens, case .device(let token) = request.target,
            let steps = MockMagicToken(token: token)?.steps, apnsSnapshot.apns.devices.device(hex: token) == nil
        else { return nil }
        return connection.state.order(of: steps).map {
            FaultRun($0, of: connection.state, at: .request, request: (request, streamID))
        }
    }

    // MARK: Behaviour

    private func noteNewToken(_ token: ProviderTokenContent) {
        let now = connection.state.now
        let onAll = connection.state.noteBehaviour {
            $0.newToken(ofKey: token.keyID, issuedAt: token.issuedAt, at: now)
        }
        if let violation = behaviour.newToken(at: now) ?? onAll { violations.append(violation) }
    }

    private func noteBehaviour(_ verdict: MockVerdict, _ request: MockRequest, _ now: Date) {
        guard verdict.reason == .unregistered || verdict.reason == .badDeviceToken,
            case .device(let token) = request.target, !token.isEmpty
        else { return }
        // Tests send to a magic token repeatedly.
        guard verdict.check != Check.magicToken.name else { return }
        if let violation = connection.state.noteBehaviour({ $0.rejected(deviceToken: token) }) {
            violations.append(violation)
        }
    }

    private func takeBehaviour() -> [MockViolation] {
        guard !violations.isEmpty else { return [] }
        defer { violations = [] }
        return violations
    }

    /// Changes the stream limit after a request, as APNs does, and ends a connection with too many rejections.
    private func follow(_ verdict: MockVerdict, under variants: MockVariants) {
        let connection = connection
        for timer in connection.idleTimers { timer.used() }
        for action in allowance.requestJudged(verdict, isAuthenticated: facts.isAuthenticated, under: variants) {
            switch action {
            case .announce(let streams):
                // The limit of a fault stays.
                guard !connection.faults.limitsStreams else { continue }
                connection.announce(HTTP2Settings(maxConcurrentStreams: streams))
            case .goAway: endsAfterBatch = true
            }
        }
    }

    /// Sends GOAWAY after the requests that came before it are answered.
    private func endIfTooManyRejections() {
        guard endsAfterBatch else { return }
        endsAfterBatch = false
        connection.goAway(connection.wire.http2.newestStreamID, .enhanceYourCalm, "")
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
        guard !judgedRequests.isEmpty || !elsewhere.isEmpty else { return }
        defer { connection.wire.http2.forgetLostAnswers() }
        if !elsewhere.isEmpty { publishElsewhere() }
        guard !judgedRequests.isEmpty else { return }
        var waiting: [JudgedRequest] = []
        if !connection.wire.http2.allAnswersHaveLeft { waiting = setAsideUnanswered(of: &judgedRequests) }
        connection.state.journal.append(judgedRequests, connection: connection.number, time: connection.state.now)
        judgedRequests.removeAll(keepingCapacity: true)
        judgedRequests.append(contentsOf: waiting)
    }

    private func publishElsewhere() {
        elsewhere = elsewhere.compactMap { state, number, requests in
            var requests = requests
            let waiting = setAsideUnanswered(of: &requests)
            if !requests.isEmpty { state.journal.append(requests, connection: number, time: state.now) }
            return waiting.isEmpty ? nil : (state, number, waiting)
        }
    }

    /// Marks requests as not answered when their answer will never be sent.
    ///
    /// - Returns: Requests whose answer may still be sent. They are removed from the list.
    private func setAsideUnanswered(of requests: inout [JudgedRequest]) -> [JudgedRequest] {
        let http2 = connection.wire.http2
        var waiting: [JudgedRequest] = []
        requests = requests.compactMap { entry in
            guard entry.wasAnswered, http2.answerHasNotLeft(entry.streamID) else { return entry }
            guard !connection.isOver, !connection.faults.isSilent, !http2.hasLostAnswer(entry.streamID) else {
                return entry.withoutAnswer()
            }
            waiting.append(entry)
            return nil
        }
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
