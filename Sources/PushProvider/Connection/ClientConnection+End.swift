internal import NIOCore
internal import PushWire

/// Ends a connection, and reports the end to the pool.
extension ClientConnection {
    /// Marks the address as failed, so that the next connections try other addresses first.
    func forgetAddress() {
        if let reached { path.failed(reached.address, now: timing.now()) }
    }

    /// Accepts no more requests, and closes when the requests in flight have ended.
    func drain() {
        isLeaving = true
        perform(state.drain())
    }

    func close() {
        wire.http2.goAway()
        flush()
        wire.close()
        flush()
        if let context { context.close(promise: nil) } else { ended() }
    }

    /// Ends the connection now, even with requests in flight.
    func fail(_ failure: ConnectionFailure) {
        guard state.phase != .closed else { return }
        if self.failure == nil { self.failure = failure }
        // Write what is ready: an alert or a GOAWAY tells the server the reason.
        while let context, let sent = try? writeRecord(context), sent {}
        context?.flush()
        if let context { context.close(promise: nil) } else { ended() }
    }

    func ended() {
        // An unused connection that this side closed has not failed.
        let neverServed = !hasCarried && !isLeaving
        let isOrderly = state.phase == .draining && state.inFlight == 0 && self.failure == nil
        let phase = state.pushPhase
        guard state.closed() else { return }
        for timer in [phaseTimer, pingTimer, keepAliveTimer, expiryTimer] { timer?.cancel() }
        dialling?.giveUp()
        dialling = nil
        // The server at this address was of no use: the next connection tries another address first.
        if neverServed, let reached { path.failed(reached.address, now: timing.now()) }
        var failure = self.failure ?? .ended(by: peer, message: goAwayWords, reason: goAwayReason)
        if neverServed, failure.phase == .wait { failure.phase = phase }
        self.failure = failure
        wire.http2.endAllStreams()
        takeEvents()
        ends.handOver()
        let isTold = neverServed || failure.isAboutCredentials || !isOrderly
        tell(
            .closed(
                .init(
                    failure: isTold ? failure : nil, neverServed: neverServed,
                    worth: state.worth(after: begun.duration(to: timing.now())))))
    }
}
