internal import Logging
internal import NIOCore
internal import PushWire

/// What a connection tells the one who keeps it.
protocol ClientConnectionOwner: AnyObject {
    /// It can take requests.
    func connectionOpened(_ connection: ClientConnection)
    /// It has taken what it had room for.
    func connectionPulled(_ connection: ClientConnection)
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

    /// A full record with its header and tag fits in.
    private static let recordCapacity = TLSSession.recordBytes + 256
    private static let mostSpareBuffers = 8

    /// What a stream carries.
    private struct InFlight {
        /// `nil` once it has its outcome and only the end of the stream is awaited.
        var send: PendingSend?
        var streamID: Int32
        /// The ciphertext offset at which the record ends that holds the first byte of HEADERS.
        var recordEnd = UInt64.max
        var begun: MonotonicTime
    }

    let number: Int
    @exclusivity(unchecked) private(set) var state: ConnectionState
    /// A request was given to it.
    @exclusivity(unchecked) private(set) var hasCarried = false
    /// An answer came over it.
    @exclusivity(unchecked) private(set) var hasAnswered = false
    @exclusivity(unchecked) private var isLeaving = false

    /// The server does not take the certificate: the next connection would end in the same way.
    var isCertificateRefused: Bool { failure?.isAboutCredentials ?? false }

    private let wire: HTTP2OverTLS
    private let common: HeaderBlock
    private let desk: SendDesk
    /// `nil` where the certificate shown in the handshake says who is there.
    private let tokens: ProviderTokenSource?
    private let clocks: Clocks
    private let metrics: PushMetrics
    private let logger: Logger
    private let peer: String
    private weak var owner: (any ClientConnectionOwner)?

    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var spareEvents: [HTTP2Event] = []
    @exclusivity(unchecked) private var taken: [PendingSend] = []
    /// Written records: their memory goes round, because giving 16 KiB back and asking for it again is dear.
    @exclusivity(unchecked) private var spareBuffers: [ByteBuffer] = []
    /// Outcomes that are known and told when the wire has been served.
    @exclusivity(unchecked) private var finished: [(send: PendingSend, outcome: PushOutcome)] = []
    @exclusivity(unchecked) private var inFlight: [InFlight] = []
    @exclusivity(unchecked) private var freeTags: [Int] = []
    /// Up to here the kernel has taken our ciphertext.
    @exclusivity(unchecked) private var acceptedBytes: UInt64 = 0
    @exclusivity(unchecked) private var failure: ConnectionFailure?
    @exclusivity(unchecked) private var goAwayWords: String?
    @exclusivity(unchecked) private var phaseTimer: Scheduled<Void>?

