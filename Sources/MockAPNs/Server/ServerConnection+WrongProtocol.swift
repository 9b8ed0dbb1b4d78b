internal import NIOCore
internal import PushWire

/// Answers clients that do not use HTTP/2 over TLS.
extension ServerConnection {
    /// Buffers the first bytes of a client until its protocol is known.
    ///
    /// - Returns: The bytes for TLS; `nil` if the protocol is not known yet, or is not TLS. The client then got an answer.
    func admitted(_ buffer: ByteBuffer) -> ByteBuffer? {
        guard var bytes = bytesBeforeTLS else { return buffer }
        bytes.writeImmutableBuffer(buffer)
        bytesBeforeTLS = bytes
        switch Greeting(bytes.readableBytesView) {
        case .undecided: return nil
        case .http1: sendAnswer(to: .http1WithoutTLS)
        case .http2: sendAnswer(to: .http2WithoutTLS)
        // For other bytes that are not TLS, OpenSSL reports an error and sends an alert.
        case .tls, .other:
            bytesBeforeTLS = nil
            return bytes
        }
        return nil
    }

    /// Answers a client that did not offer HTTP/2 by ALPN and does not send the HTTP/2 preface.
    func answerWithoutALPN() {
        guard !isOver, wire.tls.isEstablished, !wire.speaksHTTP2 else { return }
        switch Greeting(wire.otherBytes) {
        case .undecided: break
        case .http1: sendAnswer(to: .http1)
        case .http2: if !HTTP2OverTLS.preface.starts(with: wire.otherBytes) { sendAnswer(to: .other) }
        case .tls, .other: sendAnswer(to: .other)
        }
    }

    /// Answers a client that selected HTTP/2 by ALPN, and then sends something else.
    func answerOtherThanHTTP2() {
        let isHTTP1 = Greeting(wire.otherBytes) == .http1
        let clientAction =
            isHTTP1
            ? "the client agreed on HTTP/2 (ALPN), and then sent HTTP/1 instead of" : "the client didn't send"
        let message = "\(clientAction) the HTTP/2 preface (RFC 9113 section 3.4) at the start of the connection"
        goAway(0, .protocolError, message)
        refuse(message)
    }

    private func sendAnswer(to wrongProtocol: WrongProtocol) {
        // This client does not understand HTTP/2 frames.
        wire.holdsHTTP2 = true
        let remedyText = state.configuration.remedyText
        let answer = wrongProtocol.answer(remedyText)
        switch wrongProtocol {
        case .http1WithoutTLS, .http2WithoutTLS:
            context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
        case .http1, .other:
            answer.withUnsafeBytes { try? wire.tls.seal($0) }
        }
        refuse("\(wrongProtocol.clientAction): \(wrongProtocol.remedy(remedyText))")
    }

    /// Whether the client closed TLS without HTTP/2, possibly because ALPN selected none. `false` if a fault caused that.
    var hasLeftWithoutHTTP2: Bool { wire.tls.isEstablished && !wire.speaksHTTP2 && !faults.agreesOnNothing }
}
