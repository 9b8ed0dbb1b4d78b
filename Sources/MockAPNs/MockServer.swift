public import Logging
internal import NIOCore
internal import NIOPosix
internal import PushWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A local APNs: a real HTTP/2 server over TLS that judges each request as Apple's documentation says.
///
///     let mock = try await MockServer.start()
///     // point the sender under test at mock.host, mock.port, mock.credentials
///     let arrival = try await mock.arrival(1, within: .seconds(5))
///     await mock.stop()
public final class MockServer: Sendable {
    /// The address that it listens on.
    public let host: String
    /// The port that it listens on.
    public let port: Int
    /// The authority to trust, and a key that it accepts.
    public let credentials: MockCredentials

    let state: MockState
    private let channel: any Channel

    private init(credentials: MockCredentials, state: MockState, channel: any Channel) {
        host = channel.localAddress?.ipAddress ?? state.configuration.listenAddress
        port = channel.localAddress?.port ?? state.configuration.port
        self.credentials = credentials
        self.state = state
        self.channel = channel
    }

    // MARK: Life

    /// Starts a mock; it accepts connections when this returns.
    ///
    /// - Parameters:
    ///   - configuration: How it is set up.
    ///   - credentials: Those to use; new ones in memory by default.
    ///   - logger: Where connections that end badly are noted.
    /// - Returns: The running mock. ``stop()`` ends it.
    /// - Throws: ``MockStartError`` or ``MockCredentialsError``.
    public static func start(
        _ configuration: MockConfiguration = MockConfiguration(),
        credentials: MockCredentials? = nil,
        logger: Logger = Logger(label: "MockAPNs")
    ) async throws -> MockServer {
        let credentials = try credentials ?? .inMemory()
        var keyring = Keyring()
        keyring.trust(credentials.verifyingKey, id: credentials.keyID)
        for other in credentials.otherKeys { keyring.trust(other.key, id: other.id) }
        let keyIDs = [credentials.keyID] + credentials.otherKeys.map(\.id)
        let world = World(
            environment: configuration.environment,
            authentication: configuration.authentication,
            trustedKeys: keyIDs.map { TrustedKey(keyID: $0, teamID: credentials.teamID) },
            unknownTokens: configuration.unknownTokens,
            variants: configuration.variants
        )
        let state = MockState(configuration: configuration, world: world, keyring: keyring, credentials: credentials)
        let tls = try context(credentials)
        let channel = try await listen(state, tls, Array(credentials.authority.utf8), ConnectionLog(logger))
        return MockServer(credentials: credentials, state: state, channel: channel)
    }

    private static func context(_ credentials: MockCredentials) throws(MockStartError) -> TLSContext {
        do throws(TLSError) {
            return try TLSContext.server(
                certificatePEM: credentials.serverCertificatePEM, privateKeyPEM: credentials.serverKeyPEM,
                takesOthers: true, refusesExpiredClientCertificates: true)
        } catch {
            throw MockStartError(code: .unusableCertificate, description: "The mock cannot start: \(error.detail).")
        }
    }

