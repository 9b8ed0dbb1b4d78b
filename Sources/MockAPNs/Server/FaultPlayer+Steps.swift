internal import NIOCore
import PushPlatform
internal import PushWire

/// Executes the steps of faults.
extension FaultPlayer {
    func perform(_ step: MockFaultStep, _ run: FaultRun) {
        switch step {
        // FaultRun executes these.
        case .wait, .repeated: break
        case .judge:
            guard let (request, _) = standing(run) else { return }
            run.verdict = judge(request)
        case .answer(let answer): give(answer, run)
        case .addFields(let fields): giveVerdict(with: fields, run)
        case .noAnswer:
            leave(run, "The fault sends no answer.")
            if run.request == nil { isStalledByFault = true }
        case .resetStream(let code, let afterHeaders): reset(run, code, afterHeaders: afterHeaders)
        case .goAway(let goAway): sendGoAway(goAway, run)
        case .settings(let settings): change(settings)
        case .openWindow(let window, let increment): open(window, by: increment, run)
        case .withhold(let withheld):
            connection.wire.http2.withheld = Withheld(withheld)
            isStalledByFault = isStalledByFault || withheld.contains(.windowUpdates)
        case .frame(let frame): send(frame, run)
        case .bytes(let bytes): send(bytes)
        case .trickle(let bytes, let pause): trickle(bytes, pause)
        case .stopReading: stopReading()
        case .fallSilent: fallSilent()
        case .tls(let tls): change(tls)
        case .closeConnection(let how):
            leave(run, "The fault ended the connection instead of an answer.")
            connection.close(how)
        }
    }

    private func give(_ answer: MockFaultAnswer, _ run: FaultRun) {
        guard let (request, streamID) = standing(run) else { return }
        let verdict = answer.verdict(for: request, on: connection.api)
        let body = answer.body?.onTheWire ?? verdict.body(for: request)
        let fields = fields(of: answer, verdict, hasBody: !body.isEmpty)
        try? connection.wire.http2.submitResponse(fields, body: body, as: answer.shape, on: streamID)
        decide(run, verdict, wasForced: true)
    }

    /// Sends the answer of the checks with more header fields.
    private func giveVerdict(with others: [String: String], _ run: FaultRun) {
        guard let (request, streamID) = standing(run) else { return }
        let verdict = run.verdict ?? judge(request)
        let body = verdict.body(for: request)
        let fields = ServedRequests.headers(of: verdict, hasBody: !body.isEmpty, others: others)
        let wasAnswered = (try? connection.wire.http2.submitResponse(fields, body: body, on: streamID)) ?? false
        decide(run, verdict, wasAnswered: wasAnswered)
    }

    private func fields(of answer: MockFaultAnswer, _ verdict: MockVerdict, hasBody: Bool) -> OutgoingFields {
        guard answer.fields != nil || answer.padding != nil || !answer.leftOut.isEmpty else {
            return ServedRequests.headers(of: verdict, hasBody: hasBody, others: answer.headers)
        }
        var block = HeaderBlock()
        if let fields = answer.fields {
            for field in fields { block.append(field.name, field.value, indexing: .avoided) }
        } else {
            for field in ServedRequests.headers(of: verdict, hasBody: hasBody, others: answer.headers).fields
            where !answer.leftOut.contains(field.name) {
                block.append(field.name, field.value, indexing: field.indexing)
            }
        }
        if let padding = answer.padding { block.append(contentsOf: connection.state.paddings.fields(padding)) }
        return OutgoingFields(block)
    }

    private func reset(_ run: FaultRun, _ code: MockHTTP2Code, afterHeaders: Bool) {
        guard let (request, streamID) = standing(run) else { return }
        if afterHeaders {
            let verdict = run.verdict ?? judge(request)
            let headers = ServedRequests.headers(of: verdict, hasBody: !verdict.body(for: request).isEmpty)
            try? connection.wire.http2.beginResponse(headers, on: streamID)
            decide(run, verdict)
        } else {
            leave(run, "The fault reset the stream instead of an answer (\(code)).")
        }
        sendAll()
        connection.wire.http2.reset(streamID, code: code.onTheWire)
        sendAll()
    }

    private func sendGoAway(_ goAway: MockFaultGoAway, _ run: FaultRun) {
        release()
        let streamID = run.request?.streamID ?? 0
        let last = goAway.lastStreamID(on: streamID) ?? connection.wire.http2.newestStreamID
        // The last stream id of a GOAWAY must not be higher than that of an earlier one; nghttp2 does not send it.
        guard last <= lastStreamTaken else { return }
        lastStreamTaken = last
        // Answers are sent before the GOAWAY, which declares later streams unprocessed.
        sendAll()
        connection.goAway(last, goAway.code, goAway.text)
        let message = "A GOAWAY declared the request unprocessed."
        if streamID > last { leave(run, message) }
        for other in runs.values where other.request?.streamID ?? 0 > last { leave(other, message) }
        sendAll()
    }

