internal import Logging
internal import NIOCore
internal import PushWire

/// Opens one connection as a client does, records the results, and closes it: TCP, the proxy's tunnel, TLS, SETTINGS
/// and one PING. It sends only the requests that it is given. Use it only on its event loop.
final class PathProbe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Stage {
        case connecting, securing, awaitingSettings, awaitingPing, asking, over
    }

    private let timing: ClientTiming
    private let dialling: Dialling
    /// `nil` to try TCP and the proxy only.
    private let channel: HTTP2Channel?
    private let peer: String
    private let requests: ProbedRequests?

    private var path: ProbedPath
    private var stage = Stage.connecting
    private var begun: MonotonicTime
    private var timer: Scheduled<Void>?
    private var events: [HTTP2Event] = []
    /// Called once.
    private var ended: ((ProbedPath) -> Void)?

    /// - Parameters:
    ///   - environment: The server.
    ///   - network: The addresses to try, and the proxy.
    ///   - context: The TLS settings of the client; `nil` to try TCP and the proxy only.
    ///   - timing: The clocks, and the time limit of each hop.
    ///   - requests: What to send after the PING; `nil` for nothing.
    /// - Throws: ``HTTP2Error`` or ``TLSError`` if TLS or HTTP/2 cannot be set up.
    init(
        to environment: PushEnvironment, _ network: NetworkPath, _ context: TLSContext?, _ timing: ClientTiming,
        requests: ProbedRequests? = nil
    ) throws {
        self.timing = timing
        self.requests = requests
        dialling = Dialling(environment, network, timing)
        peer = network.peer(environment)
        path = ProbedPath(port: environment.port)
        begun = timing.now()
        var limits = HTTP2Session.Limits()
        if let requests { limits.bodyBytes = requests.bodyBytes }
        channel = try context.map { context in
            HTTP2Channel(
                HTTP2OverTLS(
                    tls: try TLSSession(context: context, hostName: environment.serverName),
                    http2: try HTTP2Session(role: .client, limits: limits)),
                logger: Logger(label: "PushProvider.probe") { _ in SwiftLogNoOpLogHandler() })
        }
    }

    /// Begins.
    ///
    /// - Parameters:
    ///   - loop: The event loop. Call this method on it.
    ///   - ended: Called once, with the results.
    func begin(on loop: any EventLoop, ended: @escaping (ProbedPath) -> Void) {
        self.ended = ended
        dialling.begin(on: loop, progressed: { _ in }) { [self] result in
            switch result {
            case .failure(let failure): fail(ProbeFailure(failure))
            case .success(let reached): connected(reached)
            }
        }
    }

    /// Ends at once, because nobody waits for the results any more.
    func giveUp() {
        dialling.giveUp()
        fail(ProbeFailure(phase, .closed, "The probe of \(peer) was cancelled."))
    }

    private func connected(_ reached: EstablishedChannel) {
        path.address = reached.address
        path.tcp = reached.tcp
        path.proxy = reached.proxy
        guard channel != nil else {
            reached.channel.close(promise: nil)
            return finish()
        }
        do { try reached.channel.pipeline.syncOperations.addHandler(self) } catch {
            reached.channel.close(promise: nil)
            fail(ProbeFailure(.tls, .closed, "\(peer) closed the connection."))
        }
    }

    // MARK: Stages

    private func secure() {
        guard let channel, stage == .connecting else { return }
        stage = .securing
        begun = timing.now()
        allow(
            timing.handshakeTimeout, .tls, "\(peer) accepted the TCP connection, but didn't answer the TLS handshake")
        do throws(HTTP2OverTLS.Failure) { try channel.wire.start() } catch { return fail(error) }
        channel.flush()
    }

    private func noticeHandshake() {
        guard let channel, stage == .securing, channel.tls.isEstablished else { return }
        path.tls = handshake(isVerified: true)
        stage = .awaitingSettings
        begun = timing.now()
        allow(timing.settingsTimeout, .settings, "\(peer) accepted TLS, but sent no HTTP/2 SETTINGS")
        channel.flush()
    }

    private func settingsReceived(_ settings: HTTP2Settings) {
        guard stage == .awaitingSettings else { return }
        path.settings = settings
        path.settingsTime = begun.duration(to: timing.now())
        stage = .awaitingPing
        begun = timing.now()
        allow(timing.pingTimeout, .wait, "\(peer) didn't answer a PING")
        channel?.http2.ping(1)
    }

    private func pingAnswered() {
        guard stage == .awaitingPing else { return }
        path.ping = begun.duration(to: timing.now())
        stage = .asking
        timer?.cancel()
        ask()
    }

    private func ask() {
        guard let requests, let next = requests.next(path.answers) else { return finish() }
        guard path.answers.isEmpty else {
            timer = channel?.schedule(after: requests.pause) { self.send(next) }
            return
        }
        send(next)
    }

    private func send(_ request: ProbedRequest) {
        guard let channel, stage == .asking else { return }
        let kept = KeptRequest(OutgoingFields(request.fields), body: request.body)
        allow(timing.pingTimeout, .wait, "\(peer) didn't answer request \(path.answers.count + 1)")
        guard channel.submit(kept, tag: path.answers.count) != nil else {
            return fail(ProbeFailure(.wait, .closed, "\(peer) accepts no more requests."))
        }
        channel.flush()
    }

    private func streamEnded(_ end: HTTP2StreamEnd) {
        guard stage == .asking else { return }
        path.answers.append(ProbedAnswer(end))
        timer?.cancel()
        // A connection that ends reports why after its streams.
        if end.cause != .connectionLost { ask() }
    }

    private func goAwayReceived(_ goAway: HTTP2GoAway) {
        path.goAway = ProbedGoAway(
            description: GoAwayDescription.text(of: goAway), reason: GoAwayDescription.reason(of: goAway))
        fail(ProbeFailure(phase, .closed, "\(peer) ended the connection: \(GoAwayDescription.text(of: goAway))."))
    }

    private func handshake(isVerified: Bool) -> ProbedTLS? {
        guard let tls = channel?.tls else { return nil }
        let chain = tls.peerCertificates
        guard isVerified || !chain.isEmpty else { return nil }
        return ProbedTLS(
            time: begun.duration(to: timing.now()), isVerified: isVerified, version: tls.version, cipher: tls.cipher,
            selectedProtocol: tls.selectedProtocol, chain: chain)
    }

    private func allow(_ limit: Duration, _ phase: PushOutcome.Phase, _ message: String) {
        timer?.cancel()
        timer = channel?.schedule(after: limit) {
            self.fail(ProbeFailure(phase, .silent, "\(message) within \(limit.seconds) s."))
        }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        channel?.attach(context)
        if context.channel.isActive { secure() } else { fail(ProbeFailure(phase, .closed, closing)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channel?.attach(nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard stage != .over, let channel else { return }
        let buffer = unwrapInboundIn(data)
        do throws(HTTP2OverTLS.Failure) { try channel.receive(buffer) } catch {
            noticeHandshake()
            takeEvents()
            return fail(error)
        }
        noticeHandshake()
        takeEvents()
        channel.flush()
        // An answer that breaks the rules ends when its RST_STREAM is written.
        takeEvents()
        if stage != .over, channel.tls.isClosedByPeer { fail(ProbeFailure(phase, .closed, closing)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ProbeFailure(phase, .closed, closing))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(ProbeFailure(.socket(error, peer: peer, phase: phase), .closed))
    }

    private func takeEvents() {
        guard let http2 = channel?.http2 else { return }
        http2.takeEvents(into: &events)
        let batch = events
        events = []
        for event in batch where stage != .over {
            switch event {
            case .settingsReceived(let settings): settingsReceived(settings)
            case .pingAnswered: pingAnswered()
            case .goAwayReceived(let goAway): goAwayReceived(goAway)
            case .streamEnded(let end): streamEnded(end)
            case .headersReceived, .requestReceived, .requestRefused: break
            }
        }
    }

    // MARK: The end

    private var phase: PushOutcome.Phase {
        switch stage {
        case .connecting, .securing: .tls
        case .awaitingSettings: .settings
        case .awaitingPing, .asking, .over: .wait
        }
    }

    private var closing: String { "\(peer) closed the connection." }

    private func fail(_ failure: HTTP2OverTLS.Failure) {
        var found = ProbeFailure(failure, peer: peer)
        // A server refuses to negotiate HTTP/2, or the certificate of this side, when its own is verified already.
        let isVerified = found.kind == .noHTTP2 || found.kind == .ownCertificate
        if stage == .securing { path.tls = handshake(isVerified: isVerified) }
        if found.kind == .noHTTP2, path.tls?.chain.isEmpty != false { path.tls = nil }
        if found.kind != .ownCertificate { found.phase = found.kind == .noHTTP2 ? .tls : phase }
        fail(found)
    }

    private func fail(_ failure: ProbeFailure) {
        guard stage != .over else { return }
        path.failure = failure
        finish()
    }

    private func finish() {
        guard let ended else { return }
        self.ended = nil
        stage = .over
        timer?.cancel()
        if let channel {
            if channel.tls.isEstablished {
                channel.http2.goAway()
                channel.flush()
                channel.wire.close()
            }
            // Without the handshake, this sends the alert that says why.
            channel.flush()
            _ = channel.closeSocket()
        }
        ended(path)
    }
}
