internal import Logging
internal import NIOCore
import PushPlatform
internal import PushWire

extension ServerConnection {
    /// Logs why the mock ends the connection, and closes it after the client has had time to read its last bytes.
    func refuse(_ why: String) {
        guard !isOver else { return }
        noteUnfinished(why)
        isOver = true
        logger.notice("connection \(number) ended: \(why)")
        flush()
        finish(.mock, why)
        wire.close()
        flush()
        closeWhenRead()
    }

    /// Closes with a delay. A socket that is closed with unread bytes sends a reset, and the client may lose the last answer.
    func closeWhenRead() {
        guard let context else { return }
        // The output closes after all pending bytes are sent: never, if the client does not read them.
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.close(mode: .output, promise: sent)
        sent.futureResult.whenComplete { [channel = context.channel] _ in
            Self.close(channel, within: Self.readingTime)
        }
        if !faults.isStalledByFault, let time = limits.limits.unreadTime {
            Self.close(context.channel, within: TimeAmount(time))
        }
    }

    private static let readingTime = TimeAmount.seconds(2)

    /// Closes a channel after a time, if it is still open then.
    private static func close(_ channel: any Channel, within time: TimeAmount) {
        let timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    func close(_ how: MockFault.Closing) {
        guard !isOver else { return }
        isOver = true
        // Answers that are ready are still sent, and count as answered.
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
            // A linger time of 0 makes the system send a reset.
            _ = (context?.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context?.close(promise: nil)
        }
    }

    /// Sends GOAWAY and closes the connection, soon even if a fault sends slowly.
    func stop() {
        guard !isOver else {
            context?.close(promise: nil)
            return
        }
        if let context { Self.close(context.channel, within: Self.readingTime) }
        if wire.tls.isEstablished {
            flush()
            wire.http2.goAway()
        }
        end(.mock, "the mock was stopped")
    }

    /// Closes the connection.
    ///
    /// - Parameters:
    ///   - side: Which side ends the connection.
    ///   - why: The reason, for the record and the log.
    ///   - isWorthNoting: Whether to log it.
    ///   - awaitsReading: Whether to give the client time to read its last bytes, because it may still be sending.
    func end(
        _ side: MockConnectionEnd.Side, _ why: String, isWorthNoting: Bool = false, awaitsReading: Bool = false
    ) {
        guard !isOver else { return }
        isOver = true
        if isWorthNoting { logger.notice("connection \(number) ended: \(why)") }
        // What is ready is still sent: an alert or a GOAWAY says why.
        flush()
        finish(side, why)
        wire.close()
        flush()
        let holdsBytes = faults.trickleHandler.map { $0.heldByteCount > 0 } ?? false
        if awaitsReading || holdsBytes { closeWhenRead() } else { context?.close(promise: nil) }
    }

    /// Starts the timers for idle connections, if the variants have times.
    func watchIdleness(under variants: MockVariants) {
        guard let eventLoop = context?.eventLoop else { return }
        let isBusy = { [unowned self] in
            isOver || faults.isSilent || wire.http2.openStreams > 0 || !faults.running.isEmpty
        }
        if let time = variants.idleTime {
            idleTimers.append(
                IdleTimer(time, on: eventLoop, isBusy: isBusy) { [unowned self] in endIdle() })
        }
        if let time = variants.silenceAfter {
            idleTimers.append(
                IdleTimer(time, on: eventLoop, isBusy: isBusy) { [unowned self] in
                    logger.notice("connection \(number) went silent, because it was idle")
                    fallSilent()
                })
        }
    }

    private func endIdle() {
        goAway(wire.http2.newestStreamID, .noError, #"{"reason":"IdleTimeout"}"#)
        processReceived()
    }

    /// Ends the faults, and completes the record and the log.
    func finish(_ side: MockConnectionEnd.Side, _ how: String) {
        abandonRuns()
        publish()
        updateRecord()
        state.connections.end(number)
        var isFirst = false
        place.changeRecord { record in
            isFirst = record.end == nil
            if isFirst { record.end = MockConnectionEnd(at: .now, side: side, how: how) }
        }
        if isFirst, side == .client { noteShortConnection() }
    }

    private func noteShortConnection() {
        let now = state.now
        let violation = state.noteBehaviour { $0.connectionEnded(requests: requestCount, at: now) }
        if let violation { place.add(violation, at: now) }
    }

    /// Records a frame after which the connection has to end. Its stream and the requests on it are not judged.
    func noteIllegalFrame(_ what: String) {
        place.add(BehaviourRule.illegalFrame.violation(what), at: state.now)
    }

    // MARK: Reasons

    /// Why nghttp2 ended the connection.
    var violation: String {
        let code = wire.goAwayCode.map { " with \($0)" } ?? ""
        let complaint = wire.http2.lastComplaint.map { ": \($0)" } ?? ""
        return "the client violated HTTP/2, and the mock sent GOAWAY\(code)\(complaint)"
    }

    /// Closes the connection of a client that has exceeded a limit. With HTTP/2, a GOAWAY names the limit.
    func refuse(_ reached: LimitExceeded) {
        guard !isOver else { return }
        let text = reached.text(state.configuration)
        if wire.speaksHTTP2 { goAway(wire.http2.newestStreamID, .enhanceYourCalm, text) }
        refuse(text)
    }

    /// Closes the connection after a failure of TLS or HTTP/2.
    func endAfter(_ failure: HTTP2OverTLS.Failure) {
        guard case .http2(let error) = failure else { return refuse("\(failure)") }
        switch error.code {
        case .unsentAnswersToControl: refuse(LimitExceeded(.waitingAnswers, in: state.configuration.limits))
        case .continuations: refuse(LimitExceeded(.continuations, in: state.configuration.limits))
        case .notHTTP2: answerOtherThanHTTP2()
        case .peerViolation:
            noteIllegalFrame(wire.http2.lastComplaint ?? error.detail)
            refuse("\(failure)")
        default: refuse("\(failure)")
        }
    }

    /// Closes the connection of a client that opens more streams than the acknowledged SETTINGS allow.
    func endForStreams(from streamID: Int32) {
        goAway(max(0, streamID - 2), .refusedStream, MockFact.textOfGoAway)
        refuse(
            "the client opened more streams than the acknowledged SETTINGS allow, and the mock sent GOAWAY with REFUSED_STREAM"
        )
    }
}
