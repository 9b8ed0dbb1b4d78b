internal import NIOCore

/// The route of one connection to its server: connects it, and remembers the address that it uses.
final class ConnectionRoute {
    /// The server, and the proxy if there is one, for messages.
    let peer: String
    private let path: NetworkPath
    private let timing: ClientTiming
    private var dialling: Dialling?
    /// The address and proxy in use; `nil` until it is connected.
    private var reached: EstablishedChannel?

    init(_ setup: ConnectionSetup) {
        path = setup.path
        timing = setup.timing
        peer = path.proxy.map { "\(setup.environment) through the proxy \($0)" } ?? setup.environment.description
        dialling = Dialling(setup.environment, path, timing)
    }

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - loop: The event loop of the connection. Call this method on it.
    ///   - progressed: Called with each new phase.
    ///   - ended: Called with the result, unless ``giveUp()`` was called.
    func begin(
        on loop: any EventLoop, progressed: @escaping (PushOutcome.Phase) -> Void,
        ended: @escaping (Result<EstablishedChannel, ConnectionFailure>) -> Void
    ) {
        dialling?.begin(
            on: loop, progressed: progressed,
            ended: { [self] result in
                dialling = nil
                if case .success(let reached) = result { self.reached = reached }
                ended(result)
            })
    }

    /// Stops to connect.
    func giveUp() {
        dialling?.giveUp()
        dialling = nil
    }

    /// Marks the address as failed, so that the next connections try other addresses first.
    func addressFailed() {
        if let reached { path.failed(reached.address, now: timing.now()) }
    }
}
