public import APNSVocabulary
public import Logging
internal import NIOCore
internal import NIOPosix
public import PushPlatform
internal import PushWire

/// A local mock of APNs: a real HTTP/2 server over TLS that checks each request against Apple's documentation.
///
///     let mock = try await MockServer.start()
///     // point the sender under test at mock.host, mock.port, mock.credentials
///     let arrival = try await mock.arrival(1, within: .seconds(5))
///     await mock.stop()
///
/// All operations of a test on the mock are methods of this type. An extension has those of each kind.
public final class MockServer: Sendable {
    /// The address that the mock listens on.
    public let host: String
    /// The port that the mock listens on.
    public let port: Int
    /// The certificate authority that a client must trust, and a key that the mock accepts.
    public let credentials: MockCredentials

    let state: MockState
    private let listeners: [Listener]

    /// A port that the mock listens on, and what it serves there.
    private struct Listener: Sendable {
        var api: ServedAPI
        var channel: any Channel
    }

    private init(credentials: MockCredentials, state: MockState, listeners: [Listener]) {
        let address = listeners.first?.channel.localAddress
        host = address?.ipAddress ?? state.configuration.listenAddress
        port = address?.port ?? state.configuration.port
        self.credentials = credentials
        self.state = state
        self.listeners = listeners
    }

    /// Returns the port that manages the broadcast channels of an environment.
    ///
    /// - Parameter environment: The environment.
    /// - Returns: The port; `nil` if the mock has none.
    public func channelsPort(of environment: MockEnvironment) -> Int? {
        listeners.first { $0.api == .channels(environment) }?.channel.localAddress?.port
    }

    /// The text of a remedy, in the words of the program that runs the mock: for example with its flags.
    package func text(of remedy: MockRemedy) -> String { state.configuration.remedyText(remedy) }

    // MARK: Life

    /// Starts a mock. The mock accepts connections when this method returns.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the mock.
    ///   - credentials: The credentials of the mock. By default, new ones are created in memory.
    ///   - logger: The logger for connections that end with an error.
    /// - Returns: The running mock. Call ``stop()`` to stop it.
    /// - Throws: ``MockStartError`` or ``MockCredentialsError``.
    public static func start(
        _ configuration: MockConfiguration = MockConfiguration(),
        credentials: MockCredentials? = nil,
        logger: Logger = Logger(label: "MockAPNs")
    ) async throws -> MockServer {
        guard !configuration.relaysOtherHosts || configuration.listensOnLoopback else {
            throw MockStartError(
                .openProxy,
                """
                The mock relays connections to other hosts only while it listens on a loopback address, \
                not on \(configuration.listenAddress). Otherwise anyone could connect through it.
                """)
        }
        let credentials = try credentials ?? .inMemory()
        var keyring = Keyring()
        keyring.trust(credentials.verifyingKey, id: credentials.keyID)
        for other in credentials.otherKeys { keyring.trust(other.key, id: other.id) }
        let keyIDs = [credentials.keyID] + credentials.otherKeys.map(\.id)
        var apns = APNSState(
            environment: configuration.environment,
            authentication: configuration.acceptsAnyKey ? .any : .trustedKeys,
            trustedKeys: keyIDs.map { MockTrustedKey(keyID: $0, teamID: credentials.teamID) },
            unknownTokens: configuration.unknownTokens,
            variants: configuration.variants
        )
        apns.authorities = [try MockAuthority(pem: Array(credentials.authority.utf8))]
        let state = MockState(configuration: configuration, apns: apns, keyring: keyring, credentials: credentials)
        let tls = try context(credentials)
        var ports: [(api: ServedAPI, port: Int)] = [(.pushes, configuration.port)]
        if let port = configuration.sandboxChannelsPort { ports.append((.channels(.sandbox), port)) }
        if let port = configuration.productionChannelsPort { ports.append((.channels(.production), port)) }
        var listeners: [Listener] = []
        do {
            for (api, port) in ports {
                let channel = try await listen(api, port, state, tls, ConnectionLog(logger))
                listeners.append(Listener(api: api, channel: channel))
            }
        } catch {
            for listener in listeners { try? await listener.channel.close() }
            throw error
        }
        return MockServer(credentials: credentials, state: state, listeners: listeners)
    }

