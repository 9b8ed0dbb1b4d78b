import NIOCore
import PushPlatform
import PushWire

/// The server's side of one connection: performs steps, and records what comes.
///
/// It belongs to its channel's event loop and is touched there only.
final class ScriptedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let record = Watched(ServerRecord())

    private let number: Int
    private let wire: HTTP2OverTLS
    private let script: ServerScript
    private let opening: ServerScript.Opening
    private var frames = FrameReader()
    private var withholdsHTTP2: Bool
    private var context: ChannelHandlerContext?
    private let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.recordBytes, alignment: 16)

    init(number: Int, wire: HTTP2OverTLS, script: ServerScript) {
        self.number = number
        self.wire = wire
        self.script = script
        opening = script.opening(number)
        withholdsHTTP2 = opening == .withholdsHTTP2
    }

    deinit {
        plaintext.deallocate()
    }

    // MARK: The channel's happenings

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        if opening == .closes { context.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch opening {
        case .neverSpeaksTLS, .closes: return
        case .speaksPlainly:
            let answer = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")
            return context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        case .serves, .withholdsHTTP2: break
        }
        unwrapInboundIn(data).withUnsafeReadableBytes { wire.tls.receive($0) }
        // A client that refuses us, or one that a test has made to speak nonsense, is simply gone.
        try? decipher()
        flush()
    }

    private func decipher() throws {
        try wire.tls.handshake()
        guard wire.tls.isEstablished else { return }
        record.change {
            guard !$0.isEstablished else { return }
            $0.isEstablished = true
            $0.clientCertificate = wire.tls.peerCertificate?.commonName
        }
        while case let count = try wire.tls.read(into: plaintext), count > 0 {
            let bytes = UnsafeRawBufferPointer(rebasing: plaintext[0..<count])
            note(frames.receive(bytes), bytes: count)
            try wire.receivePlaintext(bytes)
        }
        var events: [HTTP2Event] = []
        wire.http2.takeEvents(into: &events)
        for event in events { handle(event) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return }
        record.change { $0.isClosedByClient = true }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        record.change { record in
            record.isClosedByClient = true
            record.isClosed = true
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: What comes

    private func note(_ frames: [Frame], bytes: Int) {
        record.change { record in
            record.plaintextBytes += bytes
            for frame in frames {
                switch frame.kind {
                case .headers:
                    record.opened.append(frame.streamID)
                    record.open.insert(frame.streamID)
                    record.maximumOpen = max(record.maximumOpen, record.open.count)
                case .resetStream:
                    record.resets[frame.streamID] = HTTP2ErrorCode(rawValue: frame.resetCode ?? 0)
                    record.open.remove(frame.streamID)
                case .goAway: record.saidGoodbye = true
                case .ping where frame.flags & 1 == 0: record.pings += 1
                default: break
                }
            }
        }
    }

    private func handle(_ event: HTTP2Event) {
        switch event {
        case .settingsReceived: record.change { $0.settingsCount += 1 }
        case .pingAnswered(let payload): record.change { $0.pingsAnswered.insert(payload) }
        case .requestReceived(let received):
            let request = ServedRequest(
                connection: number,
                number: record.value.requests.count + 1,
                streamID: received.streamID,
                fields: Dictionary(received.headers.fields.map { ($0.name, $0.value) }) { first, _ in first },
                body: String(decoding: received.body, as: UTF8.self)
            )
            // What is done was decided before anybody can know of the request, and change it.
            let steps = script.onRequest(request)
            record.change { $0.requests.append(request) }
            perform(steps)
        case .headersReceived, .requestRefused, .streamEnded, .goAwayReceived: break
        }
    }

    // MARK: What is done

    func perform(_ steps: [ServerStep]) {
        for step in steps { perform(step) }
        flush()
    }

    private func perform(_ step: ServerStep) {
        switch step {
        case .release: withholdsHTTP2 = false
        case .announce(let settings): try? wire.http2.announceSettings(settings)
        case .answer(let streamID, let status, let headers, let body):
            let fields = [(":status", String(status))] + headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            _ = try? wire.http2.submitResponse(OutgoingFields(fields), body: Array(body.utf8), on: streamID)
            record.change { $0.answers[streamID] = ServedAnswer(status: status, body: body) }
            ended { $0 == streamID }
        case .reset(let streamID, let code):
            // What was ordered before goes out before.
            flush()
            wire.http2.reset(streamID, code: code)
            if code == .refusedStream { record.change { $0.refused.insert(streamID) } }
            ended { $0 == streamID }
        case .goAway(let lastStreamID, let code, let text):
            wire.http2.goAway(lastStreamID: lastStreamID, code: code, debugData: Array(text.utf8))
            record.change { $0.lastStreamTaken = min($0.lastStreamTaken, lastStreamID) }
            ended { $0 > lastStreamID }
        case .ping(let payload): wire.http2.ping(payload)
        case .frame(let frame):
            flush()
            frame.bytes.withUnsafeBytes { bytes in try? wire.tls.seal(bytes) }
        case .stopReading: try? context?.channel.syncOptions?.setOption(.autoRead, value: false)
        case .close:
            flush()
            wire.close()
            flush()
            context?.close(mode: .output, promise: nil)
        case .hangUp:
            flush()
            context?.close(mode: .output, promise: nil)
        case .abort:
            flush()
            _ = (context?.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context?.close(promise: nil)
        }
    }

    private func ended(_ which: (Int32) -> Bool) {
        record.change { record in record.open = record.open.filter { !which($0) } }
    }

    private func flush() {
        guard let context else { return }
        while !withholdsHTTP2 || wire.tls.hasCiphertext {
            let wrote: Void? = try? wire.nextRecord { _, bytes in
                context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            }
            if wrote == nil { break }
        }
        context.flush()
    }
}
