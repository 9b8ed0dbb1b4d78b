internal import Hummingbird
public import Logging
public import MockAPNs
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
internal import PushHTTP
internal import PushPlatform
internal import ServiceLifecycle

/// The REST API of a mock: what arrived, faults, devices, clock, namespaces.
///
///     let mock = try await MockServer.start()
///     let console = try await MockConsole.start(for: mock)
///     // curl http://127.0.0.1:\(console.port)/v1/pushes
///     await console.stop()
///
/// `docs/mock-api.md` describes the API.
public final class MockConsole: Sendable {
    /// The port that the console listens on.
    public let port: Int
    /// Resumes when a client has asked to stop the mock.
    public var stopRequests: AsyncStream<Void> { api.stopRequests }

    /// The maximum time that a connection may stay without a request. After it, the console closes the connection.
    private static let idleTime = TimeAmount.seconds(75)
    /// The maximum number of connections. They take no more than half of the process's files: Dispatch ends a process in which it cannot open
    /// one. The oldest connection ends for each more.
    private static var maximumConnections: Int { min(10_000, (SystemLimit.openFiles.current ?? .max) / 2) }
    /// How long a stop waits for connections that are being written to or read from. Then it closes them: a client can stop
    /// reading in the middle of an answer.
    private static let graceTime = Duration.seconds(2)

    let api: ConsoleAPI
    private let group: ServiceGroup
    private let running: Task<Void, Never>

    private init(port: Int, api: ConsoleAPI, group: ServiceGroup, running: Task<Void, Never>) {
        self.port = port
        self.api = api
        self.group = group
        self.running = running
    }

    /// Starts a console. It accepts connections when this method returns.
    ///
    /// - Parameters:
    ///   - mock: The mock. The console does not stop it.
    ///   - configuration: The configuration of the console.
    ///   - mockConfiguration: The configuration for the mocks of new namespaces.
    ///   - logger: The logger.
    /// - Returns: The running console. Call ``stop()`` to stop it.
    /// - Throws: ``ConsoleStartError``.
    public static func start(
        for mock: MockServer, _ configuration: ConsoleConfiguration = ConsoleConfiguration(),
        mockConfiguration: MockConfiguration = MockConfiguration(),
        logger: Logger = Logger(label: "MockConsole")
    ) async throws(ConsoleStartError) -> MockConsole {
        let namespaces = MockNamespaces(
            mock, configuration: mockConfiguration, opener: configuration.envelopeOpener, logger: logger)
        let api = ConsoleAPI(namespaces: namespaces, configuration: configuration)
        let (clients, memory) = (ConnectedClients(maximum: maximumConnections), api.memory)
        let (started, whenStarted) = AsyncStream<Int>.makeStream()
        let failure = NIOLockedValueBox<(any Error)?>(nil)
        var quiet = logger
        quiet.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<ChannelContext> { request, context in
                await api.respond(to: request, from: clients.client(on: context.channel))
            },
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        UnreadableRequest(), ContinueHandler(), UpgradeRefusal(), ClientWatch(clients),
                        RequestPacing(clients, memory),
                    ],
                    idleTimeout: idleTime)),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listenAddress, port: configuration.port), serverName: nil),
            onServerRunning: { whenStarted.yield($0.localAddress?.port ?? 0) },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            logger: quiet)
        var services = ServiceGroupConfiguration(services: [.init(service: application)], logger: quiet)
        services.maximumGracefulShutdownDuration = graceTime
        let group = ServiceGroup(configuration: services)
        let running = Task {
            do { try await group.run() } catch { failure.withLockedValue { $0 = error } }
            whenStarted.finish()
        }
        for await port in started {
            return MockConsole(port: port, api: api, group: group, running: running)
        }
        throw ConsoleStartError(
            listening: failure.withLockedValue { $0 }, on: "\(configuration.listenAddress):\(configuration.port)")
    }

    /// Stops the console and the mocks of its namespaces. Requests that wait are ended.
    public func stop() async {
        api.end()
        await group.triggerGracefulShutdown()
        await running.value
        await api.namespaces.stopOthers()
    }
}

extension ConsoleStartError {
    fileprivate init(listening error: (any Error)?, on endpoint: String) {
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            self.init(.portInUse, "Another program already listens on \(endpoint), the port for the API.")
        } else {
            let why = error.map { MockStartError.cause(of: $0) } ?? ""
            self.init(.cannotListen, "The API can't listen on \(endpoint) (\(why)).")
        }
    }
}

extension MockConsole {
    /// The names of the scenarios that need no file.
    public static var readyScenarios: [String] { ReadyScenarios.all.map(\.name) }

    /// Activates a ready scenario. It replaces the active one. `POST /v1/reset` returns to it.
    ///
    /// - Parameter name: One of ``readyScenarios``.
    /// - Throws: ``MockScenarioError`` if there is none with this name.
    public func play(_ name: String) throws(MockScenarioError) {
        do { try api.namespaces.main.stage.play(try ReadyScenarios.named(name), isOfTheStart: true) } catch {
            throw MockScenarioError(error)
        }
    }

    /// Activates a scenario from a file. It replaces the active one. If it has a mistake, the old one stays active.
    /// `POST /v1/reset` returns to it.
    ///
    /// - Parameters:
    ///   - text: The content of the file, in YAML or JSON.
    ///   - name: The name of the scenario, if the text has none.
    /// - Throws: ``MockScenarioError``, with line and column.
    public func play(_ text: [UInt8], name: String) throws(MockScenarioError) {
        do {
            let scenario = try Scenario(try YAMLReader.read(text), name: name)
            try api.namespaces.main.stage.play(scenario, isOfTheStart: true)
        } catch {
            throw MockScenarioError(error)
        }
    }
}
