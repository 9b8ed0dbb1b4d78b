internal import Logging
internal import NIOCore
internal import PushWire

/// What a connection tells the one who keeps it.
protocol ClientConnectionOwner: AnyObject {
    /// It can take requests.
    func connectionOpened(_ connection: ClientConnection)
    /// It has taken what it had room for.
    func connectionPulled(_ connection: ClientConnection)
    /// It has put sends back into the queue: to be sent at once, or later and then from this time on.
    func connectionReturned(_ connection: ClientConnection, atOnce: Bool, later: MonotonicTime?)
    /// The server refuses the credentials, whatever is sent.
    func credentialsRefused(_ connection: ClientConnection, words: String)
    /// It takes no more requests; what is in flight may finish.
    func connectionStopsTaking(_ connection: ClientConnection, reason: String)
    /// It is gone. When it never opened, `failure` says why.
    func connectionClosed(_ connection: ClientConnection, failure: ConnectionFailure?)
}

/// One connection to APNs: performs what ``ConnectionState`` decides, on a NIO channel.
///
/// It belongs to its channel's event loop and is touched there only.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let number: Int
    @exclusivity(unchecked) private(set) var state: ConnectionState
    /// A request was given to it.
    @exclusivity(unchecked) private(set) var hasCarried = false
    /// An answer came over it.
    @exclusivity(unchecked) private(set) var hasAnswered = false
    @exclusivity(unchecked) private var isLeaving = false
    @exclusivity(unchecked) private var liveness: Liveness

    /// The server does not take the certificate: the next connection would end in the same way.
    var isCertificateRefused: Bool { refusal != nil }
    /// What the server has said of the certificate, where it does not take it.
    var refusal: ConnectionFailure? { failure.flatMap { $0.isAboutCredentials ? $0 : nil } }

    private let wire: HTTP2OverTLS
    private let common: RequestFields
    private let desk: SendDesk
    /// `nil` where the certificate shown in the handshake says who is there.
    private let tokens: ProviderTokenSource?
    private let clocks: Clocks
    private let logger: Logger
    private let peer: String
    private weak var owner: (any ClientConnectionOwner)?

    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var spareEvents: [HTTP2Event] = []
    @exclusivity(unchecked) private var taken: [PendingSend] = []
    @exclusivity(unchecked) private var streams = StreamsInFlight()
    private let records = RecordWriter()
    private let ends: AttemptEnds
    @exclusivity(unchecked) private var failure: ConnectionFailure?
    /// The time of issue of the provider token that was sent last.
    @exclusivity(unchecked) private var tokenIssuedAt = 0
    @exclusivity(unchecked) private var goAwayWords: String?
    @exclusivity(unchecked) private var goAwayReason: RejectionReason?
    @exclusivity(unchecked) private var phaseTimer: Scheduled<Void>?
    @exclusivity(unchecked) private var pingTimer: Scheduled<Void>?
    @exclusivity(unchecked) private var keepAliveTimer: Scheduled<Void>?

    init(
        number: Int, environment: PushEnvironment, wire: HTTP2OverTLS, desk: SendDesk, tokens: ProviderTokenSource?,
        retry: RetryPolicy, clocks: Clocks, metrics: PushMetrics, logger: Logger, owner: any ClientConnectionOwner
    ) {
        self.number = number
        self.wire = wire
        self.desk = desk
        self.tokens = tokens
        state = ConnectionState(isAuthenticated: tokens == nil)
        self.clocks = clocks
        ends = AttemptEnds(desk: desk, tokens: tokens, retry: retry, clocks: clocks, metrics: metrics)
        self.logger = logger
        self.owner = owner
        liveness = Liveness(trustedSilence: clocks.trustedSilence, now: clocks.now())
        peer = environment.description
        common = RequestFields([(":method", "POST"), (":scheme", "https"), (":authority", environment.authority)])
    }

    // MARK: The channel's happenings

    /// Takes the channel that is connected. Those of other addresses of the name never see this connection.
    func run(on channel: any Channel) {
        guard state.phase != .closed else { return channel.close(promise: nil) }
        do { try channel.pipeline.syncOperations.addHandler(self) } catch {
            fail(.socket(error, peer: peer, phase: state.pushPhase))
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin() } else { fail(.ended(by: peer, words: nil)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin()
    }

    private func begin() {
        guard state.phase == .connecting else { return }
        state.tcpConnected()
        allow(clocks.handshakeTimeout, elseFail: .tls, "the TLS handshake with \(peer) took too long")
        do throws(HTTP2OverTLS.Failure) { try wire.start() } catch { return fail(ConnectionFailure(error, peer: peer)) }
        flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state.phase != .closed else { return }
        let buffer = unwrapInboundIn(data)
        do throws(HTTP2OverTLS.Failure) {
            try receive(buffer)
        } catch {
            takeEvents()
            fail(ConnectionFailure(error, peer: peer))
        }
    }

    private func receive(_ buffer: ByteBuffer) throws(HTTP2OverTLS.Failure) {
        var thrown: HTTP2OverTLS.Failure?
        buffer.withUnsafeReadableBytes { bytes in
            do throws(HTTP2OverTLS.Failure) { try wire.receive(bytes) } catch { thrown = error }
        }
        if let thrown { throw thrown }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard state.phase != .closed else { return }
        noticeHandshake()
        switch liveness.heard(now: clocks.now()) {
        case .none: break
        case .answered: pingTimer?.cancel()
        }
        takeEvents()
        pull()
        if wire.tls.isClosedByPeer || (wire.tls.isEstablished && wire.http2.isFinished) {
            fail(.ended(by: peer, words: wire.http2.lastComplaint))
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { pull() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(.socket(error, peer: peer, phase: state.pushPhase))
    }

    private func noticeHandshake() {
        guard state.phase == .securing, wire.tls.isEstablished else { return }
        state.tlsEstablished()
        logger.debug("TLS established", metadata: ["version": "\(wire.tls.version)"])
        allow(
            clocks.settingsTimeout, elseFail: .settings, "\(peer) accepted the connection and sent no HTTP/2 settings")
        flush()
    }

    // MARK: What HTTP/2 says

    private func takeEvents() {
        var batch: [HTTP2Event] = []
        // The buffer goes round: a read can bring a thousand events.
        swap(&batch, &spareEvents)
        while true {
            wire.http2.takeEvents(into: &batch)
            if batch.isEmpty { break }
            // They came with one read: one look at the clock is as true as a thousand.
            let now = clocks.now()
            for event in batch { handle(event, now) }
            batch.removeAll(keepingCapacity: true)
        }
        spareEvents = batch
        giveBack()
    }

    private func handle(_ event: HTTP2Event, _ now: MonotonicTime) {
        switch event {
        case .settingsReceived(let settings):
            logger.debug(
                "settings", metadata: ["streams": "\(settings.maxConcurrentStreams.map(String.init) ?? "any")"])
            switch state.settingsReceived() {
            case .none: break
            case .open:
                phaseTimer?.cancel()
                keepAlive()
                owner?.connectionOpened(self)
            }
        case .streamEnded(let end): streamEnded(end, now)
        case .goAwayReceived(let goAway): goAwayReceived(goAway)
        case .pingAnswered, .requestReceived: break
        }
    }

    private func streamEnded(_ end: HTTP2StreamEnd, _ now: MonotonicTime) {
        let send = streams.remove(end.tag)
        if end.response.status != nil {
            hasAnswered = true
            liveness.streamAnswered()
        }
        if case .resetByPeer(HTTP2ErrorCode.enhanceYourCalm.rawValue) = end.cause { calmDown() }
        let action = state.streamEnded(status: end.response.status)
        if let send {
            let entry = streams[end.tag]
            let trace = trace(send, entry, now)
            if let acceptance = StreamVerdict.acceptance(end, trace) {
                ends.finish(send, .accepted(acceptance))
            } else {
                conclude(send, verdict(end, send, entry, trace), end.response, now)
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
        StreamVerdict.outcome(
            of: StreamVerdict.Facts(
                end: end,
                wasWritten: isWritten(entry),
                connectionError: failure?.description,
                goAway: goAwayWords,
                isCertificateRefused: failure?.isAboutCredentials ?? false,
                apnsID: send.apnsID,
                trace: trace
            ))
    }

    private func calmDown() {
        guard let streams = state.askedForCalm() else { return }
        logger.info("the server asks for calm", metadata: ["streams": "\(streams)"])
    }

    private func goAwayReceived(_ goAway: HTTP2GoAway) {
        let words = GoAwayWords.text(of: goAway)
        goAwayWords = words
        goAwayReason = GoAwayWords.reason(of: goAway)
        // Told by a server that was reached and asked: it outlasts what the socket says of its end.
        if tokens == nil, let refusal = ConnectionFailure.refusedCertificate(goAway, by: peer) { failure = refusal }
        logger.info("the server takes no new requests", metadata: ["goaway": "\(words)"])
        if hasCarried, let goAwayReason, goAwayReason.concernsCredentials {
            owner?.credentialsRefused(self, words: words)
        }
        perform(state.drain(), reason: words)
    }

    private func perform(_ action: ConnectionState.DrainAction, reason: String) {
        switch action {
        case .none: break
        case .stopTaking: owner?.connectionStopsTaking(self, reason: reason)
        case .close:
            owner?.connectionStopsTaking(self, reason: reason)
            close()
        }
    }

    // MARK: Requests

    /// Takes as many sends as there is room for and puts them on the wire.
    func pull() {
        takeAndSubmit()
        ends.handOver()
        owner?.connectionPulled(self)
    }

    private func takeAndSubmit() {
        guard let channel = context?.channel, channel.isWritable else { return }
        var room = state.room(freeStreams: wire.http2.freeStreams)
        guard room > 0, isTrusted() else { return flush() }
        do throws(CredentialsError) {
            let credential = try credential()
            while room > 0, channel.isWritable {
                desk.take(room, into: &taken)
                if taken.isEmpty { break }
                let now = clocks.now()
                for send in taken {
                    if send.limit > now { submit(send, credential, now) } else { expireUnsent(send, now) }
                }
                taken.removeAll(keepingCapacity: true)
                giveBack()
                flush()
                room = state.room(freeStreams: wire.http2.freeStreams)
            }
        } catch {
            failEverythingQueued(error)
        }
        flush()
    }

    private func credential() throws(CredentialsError) -> RequestFields {
        guard let tokens else { return .none }
        let token = try tokens.token(secondsSince1970: clocks.wallSeconds())
        tokenIssuedAt = token.issuedAt
        return token.field
    }

    private func submit(_ send: PendingSend, _ credential: RequestFields, _ now: MonotonicTime) {
        let tag = streams.add(send, begun: now)
        let id = try? wire.http2.submitRequest(common, send.fields, credential, body: send.body, tag: tag)
        guard let id else {
            // No stream after all: its ids are used up. Another connection begins anew, with those that were taken first.
            _ = streams.remove(tag)
            let outcome = send.unsent(.refused, "the connection has no stream left.", now: now)
            ends.putBack(send, elseTell: outcome, at: now)
            perform(state.drain(), reason: "no stream left")
            return
        }
        streams[tag].streamID = id
        state.requestSubmitted()
        liveness.sent()
        hasCarried = true
    }

    private func expireUnsent(_ send: PendingSend, _ now: MonotonicTime) {
        let outcome =
            send.hasExpired(now: now)
            ? send.unsent(.expired, "its expiration passed before it was its turn.", now: now)
            : send.unsent(.deadline, "its deadline passed before it was its turn.", now: now)
        ends.finish(send, outcome)
    }

    private func failEverythingQueued(_ error: CredentialsError) {
        let now = clocks.now()
        for send in desk.withdrawAll() { ends.finish(send, send.unsent(.credentials, error.description, now: now)) }
    }

    private func isWritten(_ entry: StreamsInFlight.Entry) -> Bool {
        records.acceptedBytes >= entry.recordEnd
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
        _ send: PendingSend, _ outcome: PushOutcome, _ response: HTTP2Response, _ now: MonotonicTime
    ) {
        if case .rejected(let rejection) = outcome, let reason = rejection.reason {
            switch state.rejected(concernsCredentials: reason.concernsCredentials) {
            case .none: break
            case .stop: owner?.credentialsRefused(self, words: "\(rejection.status) \(reason)")
            }
        }
        switch ends.conclude(send, outcome, response, tokenIssuedAt: tokenIssuedAt, now) {
        case .none: break
        case .leave: perform(state.drain(), reason: "another connection is asked for")
        case .returnedAgain: perform(state.returnedAgain(), reason: "the server processes nothing")
        }
    }

    private func giveBack() {
        guard let returned = ends.giveBack() else { return }
        owner?.connectionReturned(self, atOnce: returned.atOnce, later: returned.later)
    }

    // MARK: Deadlines and cancellation

    /// Gives up on those in flight whose deadline has come.
    func expire(now: MonotonicTime) {
        defer { ends.handOver() }
        for tag in streams.late(now: now) {
            guard let send = streams[tag].send else { continue }
            abandon(tag, send, .deadline, "its deadline passed before the answer came.")
            if liveness.deadlinePassed() {
                if liveness.ask() { sendPing() }
                perform(state.drain(), reason: "several deadlines passed in a row")
            }
        }
        flush()
        takeEvents()
    }

    /// The earliest deadline of those in flight.
    var nextDeadline: MonotonicTime? { streams.nextDeadline }

    /// Gives up on one send.
    func cancel(_ send: PendingSend) -> Bool {
        guard let tag = streams.tag(of: send) else { return false }
        defer { ends.handOver() }
        abandon(tag, send, .cancelled, "its task was cancelled before the answer came.")
        flush()
        takeEvents()
        return true
    }

    /// The stream is reset, so that its place is free again; the outcome is told now.
    ///
    /// What waits in this process's own buffer will go out still: only a connection that ends can take it back. So the
    /// outcome is unknown from the moment the request was handed to the socket.
    private func abandon(
        _ tag: Int, _ send: PendingSend, _ cause: UnknownOutcome.Cause, _ words: String
    ) {
        let entry = streams[tag]
        streams[tag].send = nil
        wire.http2.reset(entry.streamID, code: .cancel)
        let phase: PushPhase = isWritten(entry) ? .wait : .write
        ends.finish(
            send,
            .unknown(
                UnknownOutcome(
                    cause: cause, phase: phase, apnsID: send.apnsID, description: words,
                    trace: trace(send, entry, clocks.now())
                )
            )
        )
    }

    // MARK: Is anybody there?

    /// Whether a request may be given to the connection now. After a long silence it is asked first.
    private func isTrusted() -> Bool {
        let now = clocks.now()
        // There is nothing to ask it for.
        if liveness.lastHeard.duration(to: now) >= clocks.trustedSilence, !desk.hasWork() { return false }
        switch liveness.wantsToSend(now: now) {
        case .use: return true
        case .ask: sendPing()
        case .wait: break
        }
        return false
    }

    private func sendPing() {
        wire.http2.ping(UInt64(liveness.lastHeard.nanoseconds))
        let words = "\(peer) did not answer a PING within \(clocks.pingTimeout.seconds) s."
        pingTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clocks.pingTimeout)) {
            self.fail(ConnectionFailure(phase: .wait, description: words))
        }
    }

    /// Asks after each silence, until the end.
    private func keepAlive() {
        guard let most = clocks.keepAlive, let context else { return }
        let silence = liveness.lastHeard.duration(to: clocks.now())
        if silence >= most, liveness.ask() {
            sendPing()
            flush()
        }
        let wait = silence < most ? most - silence : most
        keepAliveTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { self.keepAlive() }
    }

    // MARK: Bytes out

    /// Hands everything that is ready to the socket, one record a write: the kernel's word on each record is what
    /// "written" means.
    private func flush() {
        guard let context else { return }
        var wrote = false
        do throws(HTTP2OverTLS.Failure) {
            while case let written? = try writeRecord(context), written { wrote = true }
        } catch {
            fail(ConnectionFailure(error, peer: peer))
        }
        if wrote { context.flush() }
    }

    private func writeRecord(_ context: ChannelHandlerContext) throws(HTTP2OverTLS.Failure) -> Bool? {
        try wire.nextRecord { record, bytes in
            let end = wire.tls.ciphertextCount
            for tag in record.opened { streams[tag].recordEnd = end }
            records.write(bytes, endingAt: end, to: context)
            return true
        }
    }

    // MARK: The end

    private func allow(_ duration: Duration, elseFail phase: PushPhase, _ words: String) {
        phaseTimer?.cancel()
        phaseTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            self.fail(ConnectionFailure(phase: phase, description: words + "."))
        }
    }

    /// Takes no more; closes when what is in flight has finished.
    func drain(reason: String) {
        isLeaving = true
        perform(state.drain(), reason: reason)
    }

    /// Ends now, whatever is in flight.
    func abort(_ failure: ConnectionFailure) {
        fail(failure)
    }

    private func close() {
        wire.http2.goAway()
        flush()
        wire.close()
        flush()
        if let context { context.close(promise: nil) } else { ended() }
    }

    private func fail(_ failure: ConnectionFailure) {
        guard state.phase != .closed else { return }
        if self.failure == nil { self.failure = failure }
        // What is ready still goes out: an alert or a GOAWAY tells the other side why.
        while let context, let sent = try? writeRecord(context), sent {}
        context?.flush()
        if let context { context.close(promise: nil) } else { ended() }
    }

    private func ended() {
        // Said goodbye by this side, an unused connection has not failed.
        let wasOpening = !hasCarried && !isLeaving
        let reached = state.pushPhase
        guard state.closed() else { return }
        phaseTimer?.cancel()
        pingTimer?.cancel()
        keepAliveTimer?.cancel()
        var failure = self.failure ?? .ended(by: peer, words: goAwayWords, reason: goAwayReason)
        if wasOpening, failure.phase == .wait { failure.phase = reached }
        self.failure = failure
        wire.http2.endAllStreams()
        takeEvents()
        ends.handOver()
        owner?.connectionClosed(self, failure: wasOpening || failure.isAboutCredentials ? failure : nil)
    }
}
