internal import NIOCore
internal import PushWire

/// One connection to the mock, on a NIO channel: bytes in and out, TLS, and when HTTP/2 begins and ends.
///
/// It belongs to its channel's event loop and is used there only. ``ServedRequests`` answers the requests, ``FaultPlayer`` plays the
/// faults, ``LimitEnforcer`` holds the client to the limits, ``ConnectionRecorder`` writes the record. `ServerConnection+Ending.swift`
/// has its end, `ServerConnection+Misunderstanding.swift` clients that do not speak HTTP/2.
final class ServerConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let number: Int
    private(set) var wire: HTTP2OverTLS
    let state: MockState
    /// Whose client certificates are accepted, in PEM.
    private let clientAuthority: [UInt8]
    let logger: ConnectionLog
    private(set) var context: ChannelHandlerContext?
    var isOver = false
    /// A read was asked for while it was not to be: the peer did not take our answers, or a fault held it.
    private var readIsHeld = false
    /// The client has said GOAWAY before the mock did.
    private var clientIsLeaving = false
    private var hasSaidGoAway = false
    /// Why the connection is not served, where its certificate is not accepted.
    private(set) var refusal: String?

    /// What has come before it is known whether the client speaks TLS; `nil` from then on.
    var saidBeforeTLS: ByteBuffer? = ByteBuffer()
    private(set) var hasAnnounced = false
    /// Records on their way to the socket. Empty between two flushes: memory to be used again.
    private var outgoing: [ByteBuffer] = []

    private(set) lazy var requests = ServedRequests(self)
    private(set) lazy var faults = FaultPlayer(self)
    private(set) lazy var limits = LimitEnforcer(self)
    private(set) lazy var recorder = ConnectionRecorder(self)

    init(number: Int, wire: HTTP2OverTLS, clientAuthority: [UInt8], state: MockState, logger: ConnectionLog) {
        self.number = number
        self.wire = wire
        self.clientAuthority = clientAuthority
        self.state = state
        self.logger = logger
        listen(to: wire)
    }

    private func listen(to wire: HTTP2OverTLS) {
        wire.whenEstablished = { [unowned self] in established() }
        wire.whenPrefaceCame = { [unowned self] in beginHTTP2() }
    }

    /// Has another TLS than the usual one, before its first byte.
    func use(_ tls: TLSSession) {
        wire = HTTP2OverTLS(tls: tls, http2: wire.http2)
        listen(to: wire)
    }

    /// The settings that have been seen at Apple's.
    static func settings(streams: UInt32) -> HTTP2Settings {
        HTTP2Settings(
            maxConcurrentStreams: streams,
            initialWindowSize: 65_535,
            maxHeaderListSize: 8000,
            headerTableSize: 4096,
            maxFrameSize: 16_384
        )
    }

    // MARK: The channel's happenings

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        limits.limitHandshake()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        limits.cancelTimers()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        faults.connectionAccepted()
        context.fireChannelActive()
    }

    /// A peer that does not read its answers is not read either: what waits for it stays bounded.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable, faults.letsRead { context.read() } else { readIsHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            readAgain()
            faults.roomIsThere()
        }
        limits.limitUnwritable(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func readAgain() {
        guard readIsHeld, faults.letsRead, let context else { return }
        readIsHeld = false
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver, !faults.isSilent, !faults.readsNothing else { return }
        guard let buffer = admitted(unwrapInboundIn(data)) else { return }
        wire.http2.tellsHeaders = state.hasFaultsAtHeaders
        receive { () throws(HTTP2OverTLS.Failure) in
            var failure: HTTP2OverTLS.Failure?
            buffer.withUnsafeReadableBytes { bytes in
                do throws(HTTP2OverTLS.Failure) { try wire.receive(bytes) } catch { failure = error }
            }
            if let failure { throw failure }
        }
        answerWithoutALPN()
        faults.beginOpening()
    }

    func receive(_ body: () throws(HTTP2OverTLS.Failure) -> Void) {
        do throws(HTTP2OverTLS.Failure) {
            try body()
        } catch {
            // What came whole before it is judged all the same.
            requests.answerRequests()
            turnAway(after: error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        settle()
    }

    /// Deals with what has come, and sends what is ready.
    func settle() {
        guard !isOver else { return }
        if let refusal { return turnAway(refusal) }
        requests.answerRequests()
        if let reached = limits.reached { return refuse(reached) }
        if let stream = requests.firstStreamBeyondLimit { return endForStreams(from: stream) }
        // A server that is far away gives what a round trip can carry: all of the window.
        if state.configuration.roundTrip > .zero { wire.http2.returnWindow() }
        flush()
        if wire.tls.isClosedByPeer {
            let deed = hasLeftWithoutHTTP2 ? ": \(Misunderstanding.other.deed)" : ""
            return end(.client, "the client closed TLS\(deed)", isWorthNoting: hasLeftWithoutHTTP2)
        }
        guard wire.tls.isEstablished, wire.http2.isFinished, faults.runs.isEmpty else { return }
        if clientIsLeaving {
            end(.client, "the client said GOAWAY and no stream is open")
        } else {
            // The library says it by itself when what comes is not legal.
            let why = hasSaidGoAway ? "a GOAWAY was said and no stream is open" : violation
            if !hasSaidGoAway { requests.noteUnfinished(why) }
            end(.mock, why, isWorthNoting: !hasSaidGoAway, awaitsReading: true)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        finish(.client, "the client closed TCP and not TLS")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.client, "\(error)", isWorthNoting: true)
    }

    // MARK: Who it is

    private func established() {
        state.records.change(number) { $0.establishedAt = .now }
        if wire.speaksHTTP2 { beginHTTP2() }
    }

    /// The client speaks HTTP/2, agreed on by ALPN or shown by its preface. It has shown its certificate, or that it has none:
    /// that decides how many streams it may open.
    private func beginHTTP2() {
        limits.limitRequests()
        limits.limitAnswers()
        requests.facts = ConnectionFacts(number: number, agreedOnHTTP2: wire.tls.agreedOnHTTP2)
        if let presented = wire.tls.peerCertificate {
            let now = Int(Moment.now.secondsSince1970)
            let verdict = wire.tls.peerCertificateVerdict(authoritiesPEM: clientAuthority, now: now)
            requests.facts = ConnectionFacts(
                number: number, certificate: ClientCertificate(presented, verdict),
                agreedOnHTTP2: wire.tls.agreedOnHTTP2)
            if requests.facts.isAuthenticated {
                requests.announcedStreams = state.configuration.streamsAfterAuthentication
            }
        }
        state.records.change(number) { record in
            record.agreedOnHTTP2 = requests.facts.agreedOnHTTP2
            record.certificate = requests.facts.certificate
        }
        guard faults.holdsOpening() else { return announceFirst() }
        wire.holdsHTTP2 = true
    }

    /// Announces the usual settings, and refuses a certificate that is not good enough.
    func announceFirst() {
        announce(Self.settings(streams: requests.announcedStreams))
        let world = state.world
        guard world.variants.refusesCertificatesByGoAway, let (_, finding) = world.objection(to: requests.facts) else {
            return
        }
        goAway(0, .noError, #"{"reason":"\#(finding.reason.rawValue)"}"#)
        let remedy = finding.remedy.map(state.configuration.remedyText)
        refusal = [finding.reason.rawValue + ".", finding.detail, remedy].compactMap(\.self).joined(separator: " ")
    }

    func announce(_ settings: HTTP2Settings) {
        guard (try? wire.http2.announceSettings(settings)) != nil else { return }
        hasAnnounced = true
        state.records.change(number) { $0.announced(settings, at: .now) }
    }

    func heard(_ goAway: HTTP2GoAway, _ now: Moment) {
        if !hasSaidGoAway { clientIsLeaving = true }
        let heard = GoAwayUse(
            lastStreamID: goAway.lastStreamID, code: HTTP2Code(rawValue: goAway.errorCode),
            text: String(decoding: goAway.debugData, as: UTF8.self), at: now)
        state.records.change(number) { $0.heardGoAway(heard) }
    }

    func goAway(_ lastStreamID: Int32, _ code: HTTP2Code, _ text: String) {
        hasSaidGoAway = true
        wire.http2.goAway(lastStreamID: lastStreamID, code: code.onTheWire, debugData: Array(text.utf8))
        let said = GoAwayUse(lastStreamID: lastStreamID, code: code, text: text, at: .now)
        state.records.change(number) { $0.saidGoAway(said) }
    }

    // MARK: Bytes out

    func flush() {
        guard let context, !faults.isSilent else { return requests.publish() }
        do throws(HTTP2OverTLS.Failure) {
            while let record = try nextRecord(context) { outgoing.append(record) }
        } catch {
            logger.debug("writing failed: \(error)")
        }
        // Log and record are complete before the client can see an answer.
        requests.noteSent()
        requests.publish()
        recorder.note()
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
