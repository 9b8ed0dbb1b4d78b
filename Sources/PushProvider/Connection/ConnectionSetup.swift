internal import Logging
internal import NIOCore
internal import PushWire

/// The setup that all connections of a client share.
struct ConnectionSetup {
    var environment: PushEnvironment
    var path = NetworkPath()
    var tls: TLSContext
    /// The queue.
    var intake: SendIntake
    /// `nil` if the client authenticates with a certificate.
    var tokens: ProviderTokenSource?
    var timing: ClientTiming
    var retry: PushConfiguration.RetryPolicy
    /// The maximum number of streams of a connection, even if the server allows more.
    var streamsPerConnection: Int
    var firstStreamID: Int32 = 1
    /// The maximum number of bytes of an answer's body that are kept. The rest is dropped.
    var answerBytes = HTTP2Session.Limits().bodyBytes
    var metrics: PushMetrics
    var tally: OutcomeTally
    var logger: Logger

    /// Makes TLS and HTTP/2 for one connection.
    func makeWire() throws -> HTTP2OverTLS {
        var limits = HTTP2Session.Limits()
        limits.openStreams = streamsPerConnection
        limits.firstStreamID = firstStreamID
        limits.bodyBytes = answerBytes
        limits.keptFields = ParsedAnswer.fields
        limits.commonFields = KeptRequest(
            OutgoingFields([(":scheme", "https"), (":authority", environment.authority)]))
        limits.keptFieldsOfRefusals = ParsedAnswer.fieldsOfRefusals
        return HTTP2OverTLS(
            tls: try TLSSession(context: tls, hostName: environment.serverName),
            http2: try HTTP2Session(role: .client, limits: limits)
        )
    }
}

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
