internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushWire

/// One connection to APNs: performs the decisions of ``ConnectionState`` on a NIO channel.
///
/// Use it only on the event loop of its channel. `ClientConnection+Opening.swift` opens it,
/// `ClientConnection+Requests.swift` sends requests, `ClientConnection+Silence.swift` checks whether the server still
/// answers, and `ClientConnection+End.swift` ends it.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let number: Int
    @exclusivity(unchecked) var state: ConnectionState
    @exclusivity(unchecked) var liveness: Liveness
    @exclusivity(unchecked) var pace = ConnectionPace()
    /// Whether it has carried a request.
    @exclusivity(unchecked) var hasCarried = false
    /// Whether it checks the queue within a millisecond.
    @exclusivity(unchecked) var isLooking = false
    /// Whether to report to the pool each time that it has taken from the queue.
    @exclusivity(unchecked) var tellsPulls = false
    @exclusivity(unchecked) var isLeaving = false
    let begun: MonotonicTime

    let peer: String
    let wire: HTTP2OverTLS
    let intake: SendIntake
    /// `nil` if the client authenticates with a certificate.
    let tokens: ProviderTokenSource?
    let timing: ClientTiming
    let logger: Logger
    /// Reports events to the pool.
    private let report: @Sendable (ConnectionNews) -> Void
    let metrics: PushMetrics

    let path: NetworkPath
    var dialling: Dialling?
    /// The address and proxy that it uses; `nil` until it is connected.
    var reached: EstablishedChannel?

    @exclusivity(unchecked) private(set) var context: ChannelHandlerContext?
    @exclusivity(unchecked) var spareEvents: [HTTP2Event] = []
    @exclusivity(unchecked) var taken: [PendingSend] = []
    /// Whether the session has ended a request at once, because no peer would accept it.
    @exclusivity(unchecked) var endsUnsent = false
    @exclusivity(unchecked) var streams = StreamsInFlight()
    let records = RecordWriter()
    let ends: AttemptEnds
    @exclusivity(unchecked) var failure: ConnectionFailure?
    @exclusivity(unchecked) var goAwayWords: String?
    @exclusivity(unchecked) var goAwayReason: RejectionReason?
    @exclusivity(unchecked) var phaseTimer: Scheduled<Void>?
    @exclusivity(unchecked) var pingTimer: Scheduled<Void>?
    @exclusivity(unchecked) var keepAliveTimer: Scheduled<Void>?
    @exclusivity(unchecked) var expiryTimer: Scheduled<Void>?
    /// When the deadlines of the streams are checked next.
    @exclusivity(unchecked) var expiryAt = MonotonicTime.never

    /// - Parameters:
    ///   - number: The number in the pool, from 1.
    ///   - setup: The setup that all connections share.
    ///   - report: Called with each event of the connection, on its event loop.
    /// - Throws: ``HTTP2Error`` or ``TLSError`` if TLS or HTTP/2 cannot be set up.
    init(
        number: Int, _ setup: ConnectionSetup, report: @escaping @Sendable (ConnectionNews) -> Void
    ) throws {
        self.number = number
        wire = try setup.makeWire()
        path = setup.path
        intake = setup.intake
        tokens = setup.tokens
        state = ConnectionState(isAuthenticated: setup.tokens == nil)
        timing = setup.timing
        metrics = setup.metrics
        ends = AttemptEnds(setup)
        var logger = setup.logger
        logger[metadataKey: "connection"] = "\(number)"
        self.logger = logger
        self.report = report
        begun = timing.now()
        liveness = Liveness(trustedSilence: timing.trustedSilence, now: begun)
        peer = path.proxy.map { "\(setup.environment) through the proxy \($0)" } ?? setup.environment.description
        dialling = Dialling(setup.environment, path, timing)
        if logger.logLevel <= .trace { wire.trace = FrameTrace(role: .client) }
    }

    func tell(_ news: ConnectionNews) {
        report(news)
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin() } else { fail(.ended(by: peer, message: nil)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state.phase != .closed else { return }
        let buffer = unwrapInboundIn(data)
        working { take(buffer) }
    }

    private func take(_ buffer: ByteBuffer) {
        do throws(HTTP2OverTLS.Failure) {
            try receive(buffer)
        } catch {
            takeEvents()
            fail(ConnectionFailure(error, peer: peer))
            // The streams that ended now may have closed the connection already.
            ends.handOver()
        }
    }

    private func receive(_ buffer: ByteBuffer) throws(HTTP2OverTLS.Failure) {
        var thrown: HTTP2OverTLS.Failure?
        buffer.withUnsafeReadableBytes { bytes in
            do throws(HTTP2OverTLS.Failure) { try wire.receive(bytes) } catch { thrown = error }
        }
        tellFrames()
        if let thrown { throw thrown }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard state.phase != .closed else { return }
        working { wasRead() }
    }

    private func wasRead() {
        noticeHandshake()
        switch liveness.heard(now: timing.now()) {
        case .none: break
        case .answered:
            pingTimer?.cancel()
            tellProgress()
        }
        takeEvents()
        pull()
        if wire.tls.isClosedByPeer || (wire.tls.isEstablished && wire.http2.isFinished) {
            let complaint = wire.tls.isClosedByPeer ? nil : wire.http2.lastComplaint
            fail(complaint.map { .brokenHTTP2(by: peer, message: $0) } ?? .ended(by: peer, message: nil))
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

    func tellProgress() {
        tell(.progressed(state.pushPhase, awaitsPing: liveness.isAsked))
    }

    // MARK: HTTP/2 events

    func takeEvents() {
        var batch: [HTTP2Event] = []
        // Reuse the buffer: a read can bring a thousand events.
        swap(&batch, &spareEvents)
        while true {
            wire.http2.takeEvents(into: &batch)
            if batch.isEmpty { break }
            // All events came with one read, so one time is right for all.
            let now = timing.now()
            // Move the events out: a copy would retain several references per answer.
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
        case .pingAnswered, .headersReceived, .requestReceived, .requestRefused: break
        }
    }

    func calmDown() {
        guard let streams = state.askedForCalm() else { return }
        logger.info("the server asks for fewer streams", metadata: ["streams": "\(streams)"])
    }

    private func goAwayReceived(_ goAway: HTTP2GoAway) {
        let message = GoAwayDescription.text(of: goAway)
        goAwayWords = message
        goAwayReason = GoAwayDescription.reason(of: goAway)
        // This is the real reason: keep it, even if the socket reports another error at the end.
        if tokens == nil, let refusal = ConnectionFailure.refusedCertificate(goAway, by: peer) { failure = refusal }
        metrics.goAwayReceived(goAwayReason)
        logger.info("the server accepts no new requests", metadata: ["goaway": "\(message)"])
        if hasCarried, let goAwayReason, goAwayReason.concernsCredentials {
            tell(.credentialsRefused(message: message, certificate: refusal))
        }
        perform(state.drain())
    }

    /// The error of the server about the certificate, if the server refuses it. The next connection would end in the
    /// same way.
    var refusal: ConnectionFailure? { failure.flatMap { $0.isAboutCredentials ? $0 : nil } }

    func perform(_ action: ConnectionState.DrainAction) {
        guard action != .none else { return }
        tell(.stopsTaking(wasOfUse: hasCarried && refusal == nil))
        if action == .close { close() }
    }

    // MARK: Bytes out

    /// Gives everything that is ready to the socket, one record per write. A record counts as written when the kernel
    /// has accepted it.
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

    func writeRecord(_ context: ChannelHandlerContext) throws(HTTP2OverTLS.Failure) -> Bool? {
        defer { tellFrames() }
        return try wire.nextRecord { record, bytes in
            let end = wire.tls.ciphertextCount
            for tag in record.opened { streams[tag].recordEnd = end }
            records.write(bytes, endingAt: end, to: context)
            return true
        }
    }

    /// Logs each received and sent frame at the level `trace`.
    private func tellFrames() {
        guard let trace = wire.trace else { return }
        for frame in trace.takeFrames() {
            logger.trace("\(FrameDescription.message(frame))", metadata: FrameDescription.metadata(frame))
        }
    }

    func isWritten(_ entry: StreamsInFlight.Entry) -> Bool {
        records.acceptedBytes >= entry.recordEnd
    }
}
