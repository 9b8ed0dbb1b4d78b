internal import NIOCore
import PushPlatform
internal import PushWire

extension ServerConnection {
    func perform(_ step: MockFault.Step, _ run: FaultRun) {
        switch step {
        // FaultCourse and the run's pauses consume these.
        case .wait, .repeated: break
        case .judge:
            guard let (request, _) = openRequest(of: run) else { return }
            run.verdict = verdictWithoutFault(on: request)
        case .answer(let answer): give(answer, run)
        case .addFields(let fields): giveVerdict(with: fields, run)
        case .noAnswer:
            leave(run, "The fault sends no answer.")
            if run.request == nil { faults.isStalledByFault = true }
        case .resetStream(let code, let afterHeaders): reset(run, code, afterHeaders: afterHeaders)
        case .goAway(let last, let code, let text): goAway(last, code, text, run)
        case .settings(let settings): send(settings)
        case .openWindow(let window, let increment): open(window, by: increment, run)
        case .withhold(let withheld):
            wire.http2.withheld = Withheld(withheld)
            faults.isStalledByFault = faults.isStalledByFault || withheld.contains(.windowUpdates)
        case .frame(let frame): send(frame, run)
        case .bytes(let bytes): send(bytes)
        case .trickle(let bytes, let pause): trickle(bytes, TimeAmount(pause))
        case .stopReading: stopReading()
        case .fallSilent: fallSilent()
        case .tls(let tls): change(tls)
        case .closeConnection(let how):
            leave(run, "The fault ended the connection instead of an answer.")
            close(how)
        }
    }

    // MARK: Answers

    private func give(_ answer: MockFault.Answer, _ run: FaultRun) {
        guard let (request, streamID) = openRequest(of: run) else { return }
        let verdict = answer.verdict(for: request, on: api)
        let body = answer.body?.onTheWire ?? verdict.body(for: request)
        let fields = answer.fields(of: verdict, hasBody: !body.isEmpty, paddings: state.paddings)
        try? wire.http2.submitResponse(fields, body: body, as: answer.shape, on: streamID)
        decide(run, verdict, wasForced: true)
    }

    /// Sends the answer of the checks with more header fields.
    private func giveVerdict(with others: [String: String], _ run: FaultRun) {
        guard let (request, streamID) = openRequest(of: run) else { return }
        let verdict = run.verdict ?? verdictWithoutFault(on: request)
        let body = verdict.body(for: request)
        let fields = verdict.headers(hasBody: !body.isEmpty, others: others)
        let wasAnswered = (try? wire.http2.submitResponse(fields, body: body, on: streamID)) ?? false
        decide(run, verdict, wasAnswered: wasAnswered)
    }

    private func reset(_ run: FaultRun, _ code: MockHTTP2Code, afterHeaders: Bool) {
        guard let (request, streamID) = openRequest(of: run) else { return }
        if afterHeaders {
            let verdict = run.verdict ?? verdictWithoutFault(on: request)
            let headers = verdict.headers(hasBody: !verdict.body(for: request).isEmpty)
            try? wire.http2.beginResponse(headers, on: streamID)
            decide(run, verdict)
        } else {
            leave(run, "The fault reset the stream instead of an answer (\(code)).")
        }
        sendAll()
        wire.http2.reset(streamID, code: code.onTheWire)
        sendAll()
    }

    // MARK: HTTP/2

    private func goAway(_ lastStream: MockFault.Stream, _ code: MockHTTP2Code, _ text: String, _ run: FaultRun) {
        releaseHTTP2()
        let last = id(of: lastStream, run)
        // The last stream id of a GOAWAY must not be higher than that of an earlier one; nghttp2 does not send it.
        guard last <= faults.lastStreamTaken else { return }
        faults.lastStreamTaken = last
        // Answers are sent before the GOAWAY, which declares later streams unprocessed.
        sendAll()
        goAway(last, code, text)
        let message = "A GOAWAY declared the request unprocessed."
        if run.request?.streamID ?? 0 > last { leave(run, message) }
        for other in faults.running.values where other.request?.streamID ?? 0 > last { leave(other, message) }
        sendAll()
    }

    private func send(_ settings: MockFault.Settings) {
        if settings.maxConcurrentStreams != nil { faults.limitsStreams = true }
        if settings.initialWindowSize != nil { faults.isStalledByFault = true }
        announce(settings.onTheWire)
        releaseHTTP2()
    }

    /// Starts HTTP/2, if a fault has delayed it.
    func releaseHTTP2() {
        if !hasAnnounced { announceFirst() }
        guard wire.holdsHTTP2 else { return }
        receive { () throws(HTTP2OverTLS.Failure) in try wire.releaseHTTP2() }
    }

    private func id(of stream: MockFault.Stream, _ run: FaultRun) -> Int32 {
        stream.id(this: run.request?.streamID ?? 0, newest: wire.http2.newestStreamID)
    }

    private func open(_ window: MockFault.Stream, by increment: Int, _ run: FaultRun) {
        releaseHTTP2()
        // Only this WINDOW_UPDATE is sent. The session's own ones are withheld as before.
        sendAll()
        let withheld = wire.http2.withheld
        wire.http2.withheld.remove(.windowUpdates)
        wire.http2.openWindow(id(of: window, run), by: Int32(clamping: increment))
        sendAll()
        wire.http2.withheld = withheld
    }

    private func send(_ frame: MockFault.Frame, _ run: FaultRun) {
        releaseHTTP2()
        publish()
        try? wire.sendRaw(frame.onTheWire(id(of: frame.stream, run)))
    }

    // MARK: Below HTTP/2

    private func send(_ bytes: MockFault.Bytes) {
        publish()
        guard !faults.isSilent, let context else { return }
        guard !wire.tls.isEstablished else {
            // Bytes can be sent before HTTP/2 begins.
            guard wire.holdsHTTP2 else { return (try? wire.sendRaw(bytes.onTheWire)) ?? () }
            bytes.onTheWire.withUnsafeBytes { try? wire.tls.seal($0) }
            return sendAll()
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes.onTheWire)), promise: nil)
    }

    private func trickle(_ bytes: Int, _ pause: TimeAmount) {
        sendAll()
        faults.isStalledByFault = true
        if let handler = faults.trickleHandler { return handler.change(bytes: bytes, pause: pause) }
        guard let context else { return }
        let handler = TrickleHandler(bytes: bytes, pause: pause)
        faults.trickleHandler = handler
        try? context.channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    /// Sends what is ready, and nothing after it.
    func fallSilent() {
        sendAll()
        faults.isSilent = true
        place.changeRecord { $0.wentSilentAt = .now }
        faults.trickleHandler?.stop()
    }

    /// Stops reading. The small receive buffer fills soon: the system does not enlarge a buffer whose size was set.
    private func stopReading() {
        faults.readsNothing = true
        faults.isStalledByFault = true
        try? context?.channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: 4096)
    }

    private func change(_ tls: MockFault.TLS) {
        guard let context = try? state.tlsContexts.context(for: tls),
            let session = try? TLSSession(context: context)
        else { return }
        use(session)
        faults.agreesOnNothing = tls.agreed == .nothing
    }

    func sendAll() {
        publish()
        flush()
    }
}

extension Withheld {
    fileprivate init(_ kinds: Set<MockFault.Withheld>) {
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
