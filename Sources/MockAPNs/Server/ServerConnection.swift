internal import APNSVocabulary
internal import NIOCore
import PushPlatform
internal import PushWire

/// One connection to the mock, on a NIO channel: a pipeline from bytes to request, fault or verdict, answer and log.
///
/// The stages are values that know nothing of the connection: ``RequestReader``, ``FaultRuns``, ``RequestJudge``, ``UnloggedRequests``,
/// and beside them ``RecordNotes``, ``ConnectionLimits`` and ``StreamAllowance``. The connection owns them, hands each the result of the
/// one before, and does what they decide. Its extensions have one job each: requests, faults and their steps, limits, namespaces, clients
/// that do not use HTTP/2, and the end.
///
/// Use it only on its channel's event loop.
final class ServerConnection: ChannelDuplexHandler, ReachableConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The mock that it belongs to now: that of its port, or that of a namespace which the key id of a provider token chose.
    private(set) var place: ConnectionPlace
    var state: MockState { place.state }
    /// The number of the connection there.
    var number: Int { place.number }
    /// What its port serves, or the port that the client requested from the proxy.
    private(set) var api: ServedAPI
    /// The name of Apple's host that the client requested from the proxy; `nil` without the proxy.
    private var proxiedHost: String?
    private(set) var wire: HTTP2OverTLS
    /// The mock of its port.
    let home: MockState
    var namespaces = KnownNamespaces()
    let logger: ConnectionLog
    private(set) var context: ChannelHandlerContext?
    var isOver = false
    /// A read is pending: the client does not read its answers, or a fault delays the read.
    private var readIsHeld = false
    /// The client has sent GOAWAY before the mock did.
    private var clientIsLeaving = false
    private var hasSentGoAway = false
    /// When the mock sent its first GOAWAY.
    private(set) var goAwayTime: ContinuousClock.Instant?
    /// Why the client certificate is not accepted. Requests are then not answered.
    private(set) var refusal: String?

    /// The bytes received until it is known whether the client uses TLS; `nil` after that.
    var bytesBeforeTLS: ByteBuffer? = ByteBuffer()
    private(set) var hasAnnounced = false
    /// Act when the connection has been idle for a time, if a variant says so.
    var idleTimers: [IdleTimer] = []
    /// The TLS records to send in one flush. Empty between two flushes; kept to reuse its memory.
    private var outgoing: [ByteBuffer] = []

    // The stages of a request. One event loop uses them, and no two accesses overlap: a stage cannot reach the connection.
    @exclusivity(unchecked) var requestReader = RequestReader()
    @exclusivity(unchecked) var keyIDs = KeyIDReader()
    @exclusivity(unchecked) var faults = FaultRuns()
    @exclusivity(unchecked) var judge: RequestJudge
    @exclusivity(unchecked) var allowance: StreamAllowance
    @exclusivity(unchecked) var limits: ConnectionLimits
    @exclusivity(unchecked) var notes = RecordNotes()
    @exclusivity(unchecked) var unlogged = UnloggedRequests()
    /// The number of complete requests.
    @exclusivity(unchecked) var requestCount = 0
    /// Events that have not been processed yet.
    @exclusivity(unchecked) var events: [HTTP2Event] = []
    /// Empty between two calls of ``processSent()``; kept to reuse its memory.
    @exclusivity(unchecked) var sentEvents: [HTTP2Event] = []
    /// The client has had too many rejections.
    var endsAfterBatch = false
    /// The first stream beyond the limit that the client has acknowledged.
    var firstStreamBeyondLimit: Int32?

    init(
        _ place: ConnectionPlace, api: ServedAPI, wire: HTTP2OverTLS, logger: ConnectionLog
    ) {
        self.place = place
        self.api = api
        self.wire = wire
        home = place.state
        self.logger = logger
        let configuration = place.state.configuration
        judge = RequestJudge(ConnectionFacts(number: place.number, api: api), else: configuration.environment)
        allowance = StreamAllowance(announced: configuration.variants.streamsBeforeAuthentication)
        limits = ConnectionLimits(configuration.limits)
        listen(to: wire)
    }

    private func listen(to wire: HTTP2OverTLS) {
        wire.whenEstablished = { [unowned self] in established() }
        wire.whenPrefaceCame = { [unowned self] in beginHTTP2() }
    }

    /// From now on the connection belongs to this mock.
    func enter(_ place: ConnectionPlace) {
        self.place = place
    }

    func use(_ tls: TLSSession) {
        wire = HTTP2OverTLS(tls: tls, http2: wire.http2)
        listen(to: wire)
    }

    /// The settings that the mock announces first. The defaults of the variants are what APNs was observed to send.
    static func settings(streams: UInt32, _ variants: MockVariants) -> HTTP2Settings {
        HTTP2Settings(
            maxConcurrentStreams: streams,
            initialWindowSize: variants.announcedWindow,
            maxHeaderListSize: variants.announcedHeaderListSize,
            headerTableSize: 4096,
            maxFrameSize: variants.announcedFrameSize
        )
    }

    /// Serves Apple's host, leaves the connection to the relay, or ends it.
    func connectRequested(to destination: ConnectDestination) {
        switch destination {
        case .apns(let host, let api): serve(api, of: host)
        case .refused(let why):
            guard isOver else { return refuse("the client used CONNECT: \(why)") }
            // No tunnel to another host could be made. Nothing else ends this connection.
            logger.notice("connection \(number) ended: \(why)")
            closeWhenRead()
        case .other(let host, let port):
            // The relay closes the channel.
            isOver = true
            limits.timers.cancelAll()
            finish(.mock, "the mock relayed a tunnel to \(Finding.quote(host)) on port \(port)")
        }
    }

    /// Serves like the Apple host that the client requested from the proxy.
    private func serve(_ api: ServedAPI, of host: String) {
        self.api = api
        proxiedHost = host
        place.changeRecord { $0.isProxied = true }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        limitHandshake()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        limits.timers.cancelAll()
        for timer in idleTimers { timer.cancel() }
        idleTimers = []
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        let peer = context.remoteAddress.flatMap { address in
            address.ipAddress.map { $0.contains(":") ? "[\($0)]:\(address.port ?? 0)" : "\($0):\(address.port ?? 0)" }
        }
        place.changeRecord { $0.peer = peer }
        judge.connected(from: peer)
        if let run = FaultRun.take(at: .connectionAccepted, in: place) { begin(run) }
        context.fireChannelActive()
    }

    /// Reads only while the client reads its answers, so that the memory for unsent answers stays bounded.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable, faults.isReading { context.read() } else { readIsHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            readAgain()
            goOnSending()
        }
        limitUnwritable(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func readAgain() {
        guard readIsHeld, faults.isReading, let context else { return }
        readIsHeld = false
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver, !faults.isSilent, !faults.readsNothing else { return }
        guard let buffer = admitted(unwrapInboundIn(data)) else { return }
        wire.http2.reportsHeaders = home.needsHeaders || state.hasFaultsAtHeaders
        receive { () throws(HTTP2OverTLS.Failure) in
            var failure: HTTP2OverTLS.Failure?
            buffer.withUnsafeReadableBytes { bytes in
                do throws(HTTP2OverTLS.Failure) { try wire.receive(bytes) } catch { failure = error }
            }
            if let failure { throw failure }
        }
        answerWithoutALPN()
        beginOpening()
    }

    func receive(_ body: () throws(HTTP2OverTLS.Failure) -> Void) {
        do throws(HTTP2OverTLS.Failure) {
            try body()
        } catch {
            // Requests that were complete before the failure are still answered.
            answerRequests()
            endAfter(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        processReceived()
    }

    func processReceived() {
        guard !isOver else { return }
        if let refusal { return refuse(refusal) }
        answerRequests()
        endIfTooManyRejections()
        if let reached = limits.reached { return refuse(reached) }
        if let stream = firstStreamBeyondLimit { return endForStreams(from: stream) }
        // With simulated latency, the full window is granted at once, so that the client can send during a round trip.
        if state.configuration.roundTrip > .zero { wire.http2.returnWindow() }
        flush()
        if wire.tls.isClosedByPeer {
            let clientAction = hasLeftWithoutHTTP2 ? ": \(WrongProtocol.other.clientAction)" : ""
            return end(.client, "the client closed TLS\(clientAction)", isWorthNoting: hasLeftWithoutHTTP2)
        }
        guard wire.tls.isEstablished, wire.http2.isFinished, faults.running.isEmpty else { return }
        if clientIsLeaving {
            end(.client, "the client sent GOAWAY and no stream is open")
        } else {
            // If the mock sent no GOAWAY, nghttp2 did, because of an illegal frame.
            let why = hasSentGoAway ? "the mock sent GOAWAY and no stream is open" : violation
            if !hasSentGoAway {
                noteUnfinished(why)
                noteIllegalFrame(wire.http2.lastComplaint ?? why)
            }
            end(.mock, why, isWorthNoting: !hasSentGoAway, awaitsReading: true)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        finish(.client, "the client closed TCP without closing TLS")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let why = (error as? IOError).map { SocketFailure.predicate($0.errnoCode) } ?? "broke the connection (\(error))"
        end(.client, "the client \(why)", isWorthNoting: true)
    }

    // MARK: Start of HTTP/2

    private func established() {
        place.changeRecord { $0.establishedAt = .now }
        if wire.speaksHTTP2 { beginHTTP2() }
    }

    /// Begins HTTP/2: ALPN selected it, or the client sent its preface. The handshake is complete, so it is known whether the
    /// client has a certificate. This decides how many streams the client may open.
    private func beginHTTP2() {
        limitRequests()
        limitAnswers()
        judge.established(
            ConnectionFacts(
                number: number, api: api, appleHost: appleHost, certificate: clientCertificate,
                agreedOnHTTP2: wire.tls.agreedOnHTTP2))
        let variants = state.apns.variants
        allowance.connectionEstablished(isAuthenticated: judge.facts.isAuthenticated, under: variants)
        watchIdleness(under: variants)
        place.changeRecord { record in
            record.agreedOnHTTP2 = judge.facts.agreedOnHTTP2
            record.certificate = judge.facts.certificate
            record.appleHost = judge.facts.appleHost
        }
        guard let run = FaultRun.take(at: .connectionEstablished, in: place) else { return announceFirst() }
        faults.holdOpening(run)
        wire.holdsHTTP2 = true
    }

    private var clientCertificate: MockClientCertificate? {
        guard let presented = wire.tls.peerCertificate else { return nil }
        let authorities = state.apns.authorities.map(\.pem).joined(separator: "\n")
        let now = Int(Date.now.timeIntervalSince1970)
        let result = wire.tls.peerCertificateResult(authoritiesPEM: Array(authorities.utf8), now: now)
        return MockClientCertificate(presented, result)
    }

    /// The name of Apple's that the client connected to: through the proxy, or as SNI says.
    private var appleHost: String? {
        if let proxiedHost { return proxiedHost }
        guard let name = wire.tls.serverName?.lowercased(), APNSHost.all.contains(name) else { return nil }
        return name
    }

    /// Sends the usual SETTINGS, and GOAWAY if the certificate is not accepted.
    func announceFirst() {
        let apns = state.apns
        announce(Self.settings(streams: allowance.announced, apns.variants))
        guard apns.variants.refusesCertificatesByGoAway, let finding = apns.finding(on: judge.facts) else {
            return
        }
        goAway(0, .noError, #"{"reason":"\#(finding.reason.rawValue)"}"#)
        let remedy = finding.remedy.map(state.configuration.remedyText)
        refusal = [finding.reason.rawValue + ".", finding.detail, remedy].compactMap(\.self).joined(separator: " ")
    }

    func announce(_ settings: HTTP2Settings) {
        guard (try? wire.http2.announceSettings(settings)) != nil else { return }
        hasAnnounced = true
        place.changeRecord { $0.announced(settings, at: .now) }
    }

    func received(_ goAway: HTTP2GoAway, _ now: Date) {
        if !hasSentGoAway { clientIsLeaving = true }
        let use = MockGoAwayUse(
            lastStreamID: goAway.lastStreamID, code: MockHTTP2Code(rawValue: goAway.errorCode),
            text: String(decoding: goAway.debugData, as: UTF8.self), at: now)
        place.changeRecord { $0.receivedGoAway(use) }
    }

    func goAway(_ lastStreamID: Int32, _ code: MockHTTP2Code, _ text: String) {
        // The library sends a GOAWAY before the bodies of answers that are ready. Clients that stop at a GOAWAY would not read
        // the reason of the last one.
        if wire.http2.openStreams > 0 { flush() }
        hasSentGoAway = true
        if goAwayTime == nil { goAwayTime = .now }
        wire.http2.goAway(lastStreamID: lastStreamID, code: code.onTheWire, debugData: Array(text.utf8))
        let use = MockGoAwayUse(lastStreamID: lastStreamID, code: code, text: text, at: .now)
        place.changeRecord { $0.sentGoAway(use) }
    }

    // MARK: Bytes out

    func flush() {
        guard let context, !faults.isSilent else { return publish() }
        do throws(HTTP2OverTLS.Failure) {
            while let record = try nextRecord(context) { outgoing.append(record) }
        } catch {
            logger.debug("writing failed: \(error)")
        }
        // The log and the record are complete before the client receives an answer.
        processSent()
        publish()
        updateRecord()
        guard !outgoing.isEmpty else { return }
        for record in outgoing { context.write(wrapOutboundOut(record), promise: nil) }
        outgoing.removeAll(keepingCapacity: true)
        context.flush()
    }

    private func nextRecord(_ context: ChannelHandlerContext) throws(HTTP2OverTLS.Failure) -> ByteBuffer? {
        try wire.nextRecord { _, bytes in
            var buffer = context.channel.allocator.buffer(capacity: bytes.count)
            buffer.writeBytes(bytes)
            return buffer
        }
    }
}