    private static func listen(
        _ state: MockState, _ tls: TLSContext, _ clientAuthority: [UInt8], _ logger: ConnectionLog
    ) async throws(MockStartError) -> any Channel {
        let configuration = state.configuration
        let door = Door(limits: configuration.limits, connections: state.connections, logger: logger)
        do {
            return try await ServerBootstrap(group: MockThreads.group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer(door.prepare)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 * 1024))
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try door.letIn()
                        let connection = try makeConnection(state, tls, clientAuthority, logger)
                        state.connections.add(connection, on: channel)
                        if configuration.roundTrip > .zero {
                            let distance = DistanceHandler(roundTrip: configuration.roundTrip)
                            try channel.pipeline.syncOperations.addHandler(distance)
                        }
                        try channel.pipeline.syncOperations.addHandler(connection)
                    }
                }
                .bind(host: configuration.listenAddress, port: configuration.port)
                .get()
        } catch {
            throw MockStartError(listening: error, configuration)
        }
    }

    private static func makeConnection(
        _ state: MockState, _ tls: TLSContext, _ clientAuthority: [UInt8], _ logger: ConnectionLog
    ) throws -> ServerConnection {
        let configuration = state.configuration
        var limits = HTTP2Session.Limits(
            settings: ServerConnection.settings(streams: configuration.streamsBeforeAuthentication)
        )
        limits.bodyBytes = configuration.bodyBytes
        limits.take(configuration.limits)
        limits.notesFrames = true
        limits.refusesEarlyStreams = configuration.variants.refusesEarlyStreams
        let wire = HTTP2OverTLS(
            tls: try TLSSession(context: tls),
            http2: try HTTP2Session(role: .server, limits: limits, announces: false))
        return ServerConnection(
            number: state.records.open(at: .now), wire: wire, clientAuthority: clientAuthority, state: state,
            logger: logger)
    }

    /// Says goodbye to every connection, closes, and ends every wait.
    public func stop() async {
        try? await channel.close()
        await state.connections.stopAll()
        state.journal.stop()
        state.records.stop()
    }

    // MARK: What arrived

    /// Everything that has arrived, oldest first, as far as the log reaches back.
    public var arrivals: [Arrival] { state.journal.all }

    /// How many requests have arrived since the start.
    public var arrivalCount: Int { state.journal.total }

    /// How many connections were made since the start.
    public var connectionCount: Int { state.records.total }

    /// Everything that arrives, from the oldest kept arrival on, as it comes.
    public var arrivalSequence: Arrivals { Arrivals(journal: state.journal) }

    /// What has arrived from a number on, by the handful: for a log that is written in bursts.
    ///
    /// - Parameters:
    ///   - number: The how many-th since the start, from 1. Where it gave way already, the oldest that is kept is first.
    ///   - count: How many at the most.
    /// - Returns: At least one, waiting for it; `nil` when the mock has stopped or the task was cancelled.
    package func arrivals(from number: Int, atMost count: Int) async -> [Arrival]? {
        try? await state.journal.arrivals(from: number, atMost: count)
    }

    /// Waits for the request with a number.
    ///
    /// - Parameters:
    ///   - number: The how many-th since the start, from 1.
    ///   - duration: How long to wait at the most.
    /// - Returns: The request and its verdict.
    /// - Throws: ``MockWaitError``.
    public func arrival(_ number: Int, within duration: Duration = .seconds(10)) async throws -> Arrival {
        try await state.journal.arrival(from: number, before: .now() + TimeAmount(duration))
    }

    /// Forgets what has arrived; the numbers go on.
    public func clearArrivals() {
        state.journal.removeAll()
    }

    // MARK: What it knows and does

    /// Makes a device known, or known otherwise.
    public func register(_ device: Device) {
        state.change { $0.devices.register(device) }
    }

    /// Lets a device token be dead for its topic: 410 `Unregistered`.
    ///
    /// - Parameters:
    ///   - token: The device token.
    ///   - since: Since when; now by default.
    public func unregister(_ token: DeviceToken, since: Moment? = nil) {
        let since = since ?? .now
        state.change { $0.devices.unregister(token, since: since) }
    }

    /// Accepts the provider tokens of another key from now on.
    ///
    /// - Parameters:
    ///   - pem: A `.p8`, or a public key in PEM.
    ///   - key: What the key is called and may do.
    /// - Throws: ``MockStartError`` when the key cannot be used.
    public func trust(pem: [UInt8], as key: TrustedKey) throws(MockStartError) {
        do throws(KeyError) {
            let verifyingKey = try VerifyingKey(pem: pem)
            state.trust(key) { $0.trust(verifyingKey, id: key.keyID) }
        } catch {
            throw MockStartError(code: .unusableKey, description: "The key \(key.keyID) cannot be trusted: \(error)")
        }
    }
}

extension MockStartError {
    init(listening error: any Error, _ configuration: MockConfiguration) {
        let place = "\(configuration.listenAddress):\(configuration.port)"
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            self.init(
                code: .portInUse,
                description: "Something already listens on \(place): choose another port, or 0 for any that is free."
            )
        } else {
            let why = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            self.init(
                code: .cannotListen,
                description: "The mock cannot listen on \(place) (\(why)): name an address of this machine."
            )
        }
    }
}
