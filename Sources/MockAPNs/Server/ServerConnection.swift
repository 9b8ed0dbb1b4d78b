internal import Logging
internal import NIOCore
internal import PushWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One connection to the mock: hands requests to the judgement and answers back, on a NIO channel.
///
/// It belongs to its channel's event loop and is touched there only.
final class ServerConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let wire: HTTP2OverTLS
    /// Whose client certificates are accepted, in PEM.
    private let clientAuthority: [UInt8]
    private let state: MockState
    private let logger: Logger
    private var facts: ConnectionFacts
    private var announcedStreams: UInt32
    /// The last `authorization` and what was read in it: a sender uses one for many requests.
    private var lastReading: (authorization: String?, generation: Int, reading: ProviderTokenReading)?
    private var isOver = false
    /// Why the connection is not served, where its certificate is not accepted.
    private var refusal: String?
    /// A read was asked for while the peer did not take our answers.
    private var readIsHeld = false
    private var handshakeTimer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(number: Int, wire: HTTP2OverTLS, clientAuthority: [UInt8], state: MockState, logger: Logger) {
        facts = ConnectionFacts(number: number)
        announcedStreams = state.configuration.streamsBeforeAuthentication
        self.wire = wire
        self.clientAuthority = clientAuthority
        self.state = state
        self.logger = logger
        wire.whenEstablished = { [unowned self] in established() }
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
        handshakeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.handshakeTime) {
            if !self.wire.tls.isEstablished { self.end("the TLS handshake took too long") }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        handshakeTimer?.cancel()
        self.context = nil
    }

    private static let handshakeTime = TimeAmount.seconds(30)

    /// A peer that does not read its answers is not read either: what waits for it stays bounded.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { readIsHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, readIsHeld {
            readIsHeld = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let buffer = unwrapInboundIn(data)
        let failure = buffer.withUnsafeReadableBytes { bytes -> HTTP2OverTLS.Failure? in
            do throws(HTTP2OverTLS.Failure) {
                try wire.receive(bytes)
                return nil
            } catch {
                return error
            }
        }
        if let failure {
            // What came whole before it is judged all the same.
            answerRequests()
            turnAway("\(failure)")
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard !isOver else { return }
        if let refusal { return turnAway(refusal) }
        answerRequests()
        flush()
        if wire.tls.isClosedByPeer || (wire.tls.isEstablished && wire.http2.isFinished) { end(nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end("\(error)")
    }

    // MARK: Who it is

    /// The client has shown its certificate, or that it has none: that decides how many streams it may open.
    private func established() {
        if let presented = wire.tls.peerCertificate {
            let now = Int(Date().timeIntervalSince1970)
            let verdict = wire.tls.peerCertificateVerdict(authoritiesPEM: clientAuthority, now: now)
            facts = ConnectionFacts(number: facts.number, certificate: ClientCertificate(presented, verdict))
            if facts.isAuthenticated { announcedStreams = state.configuration.streamsAfterAuthentication }
        }
        try? wire.http2.announceSettings(Self.settings(streams: announcedStreams))
        let world = state.world
        guard world.variants.refusesCertificatesByGoAway, let (_, finding) = world.objection(to: facts) else { return }
        wire.http2.goAway(
            lastStreamID: 0, debugData: Array(#"{"reason":"\#(finding.reason.rawValue)"}"#.utf8))
        refusal = [finding.reason.rawValue + ".", finding.detail, finding.remedy].compactMap { $0 }
            .joined(separator: " ")
    }

    // MARK: Requests

    private func answerRequests() {
        guard refusal == nil else { return }
        var events: [HTTP2Event] = []
        wire.http2.takeEvents(into: &events)
        guard !events.isEmpty else { return }
        let snapshot = state.snapshot()
        let now = Moment(secondsSince1970: Date().timeIntervalSince1970)
        var batch: [(request: MockRequest, verdict: Verdict, wasForced: Bool)] = []
        for event in events {
            guard case .requestReceived(let received) = event else { continue }
            let request = MockRequest(received)
            let (verdict, wasForced) = verdict(on: request, snapshot, now)
            raiseStreamLimit()
            answer(verdict, on: received.streamID)
            batch.append((request, verdict, wasForced))
        }
        if !batch.isEmpty { state.journal.append(batch, connection: facts.number, time: now) }
    }

    private func verdict(
        on request: MockRequest, _ snapshot: MockState.Snapshot, _ now: Moment
    ) -> (Verdict, wasForced: Bool) {
        if snapshot.hasForcedAnswers, let forced = state.takeForced() { return (forced.verdict(for: request), true) }
        let reading = reading(of: request.authorization, snapshot)
        let judgement = snapshot.world.judge(request, authorizedBy: reading, on: facts, at: now, ids: .random())
        facts = judgement.connection
        if judgement.verdict.isAccepted, snapshot.world.variants.deviceRateLimit != nil {
            state.change { $0.requestAccepted(request, at: now) }
        }
        return (judgement.verdict, false)
    }

    private func reading(of authorization: String?, _ snapshot: MockState.Snapshot) -> ProviderTokenReading {
        if let last = lastReading, last.generation == snapshot.trustGeneration, last.authorization == authorization {
            return last.reading
        }
        let reading = snapshot.reader.read(authorization)
        lastReading = (authorization, snapshot.trustGeneration, reading)
        return reading
    }

    /// Apple's allow one stream until a request is authenticated, and many from then on.
    private func raiseStreamLimit() {
        let wanted = state.configuration.streamsAfterAuthentication
        guard facts.isAuthenticated, announcedStreams != wanted else { return }
        announcedStreams = wanted
        try? wire.http2.announceSettings(HTTP2Settings(maxConcurrentStreams: wanted))
    }

    private func answer(_ verdict: Verdict, on streamID: Int32) {
        var headers = HeaderBlock(reservingBytes: 160)
        headers.append(":status", String(verdict.status))
        if !verdict.messageID.isEmpty { headers.append(APNSHeader.id, verdict.messageID, indexing: .avoided) }
        if let unique = verdict.uniqueID { headers.append(APNSHeader.uniqueID, unique, indexing: .avoided) }
        let body = verdict.body
        if !body.isEmpty { headers.append("content-type", "application/json") }
        try? wire.http2.submitResponse(headers, body: body, on: streamID)
    }

    // MARK: Bytes out, and the end

    private func flush() {
        guard let context else { return }
        var wrote = false
        do throws(HTTP2OverTLS.Failure) {
            while try writeRecord(context) { wrote = true }
        } catch {
            logger.debug("writing failed", metadata: ["why": "\(error)"])
        }
        if wrote { context.flush() }
    }

    private func writeRecord(_ context: ChannelHandlerContext) throws(HTTP2OverTLS.Failure) -> Bool {
        let wrote: Void? = try wire.nextRecord { _, bytes in
            var buffer = context.channel.allocator.buffer(capacity: bytes.count)
            buffer.writeBytes(bytes)
            context.write(wrapOutboundOut(buffer), promise: nil)
        }
        return wrote != nil
    }

    /// Says why this side ends, and closes when the other side has had time to read it: a socket that is closed with
    /// bytes unread tells the peer of a reset before it tells of the words.
    private func turnAway(_ why: String) {
        guard !isOver, let context else { return }
        isOver = true
        logger.notice("connection \(facts.number) ended: \(why)")
        flush()
        wire.close()
        flush()
        let channel = context.channel
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.readingTime) { channel.close(promise: nil) }
    }

    private static let readingTime = TimeAmount.seconds(2)

    /// Says goodbye and closes.
    func stop() {
        guard !isOver else { return }
        if wire.tls.isEstablished { wire.http2.goAway() }
        end(nil)
    }

    private func end(_ why: String?) {
        guard !isOver else { return }
        isOver = true
        if let why {
            logger.notice("connection \(facts.number) ended: \(why)")
        }
        // What is ready still goes out: an alert or a GOAWAY tells the other side why.
        flush()
        wire.close()
        flush()
        context?.close(promise: nil)
    }
}

extension MockRequest {
    init(_ received: HTTP2Request) {
        var method = ""
        var path = ""
        var fields: [Field] = []
        fields.reserveCapacity(received.headers.count)
        received.headers.forEach { name, value in
            let value = String(decoding: value, as: UTF8.self)
            guard name.first == UInt8(ascii: ":") else {
                fields.append(Field(String(decoding: name, as: UTF8.self), value))
                return
            }
            if name.elementsEqual(":method".utf8) { method = value }
            if name.elementsEqual(":path".utf8) { path = value }
        }
        self.init(
            method: method,
            path: path,
            fields: fields,
            body: received.body,
            bodyByteCount: received.bodyByteCount
        )
    }
}

extension ClientCertificate {
    init(_ certificate: ProviderCertificate, _ verdict: PeerCertificateVerdict) {
        let trust: Trust =
            switch verdict {
            case .trusted: certificate.topics.isEmpty || !certificate.kind.sendsPushes ? .notForPushes : .trusted
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .untrusted, .absent: .untrusted
            }
        self.init(
            commonName: certificate.commonName,
            topics: certificate.topics,
            hasTopicList: certificate.hasTopicList,
            environments: Set(certificate.environments.map { $0 == .sandbox ? .sandbox : .production }),
            trust: trust
        )
    }
}
