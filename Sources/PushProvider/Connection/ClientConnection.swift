internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushWire

/// One connection to APNs: performs what ``ConnectionState`` decides, on a NIO channel.
///
/// It belongs to its channel's event loop and is touched there only. What it does with requests stands in
/// `ClientConnection+Requests.swift`, how it finds out whether anybody is there in `ClientConnection+Silence.swift`.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let number: Int
    @exclusivity(unchecked) var state: ConnectionState
    @exclusivity(unchecked) var liveness: Liveness
    /// A request was given to it.
    @exclusivity(unchecked) var hasCarried = false
    /// How many answers have shown that the server takes this client for who it is.
    @exclusivity(unchecked) var goodAnswers = 0
    /// The topic that the signer may not send to, by the last answers that said so, and how many those were.
    var disallowedTopic: (topic: String?, count: Int) = (nil, 0)
    /// It looks into the queue within a millisecond.
    @exclusivity(unchecked) var isLooking = false
    /// The pool wants to know when it has taken what it had room for.
    @exclusivity(unchecked) var tellsPulls = false
    @exclusivity(unchecked) private var isLeaving = false
    private let begun: MonotonicTime

    private let environment: PushEnvironment
    let peer: String
    let wire: HTTP2OverTLS
    let desk: SendDesk
    /// `nil` where the certificate shown in the handshake says who is there.
    let tokens: ProviderTokenSource?
    let clocks: Clocks
    private let logger: Logger
    private let door: PoolDoor

    @exclusivity(unchecked) private(set) var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var spareEvents: [HTTP2Event] = []
    @exclusivity(unchecked) var taken: [PendingSend] = []
    /// The session has ended a request at once, because no peer would take it.
    @exclusivity(unchecked) var endsUnsent = false
    @exclusivity(unchecked) var streams = StreamsInFlight()
    private let records = RecordWriter()
    let ends: AttemptEnds
    @exclusivity(unchecked) private(set) var failure: ConnectionFailure?
    @exclusivity(unchecked) private(set) var goAwayWords: String?
    @exclusivity(unchecked) private var goAwayReason: RejectionReason?
    @exclusivity(unchecked) private var phaseTimer: Scheduled<Void>?
    @exclusivity(unchecked) var pingTimer: Scheduled<Void>?
    @exclusivity(unchecked) var keepAliveTimer: Scheduled<Void>?
    @exclusivity(unchecked) var expiryTimer: Scheduled<Void>?
    /// When the streams are looked at for deadlines next.
    @exclusivity(unchecked) var expiryAt = MonotonicTime.never

    init(
        number: Int, environment: PushEnvironment, wire: HTTP2OverTLS, desk: SendDesk, tokens: ProviderTokenSource?,
        retry: RetryPolicy, clocks: Clocks, metrics: PushMetrics, tally: OutcomeTally, logger: Logger, door: PoolDoor
    ) {
        self.number = number
        self.environment = environment
        self.wire = wire
        self.desk = desk
        self.tokens = tokens
        state = ConnectionState(isAuthenticated: tokens == nil)
        self.clocks = clocks
        ends = AttemptEnds(desk: desk, tokens: tokens, retry: retry, clocks: clocks, metrics: metrics, tally: tally)
        self.logger = logger
        self.door = door
        begun = clocks.now()
        liveness = Liveness(trustedSilence: clocks.trustedSilence, now: begun)
        peer = environment.description
    }

    func tell(_ news: ConnectionNews) {
        door.tell(number, news)
    }

    // MARK: The channel's happenings

    /// Looks the name up and connects.
    func connect(on loop: any EventLoop, resolver: (any Resolver & Sendable)?) {
        guard state.phase != .closed else { return }
        logger.debug("connecting", metadata: ["peer": "\(environment)"])
        let bootstrap = ClientBootstrap(group: loop)
            .resolver(resolver)
            .connectTimeout(TimeAmount(clamping: clocks.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Answers come in bursts: the more of one is read at once, the fewer wake-ups it takes to hand it over.
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 * 1024))
        connect(bootstrap, on: loop, asks: resolver != nil)
            .assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .success(let channel): run(on: channel)
                case .failure(let error):
                    fail(.connecting(error, to: environment, within: clocks.connectTimeout))
                }
            }
    }

    /// What is an address, and what is called localhost (RFC 6761 section 6.3), needs nobody to look it up, nor the
    /// threads that this takes. Where nobody listens on the usual one of localhost, the others are tried.
    private func connect(
        _ bootstrap: ClientBootstrap, on loop: any EventLoop, asks: Bool
    ) -> EventLoopFuture<any Channel> {
        let (host, port) = (environment.host, environment.port)
        let isLocal = host == "localhost"
        guard !asks, let address = try? SocketAddress(ipAddress: isLocal ? "127.0.0.1" : host, port: port) else {
            return bootstrap.connect(host: host, port: port)
        }
        let channel = bootstrap.connect(to: address)
        guard isLocal else { return channel }
        return channel.assumeIsolated()
            .flatMapError { error in
                guard ConnectionFailure.isRefusal(error) else { return loop.makeFailedFuture(error) }
                return bootstrap.connect(host: host, port: port)
            }
            .nonisolated()
    }

    /// Takes the channel that is connected. Those of other addresses of the name never see this connection.
    private func run(on channel: any Channel) {
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
        tellProgress()
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
            // What ended just now may have ended the connection before.
            ends.handOver()
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
        case .answered:
            pingTimer?.cancel()
            tellProgress()
        }
        takeEvents()
        pull()
        if wire.tls.isClosedByPeer || (wire.tls.isEstablished && wire.http2.isFinished) {
            let complaint = wire.tls.isClosedByPeer ? nil : wire.http2.lastComplaint
            fail(complaint.map { .brokenHTTP2(by: peer, words: $0) } ?? .ended(by: peer, words: nil))
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
        tellProgress()
        logger.debug("TLS established", metadata: ["version": "\(wire.tls.version)"])
        allow(
            clocks.settingsTimeout, elseFail: .settings, "\(peer) accepted the connection and sent no HTTP/2 settings")
        flush()
    }

    func tellProgress() {
        tell(.progressed(state.pushPhase, awaitsPing: liveness.isAsked))
    }

    // MARK: What HTTP/2 says

    func takeEvents() {
        var batch: [HTTP2Event] = []
        // The buffer goes round: a read can bring a thousand events.
        swap(&batch, &spareEvents)
        while true {
            wire.http2.takeEvents(into: &batch)
            if batch.isEmpty { break }
            // They came with one read: one look at the clock is as true as a thousand.
            let now = clocks.now()
            // Taken out, not copied: an answer has a handful of references.
            batch.reverse()
            while let event = batch.popLast() { handle(event, now) }
        }
        spareEvents = batch
        giveBack()
    }

    private func handle(_ event: consuming HTTP2Event, _ now: MonotonicTime) {
        switch consume event {
        case .settingsReceived(let settings):
            logger.debug(
                "settings", metadata: ["streams": "\(settings.maxConcurrentStreams.map(String.init) ?? "any")"])
            switch state.settingsReceived() {
            case .none: break
            case .open:
                phaseTimer?.cancel()
                keepAlive()
                tell(.opened)
            }
        case .streamEnded(let end): streamEnded(end, now)
        case .goAwayReceived(let goAway): goAwayReceived(goAway)
        case .pingAnswered, .headersReceived, .requestReceived: break
        }
    }

    func calmDown() {
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
            tell(.credentialsRefused(words: words, certificate: refusal))
        }
        perform(state.drain())
    }

    /// What the server has said of the certificate, where it does not take it: the next connection would end in the same
    /// way.
    var refusal: ConnectionFailure? { failure.flatMap { $0.isAboutCredentials ? $0 : nil } }

    func perform(_ action: ConnectionState.DrainAction) {
        guard action != .none else { return }
        tell(.stopsTaking(wasOfUse: hasCarried && refusal == nil))
        if action == .close { close() }
    }

    // MARK: Bytes out

    /// Hands everything that is ready to the socket, one record a write: the kernel's word on each record is what
    /// "written" means.
    func flush() {
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

    func isWritten(_ entry: StreamsInFlight.Entry) -> Bool {
        records.acceptedBytes >= entry.recordEnd
    }

    private func allow(_ duration: Duration, elseFail phase: PushPhase, _ words: String) {
        phaseTimer?.cancel()
        phaseTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: duration)) {
            self.fail(ConnectionFailure(phase: phase, description: words + "."))
        }
    }

    /// Takes no more; closes when what is in flight has finished.
    func drain() {
        isLeaving = true
        perform(state.drain())
    }

    func close() {
        wire.http2.goAway()
        flush()
        wire.close()
        flush()
        if let context { context.close(promise: nil) } else { ended() }
    }

    /// Ends now, whatever is in flight.
    func fail(_ failure: ConnectionFailure) {
        guard state.phase != .closed else { return }
        if self.failure == nil { self.failure = failure }
        // What is ready still goes out: an alert or a GOAWAY tells the other side why.
        while let context, let sent = try? writeRecord(context), sent {}
        context?.flush()
        if let context { context.close(promise: nil) } else { ended() }
    }

    private func ended() {
        // Said goodbye by this side, an unused connection has not failed.
        let neverServed = !hasCarried && !isLeaving
        let isOrderly = state.phase == .draining && state.inFlight == 0 && self.failure == nil
        let reached = state.pushPhase
        guard state.closed() else { return }
        for timer in [phaseTimer, pingTimer, keepAliveTimer, expiryTimer] { timer?.cancel() }
        var failure = self.failure ?? .ended(by: peer, words: goAwayWords, reason: goAwayReason)
        if neverServed, failure.phase == .wait { failure.phase = reached }
        self.failure = failure
        wire.http2.endAllStreams()
        takeEvents()
        ends.handOver()
        let isTold = neverServed || failure.isAboutCredentials || !isOrderly
        tell(.closed(.init(failure: isTold ? failure : nil, neverServed: neverServed, worth: worth)))
    }

    private var worth: ReconnectBackoff.Worth {
        guard goodAnswers > 0 else { return .none }
        let lived = begun.duration(to: clocks.now())
        return goodAnswers >= 100 || lived >= .seconds(1) ? .much : .little
    }
}
