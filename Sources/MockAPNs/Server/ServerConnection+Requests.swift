internal import NIOCore
import PushPlatform
internal import PushWire

/// Serves the requests: bytes become events, and each request gets a fault or a verdict, an answer and an entry of the log.
extension ServerConnection {
    func answerRequests() {
        guard refusal == nil else { return }
        updateRecord()
        wire.http2.takeEvents(into: &events)
        guard !events.isEmpty else { return }
        var batch: [HTTP2Event] = []
        swap(&batch, &events)
        let whole = batch.reduce(0) { if case .requestReceived = $1 { $0 + 1 } else { $0 } }
        var view = BatchView(of: state, left: whole)
        let routes = home === state ? view.snapshot.keyRoutes : home.keyRoutes
        for event in batch where !isOver {
            switch event {
            case .headersReceived(let received):
                followKeyID(of: received, routes, &view)
                begin(received)
            case .requestReceived(let received):
                followKeyID(of: received, routes, &view)
                let number = view.countRequest()
                requestCount += 1
                if !faults.isInterrupted(received, number: number) {
                    accept(received, number: number, view.snapshot, at: view.now)
                }
            case .requestRefused(let received, let refusal): refused(received, refusal)
            case .streamEnded(let end): ended(end)
            case .goAwayReceived(let goAway): self.received(goAway, view.now)
            case .settingsReceived, .pingAnswered: break
            }
        }
        faults.forgetEndedStreams()
        giveBack(&batch)
    }

    /// Reuses the memory of the batch for the next one, unless events were added meanwhile.
    private func giveBack(_ batch: inout [HTTP2Event]) {
        batch.removeAll(keepingCapacity: true)
        if events.isEmpty { swap(&batch, &events) }
    }

    // MARK: Namespaces

    /// Moves the connection to the namespace that the key id of a request's provider token chooses.
    private func followKeyID(of received: HTTP2Request, _ routes: [String: MockState], _ view: inout BatchView) {
        guard !routes.isEmpty || state !== home else { return }
        let authorization = requestReader.request(received).authorization
        let wanted = keyIDs.keyID(of: authorization).flatMap { routes[$0] } ?? home
        guard wanted !== state else { return }
        state.uncount(view.left)
        move(to: wanted)
        view = BatchView(of: wanted, left: view.left)
    }

    /// Moves the connection to another mock, which judges and logs its requests from now on. Its record ends here, and continues
    /// there: under a new number, or under the number that it had there before.
    func move(to other: MockState) {
        guard other !== state, !isOver else { return }
        // Answers to earlier requests belong to the namespace of these requests.
        flush()
        publish()
        namespaces.leave(place, judge.known)
        unlogged.leave(place)
        limits.leave(place)
        let left = state.records.end(number, "the connection continues in another namespace, chosen by a key id")
        state.connections.remove(number)
        let known = namespaces.place(in: other)?.number
        enter(ConnectionPlace(state: other, number: other.records.adopt(left, as: known)))
        if let context { other.connections.add(self, on: context.channel, isKnown: known != nil) }
        judge.enter(namespaces.knowledge(in: other))
    }

    // MARK: From the request to the log

    /// Handles the headers of a request whose body has not arrived yet.
    private func begin(_ received: HTTP2Request) {
        guard received.streamID <= faults.lastStreamTaken, !isBehindStreamBeyondLimit(received) else { return }
        // Stream ids are odd, from 1, so the id gives the number of the request.
        let number = Int(received.streamID / 2) + 1
        let request = requestReader.request(received)
        let event = FaultEvent.Request(request, number: 0, numberOnConnection: number)
        let run = FaultRun.take(for: request, event, at: .requestHeaders, on: received.streamID, in: place)
        if let run { begin(run, on: request) }
    }

