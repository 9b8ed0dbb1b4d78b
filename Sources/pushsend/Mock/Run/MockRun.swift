import APNSVocabulary
import Logging
import MockAPNs
import MockConsole
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider
import VirtualPhones

/// A mock that this process runs, with its API and its state folder.
final class MockRun: Sendable {
    let mock: MockServer
    /// The API; `nil` if it is switched off.
    let console: MockConsole?
    /// The folder with the note of the mock, for `--mock`.
    let stateFolder: String
    let note: MockNote

    private let hold: StateFolderHold
    /// Reads the files of the scenario and the phones again when they change.
    private let following: [Task<Void, Never>]

    /// The state folder to show: the folder of the credentials, if they are in it.
    var shownFolder: String {
        guard let folder = mock.credentials.files?.folder, AbsolutePath.of(stateFolder) == folder else {
            return stateFolder
        }
        return folder
    }

    private init(
        mock: MockServer, console: MockConsole?, stateFolder: String, note: MockNote, hold: StateFolderHold,
        following: [Task<Void, Never>]
    ) {
        self.following = following
        self.mock = mock
        self.console = console
        self.stateFolder = stateFolder
        self.note = note
        self.hold = hold
    }

    /// Starts a mock and its API, and writes the note by which other commands find them.
    static func start(
        _ options: MockOptions, _ ports: MockPorts, _ consoleOptions: ConsoleOptions, stateFolder: String,
        ledger: RunLedger? = nil
    ) async throws -> MockRun {
        let faults = try options.faults.flatMap { try FaultArgument.read($0) }
        let accessToken = try consoleOptions.accessToken()
        let instance = UUID().uuidString.lowercased()
        OpenFiles.allowAsManyAsPossible()
        // Lock the folder before the credentials are made: those of a running mock must not be replaced.
        let hold = try StateFolderHold(stateFolder)
        let credentials =
            try options.certs.map { try MockCredentials.supplied(in: $0) }
            ?? MockCredentials.kept(in: stateFolder, names: options.name)
        var configuration = try options.configuration()
        ports.apply(to: &configuration)
        configuration.ledger = ledger
        let mock = try await startMock(configuration, credentials, options, ports)
        do {
            try options.trustKeys(on: mock)
            try options.registerDevices(on: mock)
            for fault in faults { try mock.inject(fault) }
            mock.rememberStart()
            let console = try await startConsole(
                consoleOptions, options, ports, accessToken, mock, configuration, stateFolder: stateFolder,
                instance: instance,
                mayStop: ledger == nil)
            let setup: [SetupFile]
            do {
                setup = try console.map { try consoleOptions.setUp($0) } ?? []
            } catch {
                await console?.stop()
                throw error
            }
            let note: MockNote
            do {
                var files = (authority: credentials.files?.authority ?? "", key: credentials.files?.p8 ?? "")
                if options.certs != nil { files = try SuppliedCopies.make(credentials, in: stateFolder) }
                note = MockNote(
                    mock, console, files, environment: options.environment, accessToken: accessToken,
                    instance: instance)
                try note.leave(in: stateFolder)
            } catch {
                await console?.stop()
                throw CommandFailure.unwritable(stateFolder: stateFolder)
            }
            return MockRun(
                mock: mock, console: console, stateFolder: stateFolder, note: note, hold: hold,
                following: setup.map { file in Task { await file.follow() } })
        } catch {
            await mock.stop()
            throw error
        }
    }

    private static func startMock(
        _ configuration: MockConfiguration, _ credentials: MockCredentials, _ options: MockOptions, _ ports: MockPorts
    ) async throws -> MockServer {
        do {
            return try await MockServer.start(configuration, credentials: credentials, logger: options.logger)
        } catch let error as MockStartError where error.code == .portInUse {
            throw CommandFailure(.cannotConnect, "\(error.description) Use \(ports.flag(of: error.port)).")
        }
    }

