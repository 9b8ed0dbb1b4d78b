internal import NIOCore
internal import PushWire

/// One connection to the mock: hands requests to the judgement and answers back, on a NIO channel.
///
/// It belongs to its channel's event loop and is touched there only. What faults do to it stands in
/// `ServerConnection+Faults.swift`, the requests in `ServerConnection+Requests.swift`, its end in
/// `ServerConnection+Ending.swift`, what a client may not do in `ServerConnection+Limits.swift`, and who does not speak HTTP/2 in
/// `ServerConnection+Misunderstanding.swift`.
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

    // What limits need.
    var watch: ConnectionWatch
    var timers = LimitTimers()
    /// The client has gone too far.
    var reached: LimitReached?
    /// How many of the session's were counted.
    var forcedResets = 0
    /// What the mock knows of the bytes that are kept here of requests that are not whole.
    var toldUnfinished = 0
    var hasNotedOverlongSection = false
    /// What has come while it is not known whether it is TLS; `nil` from then on.
    var saidBeforeTLS: ByteBuffer? = ByteBuffer()

    // What the requests need.
    var facts: ConnectionFacts
    var announcedStreams: UInt32
    /// The last `authorization` and what was read in it: a sender uses one for many requests.
    var lastReading: (authorization: String?, generation: Int, reading: ProviderTokenReading)?
    var requestReader = RequestReader()
    var ids = AnswerIDSource()
    var requestCount = 0
    /// Requests that were dealt with and do not stand in the journal yet.
    var dealtWith: [DealtWith] = []
    /// What has happened and was not looked at yet.
    var events: [HTTP2Event] = []
    /// Empty between two looks at what sending has brought about: memory to be used again.
    var sentEvents: [HTTP2Event] = []

    /// Records on their way to the socket. Empty between two flushes: memory to be used again.
    private var outgoing: [ByteBuffer] = []
    /// The first stream beyond the limit that the client has acknowledged.
    var firstStreamBeyondLimit: Int32?
    private var hasNotedEarlyStreams = false

    // What the record needs.
    private var frameNotes: [HTTP2FrameNote] = []
    private var notedRequests = 0
    var endedStreams: [(id: Int32, end: StreamRecord.End)] = []

    // What faults need.
    /// The faults that are under way, by the stream of their request or by their moment.
    var runs: [Int32: FaultRun] = [:]
    /// A fault that acts as soon as the TLS handshake is done with.
    private var openingRun: FaultRun?
    /// Those that have something to send and the client does not take it.
    var runsWaitingForRoom: [FaultRun] = []
    /// Streams that a fault has dealt with before their request was there as a whole.
    var streamsOverBeforeBody: Set<Int32> = []
    /// Those of them that have ended: nothing more comes of them than what has come already.
    var streamsToForget: [Int32] = []
    /// Nothing is read while TCP alone is there.
    var holdsReads = false
    /// Nothing is read any more.
    var readsNothing = false
    /// Nothing goes in or out any more.
    var isSilent = false
    /// What takes long here is the doing of a fault, and no fault of the client's.
    var isStalledByFault = false
    var trickleHandler: TrickleHandler?
    private(set) var hasAnnounced = false
    /// A fault lets the mock agree on nothing by ALPN, whatever the client offers.
    var agreesOnNothing = false
    /// A fault has said how many streams there may be.
    var faultLimitsStreams = false
    /// Streams above it are not processed: a GOAWAY has said so.
    var lastStreamTaken = Int32.max

    init(number: Int, wire: HTTP2OverTLS, clientAuthority: [UInt8], state: MockState, logger: ConnectionLog) {
        self.number = number
        self.wire = wire
        self.clientAuthority = clientAuthority
        self.state = state
        self.logger = logger
        watch = ConnectionWatch(state.configuration.limits, now: NIODeadline.now().uptimeNanoseconds)
        facts = ConnectionFacts(number: number)
        announcedStreams = state.configuration.streamsBeforeAuthentication
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
        limitHandshake()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timers.cancelAll()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        if let run = run(at: .connectionAccepted) { begin(run) }
        context.fireChannelActive()
    }

    /// A peer that does not read its answers is not read either: what waits for it stays bounded.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable, mayRead { context.read() } else { readIsHeld = true }
    }

    private var mayRead: Bool { !holdsReads && !readsNothing && !isSilent }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            readAgain()
            roomIsThere()
        }
        limitUnwritable(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func readAgain() {
        guard readIsHeld, mayRead, let context else { return }
        readIsHeld = false
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver, !isSilent, !readsNothing else { return }
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
        guard !isOver, let run = openingRun else { return }
        openingRun = nil
        begin(run)
    }

    func receive(_ body: () throws(HTTP2OverTLS.Failure) -> Void) {
        do throws(HTTP2OverTLS.Failure) {
            try body()
        } catch {
            // What came whole before it is judged all the same.
            answerRequests()
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
        answerRequests()
        if let reached { return refuse(reached) }
        if let firstStreamBeyondLimit { return endForStreams(from: firstStreamBeyondLimit) }
        // A server that is far away gives what a round trip can carry: all of the window.
        if state.configuration.roundTrip > .zero { wire.http2.returnWindow() }
        flush()
        if wire.tls.isClosedByPeer {
            let deed = hasLeftWithoutHTTP2 ? ": \(Misunderstanding.other.deed)" : ""
            return end(.client, "the client closed TLS\(deed)", isWorthNoting: hasLeftWithoutHTTP2)
        }
        guard wire.tls.isEstablished, wire.http2.isFinished, runs.isEmpty else { return }
        if clientIsLeaving {
            end(.client, "the client said GOAWAY and no stream is open")
        } else {
            // The library says it by itself when what comes is not legal.
            let why = hasSaidGoAway ? "a GOAWAY was said and no stream is open" : violation
            if !hasSaidGoAway { noteUnfinished(why) }
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
        limitRequests()
        limitAnswers()
        facts = ConnectionFacts(number: number, agreedOnHTTP2: wire.tls.agreedOnHTTP2)
        if let presented = wire.tls.peerCertificate {
            let now = Int(Moment.now.secondsSince1970)
            let verdict = wire.tls.peerCertificateVerdict(authoritiesPEM: clientAuthority, now: now)
            facts = ConnectionFacts(
                number: number, certificate: ClientCertificate(presented, verdict),
                agreedOnHTTP2: wire.tls.agreedOnHTTP2)
            if facts.isAuthenticated { announcedStreams = state.configuration.streamsAfterAuthentication }
        }
        state.records.change(number) { record in
            record.agreedOnHTTP2 = facts.agreedOnHTTP2
            record.certificate = facts.certificate
        }
        guard let run = run(at: .connectionEstablished) else { return announceFirst() }
        wire.holdsHTTP2 = true
        openingRun = run
    }

    /// Announces the usual settings, and refuses a certificate that is not good enough.
    func announceFirst() {
        announce(Self.settings(streams: announcedStreams))
        let world = state.world
        guard world.variants.refusesCertificatesByGoAway, let (_, finding) = world.objection(to: facts) else { return }
        goAway(0, .noError, #"{"reason":"\#(finding.reason.rawValue)"}"#)
        refusal = [finding.reason.rawValue + ".", finding.detail, finding.remedy].compactMap { $0 }
            .joined(separator: " ")
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
        guard let context, !isSilent else { return publish() }
        do throws(HTTP2OverTLS.Failure) {
            while let record = try nextRecord(context) { outgoing.append(record) }
        } catch {
            logger.debug("writing failed: \(error)")
        }
        // Log and record are complete before the client can see an answer.
        noteSent()
        publish()
        note()
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

    // MARK: The record

    /// Writes down what the client has sent and which streams have ended.
    func note() {
        wire.http2.takeFrameNotes(into: &frameNotes)
        if !isOver { count(frameNotes) }
        tellUnfinished()
        noteEarlyStreams()
        guard !frameNotes.isEmpty || !endedStreams.isEmpty || requestCount != notedRequests else { return }
        notedRequests = requestCount
        state.records.change(number) { record in
            record.received(frameNotes, at: .now)
            for (id, end) in endedStreams { record.ended(id, end) }
            record.mostOpenStreams = wire.http2.mostOpenStreams
            record.requestCount = requestCount
            record.earlyStreamCount = wire.http2.earlyStreams
        }
        endedStreams.removeAll(keepingCapacity: true)
    }

    private func noteEarlyStreams() {
        guard wire.http2.earlyStreams > 0, !hasNotedEarlyStreams else { return }
        hasNotedEarlyStreams = true
        let consequence =
            state.configuration.variants.refusesEarlyStreams
            ? "They are reset with REFUSED_STREAM." : "They are served; --early-streams refuse resets them."
        logger.notice(
            """
            connection \(number): the client opened more streams than SETTINGS allow, before it had acknowledged them. \
            \(consequence)
            """)
    }
}
