internal import NIOCore
internal import PushWire

/// Clients that do not speak HTTP/2 inside TLS are told so, in words that they can read.
extension ServerConnection {
    /// Holds back what a client says until it is known what it speaks.
    ///
    /// - Returns: What TLS is to read; `nil` when there is nothing yet, or the client was told that it has to be TLS.
    func admitted(_ buffer: ByteBuffer) -> ByteBuffer? {
        guard var said = saidBeforeTLS else { return buffer }
        said.writeImmutableBuffer(buffer)
        saidBeforeTLS = said
        switch Greeting(said.readableBytesView) {
        case .undecided: return nil
        case .http1: tell(.http1WithoutTLS)
        case .http2: tell(.http2WithoutTLS)
        // OpenSSL has its own words for what is no TLS, and an alert.
        case .tls, .other:
            saidBeforeTLS = nil
            return said
        }
        return nil
    }

    /// Answers a client that has made a TLS connection without having offered HTTP/2, and does not begin with the preface of
    /// HTTP/2 either.
    func answerWithoutALPN() {
        guard !isOver, wire.tls.isEstablished, !wire.speaksHTTP2 else { return }
        switch Greeting(wire.otherMessage) {
        case .undecided: break
        case .http1: tell(.http1)
        case .http2: if !HTTP2OverTLS.preface.starts(with: wire.otherMessage) { tell(.other) }
        case .tls, .other: tell(.other)
        }
    }

    /// It has agreed on HTTP/2, and then says something else.
    func answerOtherThanHTTP2() {
        if Greeting(wire.otherMessage) == .http1 { return tell(.http1) }
        let message = "what came inside TLS is not HTTP/2: it does not begin with the preface of RFC 9113 section 3.4"
        goAway(0, .protocolError, message)
        turnAway(message)
    }

    private func tell(_ misunderstanding: Misunderstanding) {
        // Frames would be no answer.
        wire.holdsHTTP2 = true
        let remedyText = state.configuration.remedyText
        let answer = misunderstanding.answer(remedyText)
        switch misunderstanding {
        case .http1WithoutTLS, .http2WithoutTLS:
            context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
        case .http1, .other:
            answer.withUnsafeBytes { try? wire.tls.seal($0) }
        }
        turnAway("\(misunderstanding.deed): \(misunderstanding.remedy(remedyText))")
    }

    /// A client that has left without a word may have seen that HTTP/2 was not agreed on. It is told nothing of where a fault
    /// wanted it.
    var hasLeftWithoutHTTP2: Bool { wire.tls.isEstablished && !wire.speaksHTTP2 && !faults.agreesOnNothing }
}