    func accept(_ received: HTTP2Request, number: Int, _ snapshot: MockState.Snapshot, at now: Date) {
        let streamID = received.streamID
        guard streamID <= faults.lastStreamTaken else { return }
        if isBehindStreamBeyondLimit(received) { return passOver(received) }
        let request = requestReader.request(received)
        if faults.isSilent {
            let unheard = MockVerdict.unanswered(
                request, "A fault had stopped all reading and sending on the connection.")
            return addUnanswered(request, on: streamID, unheard)
        }
        if let maximum = limits.limits.requestBytes, received.bodyByteCount > maximum {
            // It ends the connection, so it must not count as accepted.
            let why = LimitExceeded(.requestBytes, in: limits.limits).text(state.configuration)
            return addUnanswered(request, on: streamID, .unanswered(request, why))
        }
        if DeliveryExport.serves(request.path) { return export(request, received, snapshot) }
        if let run = fault(for: request, number: number, on: streamID, snapshot, at: now) {
            return begin(run, on: request)
        }
        let verdict = self.verdict(on: request, snapshot, at: now)
        let behaviour = judge.takeViolations(verdict, request, in: state)
        let wasAnswered = answer(verdict, to: request, on: streamID)
        unlogged.add(
            JudgedRequest(
                request, on: streamID, verdict, by: judge.sender, wasAnswered: wasAnswered, behaviour: behaviour))
    }

    /// Begins a fault with the sender of its request: another one may have come before the answer.
    private func begin(_ run: FaultRun, on request: MockRequest) {
        run.sender = judge.sender(of: request, in: place)
        begin(run)
    }

    /// The fault that acts on a request: one of the plan, or the slow or silent answer of a magic token.
    private func fault(
        for request: MockRequest, number: Int, on streamID: Int32, _ snapshot: MockState.Snapshot, at now: Date
    ) -> FaultRun? {
        if snapshot.hasFaults {
            var event = FaultEvent.Request(request, number: number, numberOnConnection: requestCount)
            if snapshot.hasFaultsAboutVerdicts {
                event.verdict = judge.expectedVerdict(request, snapshot, at: now, in: place)
            }
            if let run = FaultRun.take(for: request, event, at: .request, on: streamID, in: place) { return run }
        }
        guard snapshot.acceptsMagicTokens, case .device(let token) = request.target,
            let steps = MockMagicToken(token: token)?.steps, snapshot.apns.devices.device(hex: token) == nil
        else { return nil }
        return FaultRun(steps, request: request, on: streamID, in: place)
    }

    /// Judges a request, and changes the stream limit after it, as APNs does.
    func verdict(on request: MockRequest, _ snapshot: MockState.Snapshot, at now: Date) -> MockVerdict {
        let verdict = judge.judge(request, snapshot, at: now, in: place)
        for timer in idleTimers { timer.used() }
        let isAuthenticated = judge.facts.isAuthenticated
        // Most requests change nothing.
        if verdict.reason == nil, isAuthenticated, !snapshot.countsRejections,
            allowance.announced == snapshot.streamsAfterAuthentication
        {
            return verdict
        }
        for action in allowance.requestJudged(
            verdict, isAuthenticated: isAuthenticated, under: snapshot.apns.variants)
        {
            switch action {
            case .announce(let streams):
                // The limit of a fault stays.
                if !faults.limitsStreams { announce(HTTP2Settings(maxConcurrentStreams: streams)) }
            case .goAway: endsAfterBatch = true
            }
        }
        return verdict
    }

    /// Sends GOAWAY after the requests that came before it are answered.
    func endIfTooManyRejections() {
        guard endsAfterBatch else { return }
        endsAfterBatch = false
        goAway(wire.http2.newestStreamID, .enhanceYourCalm, "")
    }

    /// Sends an answer.
    ///
    /// - Returns: Whether the stream is still open.
    func answer(_ verdict: MockVerdict, to request: MockRequest, on streamID: Int32) -> Bool {
        let body = verdict.body(for: request)
        guard limits.hasRoom(forAnswer: body.count, wire.http2) else { return false }
        let headers = verdict.headers(hasBody: !body.isEmpty)
        return (try? wire.http2.submitResponse(headers, body: body, on: streamID)) ?? false
    }

    /// Answers a request about delivery counts, which is no push and not logged.
    private func export(_ request: MockRequest, _ received: HTTP2Request, _ snapshot: MockState.Snapshot) {
        var authority = ""
        received.headers.forEach { name, value in
            if name.elementsEqual(":authority".utf8) { authority = String(decoding: value, as: UTF8.self) }
        }
        let answer = DeliveryExport(
            authority: authority, now: snapshot.now, variants: snapshot.apns.variants,
            arrivals: { [state] in state.journal.all }
        ).answer(request)
        guard limits.hasRoom(forAnswer: answer.body.count, wire.http2) else { return }
        let fields = OutgoingFields([(":status", String(answer.status)), ("content-type", answer.type)])
        _ = try? wire.http2.submitResponse(fields, body: answer.body, on: received.streamID)
    }