    private static func startConsole(
        _ options: ConsoleOptions, _ mockOptions: MockOptions, _ ports: MockPorts, _ accessToken: String?,
        _ mock: MockServer, _ mockConfiguration: MockConfiguration, stateFolder: String, instance: String, mayStop: Bool
    ) async throws -> MockConsole? {
        guard !options.isOff else { return nil }
        if accessToken == nil, !mockConfiguration.listensOnLoopback {
            Output.complain(
                """
                warning: anyone who can connect to \(mockOptions.listen.address) can use the mock's API and read its keys. \
                Give it an access token with --access-token-file or PUSHSEND_MOCK_TOKEN, or turn the API off with \
                --no-console.
                """)
        }
        var configuration = ConsoleConfiguration()
        configuration.listenAddress = mockOptions.listen.address
        configuration.port = ports.console ?? MockPorts.defaultConsole
        configuration.names = mockOptions.name + [ProcessInfo.processInfo.hostName]
        configuration.accessToken = accessToken
        configuration.envelopeOpener = .ofKeyFiles
        configuration.version = ProgramVersion.number
        configuration.instance = instance
        configuration.mayStop = mayStop
        configuration.abilities = PageAbilities.all(mock.credentials, stateFolder: stateFolder)
        func start() async throws(ConsoleStartError) -> MockConsole {
            try await MockConsole.start(
                for: mock, configuration, mockConfiguration: mockConfiguration, logger: mockOptions.logger)
        }
        do throws(ConsoleStartError) {
            return try await start()
        } catch  where error.code == .portInUse && ports.console == nil && !ports.areUsual {
            configuration.port = 0
        } catch {
            let flag = error.code == .portInUse ? " Use --console-port." : ""
            throw CommandFailure(.cannotConnect, error.description + flag)
        }
        do throws(ConsoleStartError) {
            return try await start()
        } catch {
            throw CommandFailure(.cannotConnect, error.description)
        }
    }

    /// Waits until a client asks to stop the mock.
    ///
    /// - Returns: `false` if there is no API, or the task was cancelled.
    func stopWasRequested() async -> Bool {
        guard let console else { return false }
        for await _ in console.stopRequests { return true }
        return false
    }

    /// Stops the API and the mock, and removes the note.
    func stop() async {
        for task in following { task.cancel() }
        note.remove(from: stateFolder)
        await console?.stop()
        await mock.stop()
        withExtendedLifetime(hold) {}
    }
}

extension MockNote {
    init(
        _ mock: MockServer, _ console: MockConsole?, _ files: (authority: String, key: String),
        environment: EnvironmentArgument, accessToken: String?, instance: String
    ) {
        let host = mock.host
        self.init(
            host: MockReport.reachableHost(host), port: mock.port, environment: environment.rawValue,
            processID: getpid(), authorityFile: files.authority, keyFile: files.key, keyID: mock.credentials.keyID,
            teamID: mock.credentials.teamID,
            channelsPort: mock.channelsPort(of: environment == .sandbox ? .sandbox : .production),
            consoleHost: ["0.0.0.0", "::"].contains(host) ? (host == "::" ? "::1" : "127.0.0.1") : host,
            consolePort: console?.port, accessToken: console == nil ? nil : accessToken,
            instance: instance)
    }
}

extension PhoneEnvelopeOpener {
    /// The maximum size of a key file that is read, in bytes. A key has 44 characters.
    private static let maximumKeyBytes = 4096

    /// Opens sealed payloads with the keys in files, as a service extension would.
    static let ofKeyFiles = PhoneEnvelopeOpener { envelope, keyFile in
        guard let bytes = LocalFile.read(keyFile, atMost: maximumKeyBytes)?.bytes,
            let key = String(validating: bytes, as: UTF8.self)
        else {
            return .failure(Failure("there is no key file, or it can't be read"))
        }
        let parts = envelope.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return .failure(Failure("it wasn't sealed with PushProvider")) }
        do throws(PushSealingError) {
            let sealed = PushPayload(json: PushJSONValue.object(["sealed": .string(envelope)]).encoded)
            let opened = try sealed.opened(with: try PushPayload.SealingKey(id: String(parts[1]), base64: key))
            return .success(opened.bytes)
        } catch {
            return .failure(Failure(error.description))
        }
    }
}
