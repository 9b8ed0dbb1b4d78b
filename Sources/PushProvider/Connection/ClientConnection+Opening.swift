internal import Logging
internal import NIOCore
internal import PushWire

/// Opens a connection: TCP (or a proxy tunnel), TLS, and the settings of the server, each with a timeout.
extension ClientConnection {
    /// Begins to connect to the server.
    func connect(on loop: any EventLoop) {
        guard state.phase != .closed, let dialling else { return }
        logger.debug("connecting", metadata: ["peer": "\(peer)"])
        dialling.begin(
            on: loop,
            progressed: { [self] phase in
                state.reaching(phase)
                tellProgress()
            },
            ended: { [self] result in
                self.dialling = nil
                switch result {
                case .success(let reached): run(on: reached)
                case .failure(let failure): fail(failure)
                }
            })
    }

    /// Uses the channel that is connected. The channels of other addresses of the name never get this handler.
    func run(on reached: EstablishedChannel) {
        let channel = reached.channel
        guard state.phase != .closed else { return channel.close(promise: nil) }
        self.reached = reached
        logger.debug("connected", metadata: reached.metadata)
        do { try channel.pipeline.syncOperations.addHandler(self) } catch {
            fail(.socket(error, peer: peer, phase: state.pushPhase))
        }
    }

    func begin() {
        guard state.phase == .connecting else { return }
        state.tcpConnected()
        tellProgress()
        allow(timing.handshakeTimeout, elseFail: .tls, "the TLS handshake with \(peer) timed out")
        do throws(HTTP2OverTLS.Failure) { try wire.start() } catch { return fail(ConnectionFailure(error, peer: peer)) }
        flush()
    }

    func noticeHandshake() {
        guard state.phase == .securing, wire.tls.isEstablished else { return }
        state.tlsEstablished()
        tellProgress()
        logger.debug("TLS established", metadata: ["version": "\(wire.tls.version)"])
        allow(
            timing.settingsTimeout, elseFail: .settings, "\(peer) accepted the connection, but sent no HTTP/2 settings")
        flush()
    }

    func allow(_ duration: Duration, elseFail phase: PushPhase, _ message: String) {
        phaseTimer?.cancel()
        phaseTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: duration)) {
            self.fail(ConnectionFailure(phase: phase, description: message + "."))
        }
    }
}
