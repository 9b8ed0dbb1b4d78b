internal import Logging
internal import NIOCore
internal import PushWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The ways in which a connection ends.
extension ServerConnection {
    /// Says why this side ends, and closes when the other side has had time to read it.
    func turnAway(_ why: String) {
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
        let holdsBytes = trickleHandler.map { $0.heldByteCount > 0 } ?? false
        if awaitsReading || holdsBytes { closeWhenRead() } else { context?.close(promise: nil) }
    }

    /// Nothing more is done here: those that still wait get to know, the record and the journal too.
    func finish(_ side: ConnectionEnd.Side, _ how: String) {
        abandonRuns()
        publish()
        note()
        state.records.change(number) { record in
            if record.end == nil { record.end = ConnectionEnd(at: .now, side: side, how: how) }
        }
    }
}