    private func change(_ settings: MockFaultSettings) {
        if settings.maxConcurrentStreams != nil { limitsStreams = true }
        if settings.initialWindowSize != nil { isStalledByFault = true }
        connection.announce(settings.onTheWire)
        release()
    }

    /// Starts HTTP/2, if a fault has delayed it.
    func release() {
        if !connection.hasAnnounced { connection.announceFirst() }
        guard connection.wire.holdsHTTP2 else { return }
        connection.receive { () throws(HTTP2OverTLS.Failure) in try connection.wire.releaseHTTP2() }
    }

    // MARK: Below HTTP/2

    private func open(_ window: MockFaultWindow, by increment: Int, _ run: FaultRun) {
        let streamID = window == .connection ? 0 : run.request?.streamID ?? 0
        release()
        // Only this WINDOW_UPDATE is sent. The session's own ones are withheld as before.
        sendAll()
        let withheld = connection.wire.http2.withheld
        connection.wire.http2.withheld.remove(.windowUpdates)
        connection.wire.http2.openWindow(streamID, by: Int32(clamping: increment))
        sendAll()
        connection.wire.http2.withheld = withheld
    }

    private func send(_ frame: MockFaultFrame, _ run: FaultRun) {
        release()
        let streamID: Int32 =
            switch frame.stream {
            case .connection: 0
            case .this: run.request?.streamID ?? 0
            case .idle: min(connection.wire.http2.newestStreamID, .max - 2) + 2
            case .id(let id): id
            }
        connection.requests.publish()
        try? connection.wire.sendRaw(frame.onTheWire(streamID))
    }

    private func send(_ bytes: MockFaultBytes) {
        connection.requests.publish()
        guard !isSilent, let context = connection.context else { return }
        guard !connection.wire.tls.isEstablished else {
            // Bytes can be sent before HTTP/2 begins.
            guard connection.wire.holdsHTTP2 else { return (try? connection.wire.sendRaw(bytes.onTheWire)) ?? () }
            bytes.onTheWire.withUnsafeBytes { try? connection.wire.tls.seal($0) }
            return sendAll()
        }
        context.writeAndFlush(connection.wrapOutboundOut(ByteBuffer(bytes: bytes.onTheWire)), promise: nil)
    }

    private func trickle(_ bytes: Int, _ pause: Duration) {
        sendAll()
        isStalledByFault = true
        if let trickleHandler { return trickleHandler.change(bytes: bytes, pause: TimeAmount(pause)) }
        guard let context = connection.context else { return }
        let handler = TrickleHandler(bytes: bytes, pause: TimeAmount(pause))
        trickleHandler = handler
        try? context.channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    /// Sends what is ready, and nothing after it.
    func fallSilent() {
        sendAll()
        isSilent = true
        connection.state.records.change(connection.number) { $0.wentSilentAt = .now }
        trickleHandler?.stop()
    }

    /// Stops reading. The small receive buffer fills soon: the system does not enlarge a buffer whose size was set.
    private func stopReading() {
        readsNothing = true
        isStalledByFault = true
        try? connection.context?.channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: 4096)
    }

    private func change(_ tls: MockFaultTLS) {
        guard let context = try? connection.state.tlsContexts.context(for: tls),
            let session = try? TLSSession(context: context)
        else { return }
        connection.use(session)
        agreesOnNothing = tls.agreed == .nothing
    }

    func sendAll() {
        connection.requests.publish()
        connection.flush()
    }
}

extension MockFaultAnswer {
    fileprivate var shape: AnswerShape {
        var shape = AnswerShape()
        shape.interim = interim.map { OutgoingFields([(":status", String($0))]) }
        if !trailers.isEmpty {
            shape.trailers = OutgoingFields(trailers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
        shape.pieceBytes = pieceBytes
        shape.ends = ends
        return shape
    }
}

extension Withheld {
    fileprivate init(_ kinds: Set<MockFaultWithheld>) {
        self = []
        for kind in kinds {
            switch kind {
            case .windowUpdates: insert(.windowUpdates)
            case .pingAnswers: insert(.pingAnswers)
            case .settingsAnswers: insert(.settingsAnswers)
            }
        }
    }
}
