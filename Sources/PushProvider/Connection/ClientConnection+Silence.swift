internal import NIOCore
internal import PushWire

/// Checks with PINGs whether the server still answers.
extension ClientConnection {
    /// Whether a request may be sent now. After a long silence, a PING is sent first.
    func isTrusted() -> Bool {
        let now = timing.now()
        // Nothing is to be sent, so no PING is needed.
        if liveness.lastHeard.duration(to: now) >= timing.trustedSilence, !intake.hasWork() { return false }
        switch liveness.wantsToSend(now: now) {
        case .use: return true
        case .ask: sendPing()
        case .wait: break
        }
        return false
    }

    func sendPing() {
        wire.http2.ping(UInt64(liveness.lastHeard.nanoseconds))
        tellProgress()
        let message = "\(peer) did not answer a PING within \(timing.pingTimeout.seconds) s."
        pingTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: timing.pingTimeout)) {
            self.fail(ConnectionFailure(phase: .wait, description: message))
        }
    }

    /// Sends a PING after each silence of `keepAlive`, until the connection ends.
    func keepAlive() {
        guard let most = timing.keepAlive, let context else { return }
        let silence = liveness.lastHeard.duration(to: timing.now())
        if silence >= most, liveness.ask() {
            sendPing()
            flush()
        }
        // At least 10 ms, even for a very short `keepAlive`: the thread has other work.
        let wait = max(silence < most ? most - silence : most, .milliseconds(10))
        keepAliveTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: wait)) {
            self.keepAlive()
        }
    }
}
