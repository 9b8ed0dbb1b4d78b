internal import Logging
internal import NIOCore
import PushPlatform
internal import PushWire

/// The ways in which a connection ends.
extension ServerConnection {
    /// Says why this side ends, and closes when the other side has had time to read it.
    func turnAway(_ why: String) {
        guard !isOver else { return }
        requests.noteUnfinished(why)
        isOver = true
        logger.notice("connection \(number) ended: \(why)")
        flush()
        finish(.mock, why)
        wire.close()
        flush()
        closeWhenRead()
    }

    /// A socket that is closed with bytes unread tells the peer of a reset before it tells of the words.
    private func closeWhenRead() {
        guard let context else { return }
        let channel = context.channel
        // Behind what is still on its way, slow as that may be.
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.close(mode: .output, promise: sent)
        sent.futureResult.whenComplete { _ in
            channel.eventLoop.scheduleTask(in: Self.readingTime) { channel.close(promise: nil) }
        }
    }

    private static let readingTime = TimeAmount.seconds(2)

    /// Ends the connection as a fault wants it.
    func close(_ how: FaultClosing) {
        guard !isOver else { return }
        isOver = true
        // Answers that are ready still go out, and count as answered.
        flush()
        finish(.fault, how.rawValue)
        switch how {
        case .tlsClosed:
            wire.close()
            flush()
            closeWhenRead()
        case .tlsAlert:
            wire.breakTLS()
            flush()
            closeWhenRead()
        case .tcpClosed: closeWhenRead()
        case .tcpReset:
            // To linger for no time is how one asks for a reset.
            _ = (context?.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context?.close(promise: nil)
        }
    }

    /// Says goodbye and closes.
    func stop() {
        guard !isOver else {
            context?.close(promise: nil)
            return
        }
        if wire.tls.isEstablished { wire.http2.goAway() }
        end(.mock, "the mock was stopped")
    }

    /// Ends it.
    ///
    /// - Parameters:
    ///   - side: Who ends it.
    ///   - why: How.
    ///   - isWorthNoting: Whether the log tells of it.
    ///   - awaitsReading: The other side has not asked for it, and may be sending: it is given time to read what it was
    ///     sent before.
    func end(
        _ side: ConnectionEnd.Side, _ why: String, isWorthNoting: Bool = false, awaitsReading: Bool = false
    ) {
        guard !isOver else { return }
        isOver = true
        if isWorthNoting { logger.notice("connection \(number) ended: \(why)") }
        // What is ready still goes out: an alert or a GOAWAY tells the other side why.
        flush()
        finish(side, why)
        wire.close()
        flush()
        let holdsBytes = faults.trickleHandler.map { $0.heldByteCount > 0 } ?? false
        if awaitsReading || holdsBytes { closeWhenRead() } else { context?.close(promise: nil) }
    }

    /// Nothing more is done here: those that still wait get to know, the record and the journal too.
    func finish(_ side: ConnectionEnd.Side, _ how: String) {
        faults.abandonRuns()
        requests.publish()
        recorder.note()
        state.records.change(number) { record in
            if record.end == nil { record.end = ConnectionEnd(at: .now, side: side, how: how) }
        }
    }

    // MARK: Why

    /// What the client did that made the library end the connection.
    var violation: String {
        let code = wire.goAwayCode.map { " with \($0)" } ?? ""
        let complaint = wire.http2.lastComplaint.map { ": \($0)" } ?? ""
        return "the client broke the rules of HTTP/2, and was told so by a GOAWAY\(code)\(complaint)"
    }

    /// Ends the connection of a client that has gone too far, and says so where it can be heard.
    func refuse(_ reached: LimitExceeded) {
        let text = reached.text(state.configuration)
        if wire.speaksHTTP2 { goAway(wire.http2.newestStreamID, .enhanceYourCalm, text) }
        turnAway(text)
    }

    /// Ends a connection on which HTTP/2 cannot go on.
    func turnAway(after failure: HTTP2OverTLS.Failure) {
        guard case .http2(let error) = failure else { return turnAway("\(failure)") }
        switch error.code {
        case .unsentAnswersToControl: refuse(LimitExceeded(.waitingAnswers, in: state.configuration.limits))
        case .continuations: refuse(LimitExceeded(.continuations, in: state.configuration.limits))
        case .notHTTP2: answerOtherThanHTTP2()
        default: turnAway("\(failure)")
        }
    }

    /// Ends the connection of a client that opens more streams than it has acknowledged.
    func endForStreams(from streamID: Int32) {
        goAway(max(0, streamID - 2), .refusedStream, HTTP2Refusal.textOfApple)
        turnAway(
            "the client opened more streams than the SETTINGS allow that it has acknowledged, and got a GOAWAY with REFUSED_STREAM"
        )
    }
}