    init(
        number: Int, environment: PushEnvironment, wire: HTTP2OverTLS, desk: SendDesk, tokens: ProviderTokenSource?,
        clocks: Clocks, metrics: PushMetrics, logger: Logger, owner: any ClientConnectionOwner
    ) {
        self.number = number
        self.wire = wire
        self.desk = desk
        self.tokens = tokens
        state = ConnectionState(isAuthenticated: tokens == nil)
        self.clocks = clocks
        self.metrics = metrics
        self.logger = logger
        self.owner = owner
        peer = environment.description
        common = HeaderBlock([(":method", "POST"), (":scheme", "https"), (":authority", environment.authority)])
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
                owner?.connectionOpened(self)
            }
        case .streamEnded(let end): streamEnded(end, now)
        case .goAwayReceived(let goAway): goAwayReceived(goAway)
        case .pingAnswered, .requestReceived: break
        }
    }

    private func streamEnded(_ end: HTTP2StreamEnd, _ now: MonotonicTime) {
        let send = inFlight[end.tag].send.take()
        freeTags.append(end.tag)
        if end.response.status != nil { hasAnswered = true }
        let action = state.streamEnded(status: end.response.status)
        if let send {
            let entry = inFlight[end.tag]
            let facts = StreamVerdict.Facts(
                end: end,
                wasWritten: isWritten(entry),
                connectionError: failure?.description,
                goAway: goAwayWords,
                isCertificateRefused: failure?.isAboutCredentials ?? false,
                apnsID: send.apnsID,
                trace: trace(send, entry, now)
            )
            finish(send, StreamVerdict.outcome(of: facts))
        }
        switch action {
        case .none: break
        case .close: close()
        }
    }

    private func goAwayReceived(_ goAway: HTTP2GoAway) {
        let words = GoAwayWords.text(of: goAway)
        goAwayWords = words
        // Told by a server that was reached and asked: it outlasts what the socket says of its end.
        if tokens == nil, let refusal = ConnectionFailure.refusedCertificate(goAway, by: peer) { failure = refusal }
        logger.info("the server takes no new requests", metadata: ["goaway": "\(words)"])
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
        handOver()
        owner?.connectionPulled(self)
    }

    private func takeAndSubmit() {
        guard let channel = context?.channel, channel.isWritable else { return }
        var room = state.room(freeStreams: wire.http2.freeStreams)
        guard room > 0 else { return flush() }
        do throws(CredentialsError) {
            let credential = try tokens?.token(secondsSince1970: clocks.wallSeconds()).field ?? HeaderBlock()
            while room > 0, channel.isWritable {
                desk.take(room, into: &taken)
                if taken.isEmpty { break }
                let now = clocks.now()
                for send in taken {
                    if send.deadline > now { submit(send, credential, now) } else { expireUnsent(send, now) }
                }
                taken.removeAll(keepingCapacity: true)
                flush()
                room = state.room(freeStreams: wire.http2.freeStreams)
            }
        } catch {
            failEverythingQueued(error)
        }
        flush()
    }

    private func submit(_ send: PendingSend, _ credential: HeaderBlock, _ now: MonotonicTime) {
        let tag = freeTags.popLast() ?? inFlight.count
        let entry = InFlight(send: send, streamID: 0, begun: now)
        if tag == inFlight.count { inFlight.append(entry) } else { inFlight[tag] = entry }
        let id = try? wire.http2.submitRequest(common, send.headers, credential, body: send.body, tag: tag)
        guard let id else {
            // No stream after all: its ids are used up. Another connection begins anew.
            inFlight[tag].send = nil
            freeTags.append(tag)
            let trace = PushTrace(
                queued: send.begun.duration(to: now), inFlight: .zero, attempts: 0, connection: number)
            finish(
                send,
                .notSent(
                    NotSent(
                        cause: .refused, phase: .queue, description: "the connection has no stream left.", trace: trace)
                ))
            perform(state.drain(), reason: "no stream left")
            return
        }
        inFlight[tag].streamID = id
        state.requestSubmitted()
        hasCarried = true
    }

    private func expireUnsent(_ send: PendingSend, _ now: MonotonicTime) {
        let trace = PushTrace(queued: send.begun.duration(to: now), inFlight: .zero, attempts: 0, connection: nil)
        let words = "its deadline passed before it was its turn."
        finish(send, .notSent(NotSent(cause: .deadline, phase: .queue, description: words, trace: trace)))
    }

    private func failEverythingQueued(_ error: CredentialsError) {
        for send in desk.withdrawAll() {
            let trace = PushTrace(
                queued: send.begun.duration(to: clocks.now()), inFlight: .zero, attempts: 0, connection: nil)
            finish(
                send,
                .notSent(NotSent(cause: .credentials, phase: .queue, description: error.description, trace: trace)))
        }
    }

    private func isWritten(_ entry: InFlight) -> Bool {
        acceptedBytes >= entry.recordEnd
    }

    private func trace(_ send: PendingSend, _ entry: InFlight, _ now: MonotonicTime) -> PushTrace {
        PushTrace(
            queued: send.begun.duration(to: entry.begun),
            inFlight: entry.begun.duration(to: now),
            attempts: 1,
            connection: number
        )
    }

    private func finish(_ send: PendingSend, _ outcome: PushOutcome) {
        metrics.count(outcome)
        finished.append((send, outcome))
    }

    /// Tells the outcomes, all at once: a caller woken one by one would fall asleep and be woken again.
    private func handOver() {
        guard !finished.isEmpty else { return }
        var batch: [(send: PendingSend, outcome: PushOutcome)] = []
        swap(&batch, &finished)
        for entry in batch { entry.send.end(entry.outcome) }
        batch.removeAll(keepingCapacity: true)
        if finished.isEmpty { swap(&batch, &finished) }
    }

    // MARK: Deadlines and cancellation

    /// Gives up on those in flight whose deadline has come.
    func expire(now: MonotonicTime) {
        defer { handOver() }
        for tag in inFlight.indices {
            guard let send = inFlight[tag].send, send.deadline <= now else { continue }
            abandon(tag, send, .deadline, "its deadline passed before the answer came.")
        }
        flush()
        takeEvents()
    }

    /// The earliest deadline of those in flight.
    var nextDeadline: MonotonicTime? {
        inFlight.lazy.compactMap { $0.send?.deadline }.min()
    }

    /// Gives up on one send.
    func cancel(_ send: PendingSend) -> Bool {
        guard let tag = inFlight.firstIndex(where: { $0.send === send }) else { return false }
        defer { handOver() }
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
        let entry = inFlight[tag]
        inFlight[tag].send = nil
        wire.http2.reset(entry.streamID, code: .cancel)
        let phase: PushPhase = isWritten(entry) ? .wait : .write
        finish(
            send,
            .unknown(
                UnknownOutcome(
                    cause: cause, phase: phase, apnsID: send.apnsID, description: words,
                    trace: trace(send, entry, clocks.now())
                )
            )
        )
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
            var buffer = spareBuffers.popLast() ?? context.channel.allocator.buffer(capacity: Self.recordCapacity)
            buffer.clear(minimumCapacity: bytes.count)
            buffer.writeBytes(bytes)
            let end = wire.tls.ciphertextCount
            for tag in record.opened { inFlight[tag].recordEnd = end }
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenSuccess { [buffer] in
                self.acceptedBytes = max(self.acceptedBytes, end)
                if self.spareBuffers.count < Self.mostSpareBuffers { self.spareBuffers.append(buffer) }
            }
            context.write(wrapOutboundOut(buffer), promise: promise)
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
        var failure = self.failure ?? .ended(by: peer, words: goAwayWords)
        if wasOpening, failure.phase == .wait { failure.phase = reached }
        self.failure = failure
        wire.http2.endAllStreams()
        takeEvents()
        handOver()
        owner?.connectionClosed(self, failure: wasOpening || failure.isAboutCredentials ? failure : nil)
    }
}