    /// Adds processed requests to the log when the frames of their answers have been created.
    func publish() {
        guard !unlogged.isEmpty else { return }
        unlogged.publish(to: place, wire.http2, isCut: isOver || faults.isSilent)
    }

    // MARK: Refused and incomplete requests

    /// Logs a request whose stream was reset, or which ends its connection.
    private func refused(_ received: HTTP2Request, _ refusal: HTTP2Refusal) {
        // If a fault acts on the request, the fault logs it.
        guard !faults.concerns(received.streamID) else { return }
        writeDown(received) { .refused($0, refusal.fact, refusal.detail, refusal.remedy) }
        if refusal == .beyondAcknowledgedLimit {
            firstStreamBeyondLimit = min(firstStreamBeyondLimit ?? .max, received.streamID)
        }
    }

    private func writeDown(_ received: HTTP2Request, _ verdict: (MockRequest) -> MockVerdict) {
        state.countRequest()
        let request = requestReader.request(received)
        addUnanswered(request, on: received.streamID, verdict(request))
    }

    private func addUnanswered(_ request: MockRequest, on streamID: Int32, _ verdict: MockVerdict) {
        let sender = judge.sender(of: request, in: place)
        unlogged.add(JudgedRequest(request, on: streamID, verdict, by: sender, wasAnswered: false))
    }

    /// Whether the stream comes after one beyond the limit. The GOAWAY declares such streams unprocessed.
    private func isBehindStreamBeyondLimit(_ received: HTTP2Request) -> Bool {
        firstStreamBeyondLimit.map { received.streamID > $0 } ?? false
    }

    /// Logs a request that such a GOAWAY declares unprocessed. The request has already been counted.
    private func passOver(_ received: HTTP2Request) {
        let request = requestReader.request(received)
        let message = """
            An earlier stream exceeds the limit of the SETTINGS that the client has acknowledged. The connection was closed with a \
            GOAWAY that declared this request unprocessed.
            """
        let verdict = MockVerdict.refused(request, HTTP2Refusal.beyondAcknowledgedLimit.fact, message)
        addUnanswered(request, on: received.streamID, verdict)
    }

    /// Logs the requests that are incomplete when the connection ends.
    ///
    /// - Parameter why: Why the connection ends.
    func noteUnfinished(_ why: String) {
        for received in wire.http2.unfinishedRequests
        where received.streamID <= faults.lastStreamTaken && !faults.concerns(received.streamID) {
            writeDown(received) { .unfinished($0, why) }
        }
    }

    // MARK: Events of sending

    /// Processes the events that sending has caused. Events from receiving stay in the queue.
    func processSent() {
        guard wire.http2.hasEvents else { return }
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
        notes.ended(end)
        guard let run = faults.ended(end.streamID) else { return }
        if case .resetByPeer = end.cause {
            leave(run, "The client reset the stream before the answer was sent.")
        } else {
            leave(run, "The stream ended before the answer was sent.")
        }
    }

    /// Updates the record, and acts on what the client did outside of requests.
    func updateRecord() {
        let http2 = wire.http2
        notes.takeFrames(of: http2)
        if !isOver { limits.count(notes.frames, of: http2) }
        if !isOver, limits.isFirstOverlongSection(http2) {
            let reached = LimitExceeded(.headerBytes, in: limits.limits)
            logger.notice("connection \(number): a stream was reset: \(reached.text(state.configuration))")
        }
        if let other = limits.reportUnfinished(isOver ? 0 : http2.unfinishedBytes, in: place) {
            let excess = LimitExceeded(.unfinishedBytes, in: limits.limits)
            state.connections.reach(other) { $0.refuse(excess) }
        }
        if notes.isFirstEarlyStream(http2) { noteEarlyStreams() }
        if notes.isFirstIgnoredGoAway(http2, sentAt: goAwayTime) {
            let message = "The client opened a stream more than a second after the GOAWAY."
            place.add(BehaviourRule.ignoredGoAway.violation(message), at: state.now)
        }
        notes.update(place, http2, requestCount: requestCount)
    }

    private func noteEarlyStreams() {
        let configuration = state.configuration
        let consequence =
            configuration.variants.refusesEarlyStreams
            ? "The mock resets these streams with REFUSED_STREAM."
            : "The mock serves them. \(configuration.remedyText(.refuseEarlyStreams))"
        logger.notice(
            """
            connection \(number): the client opened more streams than SETTINGS allow, before it acknowledged the SETTINGS. \
            \(consequence)
            """)
    }
}