    private static func context(_ credentials: MockCredentials) throws(MockStartError) -> TLSContext {
        return try rethrowing(
            try TLSContext(
                certificatePEM: credentials.server.certificate, privateKeyPEM: credentials.server.key,
                acceptsOthers: true, refusesExpiredClientCertificates: true)
        ) { (error: TLSError) in
            MockStartError(.unusableCertificate, "The mock can't start: \(error.detail).")
        }
    }

    /// The bytes of the largest record (RFC 8446 section 5.2). The mock answers after each read. Larger reads would be fewer, but then
    /// the client waits while the mock works and the other way round: with 256 KiB, a sixth fewer requests per second.
    private static let largestRecord = 5 + 16_384 + 256

    private static func listen(
        _ api: ServedAPI, _ port: Int, _ state: MockState, _ tls: TLSContext, _ logger: ConnectionLog
    ) async throws(MockStartError) -> any Channel {
        let configuration = state.configuration
        // A simulated round trip takes longer than all reads, and the window is returned once for several.
        let isFar = configuration.roundTrip > .zero
        let (bytes, reads): (Int, UInt) = isFar ? (64 * 1024, 4) : (largestRecord, 1)
        let gate = ConnectionGate(configuration: configuration, connections: state.connections, logger: logger)
        do {
            return try await ServerBootstrap(group: MockThreads.group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer(gate.prepare)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: bytes))
                .childChannelOption(.maxMessagesPerRead, value: reads)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try gate.admit()
                        let connection = try makeConnection(api, state, tls, logger)
                        state.connections.add(connection, on: channel)
                        if isFar {
                            let distance = DistanceHandler(roundTrip: configuration.roundTrip)
                            try channel.pipeline.syncOperations.addHandler(distance)
                        }
                        if api == .pushes {
                            // The end of the channel releases its handlers. A weak reference would make each request slower.
                            let proxy = ConnectHandler(relaysOthers: configuration.relaysOtherHosts) {
                                connection.connectRequested(to: $0)
                            }
                            try channel.pipeline.syncOperations.addHandler(proxy)
                        }
                        try channel.pipeline.syncOperations.addHandler(connection)
                    }
                }
                .bind(host: configuration.listenAddress, port: port)
                .get()
        } catch {
            throw MockStartError(listening: error, on: configuration.listenAddress, port)
        }
    }

    private static func makeConnection(
        _ api: ServedAPI, _ state: MockState, _ tls: TLSContext, _ logger: ConnectionLog
    ) throws -> ServerConnection {
        let configuration = state.configuration
        var limits = HTTP2Session.Limits(
            settings: ServerConnection.settings(
                streams: configuration.variants.streamsBeforeAuthentication, configuration.variants))
        limits.bodyBytes = configuration.bodyBytes
        limits.apply(configuration.limits)
        limits.notesFrames = true
        limits.refusesEarlyStreams = state.apns.variants.refusesEarlyStreams
        let wire = HTTP2OverTLS(
            tls: try TLSSession(context: tls),
            http2: try HTTP2Session(role: .server, limits: limits, announces: false))
        let place = ConnectionPlace(state: state, number: state.records.open(at: .now))
        return ServerConnection(place, api: api, wire: wire, logger: logger)
    }

    /// Sends GOAWAY on every connection, closes it, and ends every wait.
    public func stop() async {
        for listener in listeners { try? await listener.channel.close() }
        await state.connections.stopAll()
        state.leaveUnmatched()
        state.journal.stop()
        state.records.stop()
    }

    // MARK: What arrived

    /// The requests in the log, oldest first.
    public var arrivals: [MockArrival] { state.journal.all }

    /// The number of requests that have arrived since the start.
    public var arrivalCount: Int { state.journal.total }

    /// The number of connections since the start.
    public var connectionCount: Int { state.records.total }

    /// The requests as they arrive, beginning with the oldest one in the log.
    ///
    /// The sequence ends when the mock stops. A loop that is too slow misses the requests that the log has dropped.
    public var arrivalSequence: some AsyncSequence<MockArrival, Never> & Sendable {
        MockArrivals(journal: state.journal)
    }

    /// Waits for the request with the given number.
    ///
    /// - Parameters:
    ///   - number: The number of the request since the start, from 1.
    ///   - duration: The maximum time to wait.
    /// - Returns: The request and its verdict.
    /// - Throws: ``MockWaitError``, also if the request is no longer in the log.
    public func arrival(_ number: Int, within duration: Duration = .seconds(10)) async throws -> MockArrival {
        let arrival = try await state.journal.arrival(from: number, before: .now() + TimeAmount(duration))
        guard arrival.number == number else {
            throw MockWaitError(
                code: .dropped,
                description: "Request \(number) isn't in the log any more. The next one there is \(arrival.number).")
        }
        return arrival
    }

    /// Removes all requests from the log. The numbering continues.
    public func clearArrivals() {
        state.journal.removeAll()
    }

    // MARK: What it knows and does

    /// Registers a device, or replaces the one with the same device token.
    public func register(_ device: MockDevice) {
        state.change { $0.devices.register(device) }
        if device.state == .active { state.noteBehaviour { $0.registered(deviceToken: device.token.hex) } }
    }

    /// The broadcast channels of an app, sorted by id.
    ///
    /// - Parameters:
    ///   - app: The bundle id of the app.
    ///   - environment: The environment of the channels.
    /// - Returns: The channels.
    public func channels(of app: String, in environment: MockEnvironment) -> [MockChannel] {
        state.apns.channels.all(of: app, in: environment)
    }

    /// A broadcast channel of an app; `nil` if there is none with this id.
    package func channel(_ id: String, of app: String, in environment: MockEnvironment) -> MockChannel? {
        state.apns.channels.channel(id, of: app, in: environment)
    }

    /// Marks a device token as unregistered. The mock then answers with 410 `Unregistered`.
    ///
    /// - Parameters:
    ///   - token: The device token.
    ///   - since: The `timestamp` of the answers; now by default.
    public func unregister(_ token: DeviceToken, since: Date? = nil) {
        let since = since ?? state.now
        state.change { $0.devices.unregister(token, since: since) }
    }

    /// Accepts the provider tokens of another key.
    ///
    /// - Parameters:
    ///   - pem: A `.p8` file, or a public key in PEM.
    ///   - key: The ids of the key, and what the key is valid for.
    /// - Throws: ``MockStartError`` when the key cannot be used.
    public func trust(pem: [UInt8], as key: MockTrustedKey) throws(MockStartError) {
        do throws(KeyError) {
            let verifyingKey = try VerifyingKey(pem: pem)
            state.trust(key) { $0.trust(verifyingKey, id: key.keyID) }
        } catch {
            throw MockStartError(.unusableKey, "The key \(key.keyID) can't be trusted: \(error)")
        }
    }
}

