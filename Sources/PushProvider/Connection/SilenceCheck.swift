internal import NIOCore
internal import PushWire

/// Checks with PINGs whether the server still answers: performs the decisions of ``Liveness``. Use it only on the event
/// loop of the connection.
final class SilenceCheck {
    @exclusivity(unchecked) private var liveness: Liveness
    private let channel: HTTP2Channel
    private let timing: ClientTiming
    private let peer: String
    weak var owner: ClientConnection?
    @exclusivity(unchecked) private var pingTimer: Scheduled<Void>?
    @exclusivity(unchecked) private var keepAliveTimer: Scheduled<Void>?

    init(_ channel: HTTP2Channel, _ timing: ClientTiming, peer: String) {
        self.channel = channel
        self.timing = timing
        self.peer = peer
        liveness = Liveness(trustedSilence: timing.trustedSilence, now: timing.now())
    }

    var awaitsPing: Bool { liveness.isAsked }

    /// Whether a request may be sent now. After a long silence, a PING is sent first.
    ///
    /// - Parameter hasWork: Whether there is something to send. It is called only after a long silence.
    /// - Returns: Whether a request may be sent now.
    func isTrusted(hasWork: () -> Bool) -> Bool {
        let now = timing.now()
        // Nothing is to be sent, so no PING is needed.
        if liveness.lastHeard.duration(to: now) >= timing.trustedSilence, !hasWork() { return false }
        switch liveness.wantsToSend(now: now) {
        case .use: return true
        case .ask: sendPing()
        case .wait: break
        }
        return false
    }

    func sent() {
        liveness.sent()
    }

    func received() {
        switch liveness.received(now: timing.now()) {
        case .none: break
        case .answered:
            pingTimer?.cancel()
            owner?.reportProgress()
        }
    }

    func streamAnswered() {
        liveness.streamAnswered()
    }

    /// A stream was cancelled because its deadline passed.
    ///
    /// - Parameter isStarved: Whether the window has been closed since that stream began.
    /// - Returns: Whether to drain the connection, because the server may not answer any more. Then it also sends a PING.
    func deadlinePassed(isStarved: Bool) -> Bool {
        guard liveness.deadlinePassed(isStarved: isStarved) else { return false }
        if liveness.ask() { sendPing() }
        return true
    }

    /// Sends a PING after each silence of `keepAlive`, until the connection ends.
    func keepAlive() {
        guard let maximum = timing.keepAlive else { return }
        let silence = liveness.lastHeard.duration(to: timing.now())
        if silence >= maximum, liveness.ask() {
            sendPing()
            channel.flush()
        }
        // At least 10 ms, even for a very short `keepAlive`: the thread has other work.
        let wait = max(silence < maximum ? maximum - silence : maximum, .milliseconds(10))
        keepAliveTimer = channel.schedule(after: wait) { self.keepAlive() }
    }

    func stop() {
        pingTimer?.cancel()
        keepAliveTimer?.cancel()
    }

    private func sendPing() {
        channel.http2.ping(UInt64(liveness.lastHeard.nanoseconds))
        owner?.reportProgress()
        let message = "\(peer) didn't answer a PING within \(timing.pingTimeout.seconds) s."
        pingTimer = channel.schedule(after: timing.pingTimeout) {
            self.owner?.fail(ConnectionFailure(phase: .wait, description: message))
        }
    }
}
