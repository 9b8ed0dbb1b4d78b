internal import NIOCore
internal import PushWire

/// Is anybody there?
extension ClientConnection {
    /// Whether a request may be given to the connection now. After a long silence it is asked first.
    func isTrusted() -> Bool {
        let now = timing.now()
        // There is nothing to ask it for.
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

    /// Asks after each silence, until the end.
    func keepAlive() {
        guard let most = timing.keepAlive, let context else { return }
        let silence = liveness.lastHeard.duration(to: timing.now())
        if silence >= most, liveness.ask() {
            sendPing()
            flush()
        }
        // However little is asked for, the thread has other things to do.
        let wait = max(silence < most ? most - silence : most, .milliseconds(10))
        keepAliveTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: wait)) {
            self.keepAlive()
        }
    }
}