extension MockStartError {
    init(listening error: any Error, on address: String, _ port: Int) {
        let endpoint = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            self.init(
                .portInUse,
                "Another program already listens on \(endpoint). Choose another port, or 0 for any free port.",
                port: port)
        } else {
            let why = Self.cause(of: error)
            self.init(.cannotListen, "The mock can't listen on \(endpoint) (\(why)). Give an address of this machine.")
        }
    }

    /// Why a socket cannot listen, in words for people.
    package static func cause(of error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case is SocketAddressError.UnknownHost: "the name can't be resolved"
        default: "\(error)"
        }
    }
}

/// Several mocks behind one port: the key id of a provider token chooses one.
extension MockServer {
    /// Hands requests on this mock's ports to another mock when their provider token has one of these key ids. A connection
    /// moves with its requests: the other mock judges, records and logs them.
    ///
    /// The other mock accepts tokens with these key ids: signed with the key that this mock trusts under the id, or else with
    /// this mock's own key. Faults at the start of a connection are still those of this mock.
    ///
    /// - Parameters:
    ///   - keyIDs: The key ids.
    ///   - other: The other mock.
    /// - Returns: `false` if one of the key ids already chooses another mock. Then nothing changes.
    package func route(keyIDs: [String], to other: MockServer) -> Bool {
        guard state.route(keyIDs, to: other.state) else { return false }
        let trusted = state.apns.trustedKeys
        for id in keyIDs {
            let key = state.keyring.key(id) ?? credentials.verifyingKey
            let known = trusted[id] ?? MockTrustedKey(keyID: id, teamID: credentials.teamID)
            other.state.trust(known) { $0.trust(key, id: id) }
        }
        if !keyIDs.isEmpty { other.state.rememberStart() }
        return true
    }

    /// Ends ``route(keyIDs:to:)`` for another mock.
    package func endRoutes(to other: MockServer) {
        state.endRoutes(to: other.state)
    }

    /// The key ids that choose another mock, sorted.
    package func keyIDs(choosing other: MockServer) -> [String] { state.keyIDs(choosing: other.state) }
}
