internal import Logging
internal import NIOCore
internal import PushWire

/// One connection to APNs: opens it, handles the events of its channel and of HTTP/2, and ends it.
///
/// Use it only on the event loop of its channel. ``HTTP2Channel`` reads and writes the bytes, ``QueueReader`` takes sends
/// from the queue, ``RequestsInFlight`` handles requests and answers, ``SilenceCheck`` checks whether the server still
/// answers, and ``ConnectionState`` decides. The events of all of them meet here.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let number: Int
    private let begun: MonotonicTime
    private let timing: ClientTiming
    private let logger: Logger
    private let metrics: PushMetrics
    private let report: @Sendable (ConnectionEvent) -> Void
    private let usesCertificate: Bool

    /// The server, and the proxy if there is one, for messages.
    private let peer: String
    private let path: NetworkPath
    /// Connects the channel; `nil` when that has ended.
    private var dialling: Dialling?
    /// The address of the server or of the proxy; `nil` until it is connected.
    private var address: NetworkAddress?
    private let channel: HTTP2Channel
    private let silence: SilenceCheck
    private let requests: RequestsInFlight
    private let queue: QueueReader

    @exclusivity(unchecked) private(set) var endReason = EndReason()
    /// Whether this side has decided to end it.
    @exclusivity(unchecked) private var isLeaving = false
    /// Ends the connection if the current phase of its opening takes too long.
    @exclusivity(unchecked) private var phaseTimer: Scheduled<Void>?
    @exclusivity(unchecked) private var spareEvents = (arrived: [HTTP2Event](), next: [HTTP2Event]())

    /// - Parameters:
    ///   - number: The number in the pool, from 1.
    ///   - setup: The setup that all connections share.
    ///   - report: Called with each event of the connection, on its event loop.
    /// - Throws: ``HTTP2Error`` or ``TLSError`` if TLS or HTTP/2 cannot be set up.
    init(
        number: Int, _ setup: ConnectionSetup, report: @escaping @Sendable (ConnectionEvent) -> Void
    ) throws {
        self.number = number
        self.report = report
        var logger = setup.logger
        logger[metadataKey: "connection"] = "\(number)"
        self.logger = logger
        timing = setup.timing
        metrics = setup.metrics
        usesCertificate = setup.tokens == nil
        begun = timing.now()
        path = setup.path
        peer = path.peer(setup.environment)
        dialling = Dialling(setup.environment, path, timing)
        channel = HTTP2Channel(try setup.makeWire(), logger: logger)
        silence = SilenceCheck(channel, timing, peer: peer)
        requests = RequestsInFlight(number: number, setup, channel, silence, logger: logger, report: report)
        queue = QueueReader(setup, requests, channel, silence, report: report)
        silence.owner = self
        requests.owner = self
        queue.owner = self
    }

    private var state: ConnectionState {
        _read { yield requests.state }
        _modify { yield &requests.state }
    }

    // MARK: Opening

    /// Begins to connect to the server: TCP (or a proxy tunnel), TLS, and the settings of the server, each with a
    /// timeout.
    func connect(on loop: any EventLoop) {
        guard state.phase != .closed else { return }
        logger.debug("connecting", metadata: ["peer": "\(peer)"])
        dialling?.begin(
            on: loop,
            progressed: { [self] phase in
                state.reaching(phase)
                reportProgress()
            },
            ended: { [self] result in
                dialling = nil
                switch result {
                case .success(let reached): run(on: reached)
                case .failure(let failure): fail(failure)
                }
            })
    }

    /// Uses the channel that is connected. The channels of other addresses of the name never get this handler.
    private func run(on reached: EstablishedChannel) {
        let channel = reached.channel
        address = reached.address
        guard state.phase != .closed else { return channel.close(promise: nil) }
        logger.debug("connected", metadata: reached.metadata)
        do { try channel.pipeline.syncOperations.addHandler(self) } catch {
            fail(.socket(error, peer: peer, phase: state.pushPhase))
        }
    }

    private func begin() {
        guard state.phase == .connecting else { return }
        state.tcpConnected()
        reportProgress()
        allow(timing.handshakeTimeout, elseFail: .tls, "the TLS handshake with \(peer) timed out")
        do throws(HTTP2OverTLS.Failure) { try channel.wire.start() } catch {
            return fail(ConnectionFailure(error, peer: peer))
        }
        channel.flush()
    }

    private func noticeHandshake() {
        guard state.phase == .securing, channel.tls.isEstablished else { return }
        state.tlsEstablished()
        reportProgress()
        logger.debug("TLS established", metadata: ["version": "\(channel.tls.version)"])
        allow(
            timing.settingsTimeout, elseFail: .settings,
            "\(peer) accepted the connection, but sent no HTTP/2 settings")
        channel.flush()
    }

    private func allow(_ duration: Duration, elseFail phase: PushOutcome.Phase, _ message: String) {
        phaseTimer?.cancel()
        phaseTimer = channel.schedule(after: duration) {
            self.fail(ConnectionFailure(phase: phase, description: message + "."))
        }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        channel.attach(context)
        if context.channel.isActive { begin() } else { fail(.ended(by: peer, message: nil)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channel.attach(nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        begin()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state.phase != .closed else { return }
        let buffer = unwrapInboundIn(data)
        requests.working { receive(buffer) }
    }

    private func receive(_ buffer: ByteBuffer) {
        do throws(HTTP2OverTLS.Failure) {
            try channel.receive(buffer)
        } catch {
            takeEvents()
            fail(ConnectionFailure(error, peer: peer))
            // The streams that ended now may have closed the connection already.
            requests.ends.handOver()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard state.phase != .closed else { return }
        requests.working { wasRead() }
    }

    private func wasRead() {
        noticeHandshake()
        silence.received()
        takeEvents()
        queue.pull()
        let (tls, http2) = (channel.tls, channel.http2)
        if tls.isClosedByPeer || (tls.isEstablished && http2.isFinished) {
            let complaint = tls.isClosedByPeer ? nil : http2.lastComplaint
            fail(
                complaint.map { .brokenHTTP2(by: peer, message: $0) } ?? .ended(by: peer, message: nil))
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { queue.pull() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(.socket(error, peer: peer, phase: state.pushPhase))
    }

    // MARK: HTTP/2 events

    func takeEvents() {
        var batch = (arrived: [HTTP2Event](), next: [HTTP2Event]())
        // Reuse the buffers: a read can bring a thousand events.
        swap(&batch, &spareEvents)
        while true {
            channel.http2.takeEvents(into: &batch.arrived)
            if batch.arrived.isEmpty { break }
            // All events arrived in one read, so they have the same time.
            let now = timing.now()
            // Move the events, into the opposite order and out: a copy would retain several references per answer.
            while let event = batch.arrived.popLast() { batch.next.append(event) }
            while let event = batch.next.popLast() { handle(event, now) }
        }
        spareEvents = batch
        requests.giveBack()
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
                silence.keepAlive()
                report(.opened)
            }
        case .streamEnded(let end): requests.streamEnded(end, now)
        case .goAwayReceived(let goAway): goAwayReceived(goAway)
        case .pingAnswered, .headersReceived, .requestReceived, .requestRefused: break
        }
    }

    private func goAwayReceived(_ goAway: HTTP2GoAway) {
        let message = GoAwayDescription.text(of: goAway)
        let reason = GoAwayDescription.reason(of: goAway)
        let refusal = usesCertificate ? ConnectionFailure.refusedCertificate(goAway, by: peer) : nil
        endReason.goAwayReceived(message, reason, refusal: refusal)
        metrics.goAwayReceived(reason)
        logger.info("the server accepts no new requests", metadata: ["goaway": "\(message)"])
        if requests.hasCarried, let reason, reason.concernsCredentials {
            report(.credentialsRefused(message: message, certificate: endReason.certificateRefusal))
        }
        perform(state.drain())
    }

    // MARK: Calls of the pool

    /// Whether to report to the pool each time that it has taken from the queue.
    var reportsPulls: Bool {
        get { queue.reportsPulls }
        set { queue.reportsPulls = newValue }
    }

    /// Takes as many sends from the queue as it has room for, and writes them.
    func pull() {
        queue.pull()
    }

    /// Does the same, and counts the time as work of the connection.
    func pullAsWork() {
        requests.working { queue.pull() }
    }

    /// Cancels one send.
    ///
    /// - Returns: `false` if this connection does not have it.
    func cancel(_ send: PendingSend) -> Bool {
        requests.cancel(send)
    }

    /// Reports the phase, and whether the answer to a PING is awaited.
    func reportProgress() {
        report(.progressed(state.pushPhase, awaitsPing: silence.awaitsPing))
    }

    func statistics(onLoop loop: Int) -> ConnectionStatistics {
        ConnectionStatistics(
            number: number,
            time: timing.now(),
            loop: loop,
            isServing: state.phase == .serving && state.isAuthenticated,
            inFlight: state.inFlight,
            allowedStreams: channel.http2.allowedStreams,
            pace: requests.pace
        )
    }

    /// Reports the figures for metrics. On Linux, they include the round-trip time from the kernel, so they come later.
    func read(_ completion: @escaping @Sendable (ConnectionFigures) -> Void) {
        let reading = ConnectionFigures(inFlight: state.inFlight, streamLimit: channel.http2.allowedStreams)
        channel.readRoundTrip { roundTrip in
            var reading = reading
            if let roundTrip { reading.roundTrip = roundTrip }
            completion(reading)
        }
    }

    // MARK: The end

    /// Drains the connection, so that another one replaces it, on another address if there is one.
    func leaveForAnotherAddress() {
        addressFailed()
        drain()
    }

    /// Marks the address as failed, so that the next connections try other addresses first.
    private func addressFailed() {
        if let address { path.failed(address, now: timing.now()) }
    }

    /// Accepts no more requests, and closes when the requests in flight have ended.
    func drain() {
        isLeaving = true
        perform(state.drain())
    }

    /// Stops taking requests, or closes the connection.
    func perform(_ action: ConnectionState.DrainAction) {
        guard action != .none else { return }
        report(.stopsTaking(wasOfUse: requests.hasCarried && endReason.certificateRefusal == nil))
        if action == .close { close() }
    }

    /// Closes the connection in order.
    func close() {
        channel.http2.goAway()
        channel.flush()
        channel.wire.close()
        channel.flush()
        if !channel.closeSocket() { ended() }
    }

    /// Ends the connection now, even with requests in flight.
    func fail(_ failure: ConnectionFailure) {
        guard state.phase != .closed else { return }
        endReason.failed(failure)
        // Write what is ready: an alert or a GOAWAY tells the server the reason.
        channel.flush()
        if !channel.closeSocket() { ended() }
    }

    private func ended() {
        // An unused connection that this side closed has not failed.
        let neverServed = !requests.hasCarried && !isLeaving
        if let broken = channel.failure { endReason.failed(ConnectionFailure(broken, peer: peer)) }
        let isOrderly = state.phase == .draining && state.inFlight == 0 && endReason.failure == nil
        let phase = state.pushPhase
        guard state.closed() else { return }
        phaseTimer?.cancel()
        silence.stop()
        requests.stop()
        dialling?.giveUp()
        dialling = nil
        // The server at this address was of no use: the next connection tries another address first.
        if neverServed { addressFailed() }
        let failure = endReason.ended(by: peer, unusedIn: neverServed ? phase : nil)
        channel.http2.endAllStreams()
        takeEvents()
        requests.ends.handOver()
        let isReported = neverServed || failure.isAboutCredentials || !isOrderly
        report(
            .closed(
                .init(
                    failure: isReported ? failure : nil, neverServed: neverServed,
                    use: state.use(after: begun.duration(to: timing.now())))))
    }
}
