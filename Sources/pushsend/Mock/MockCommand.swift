import ArgumentParser
import Logging
import MockAPNs
import PushPlatform
import PushProvider

struct MockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock",
        abstract: "Run a mock of APNs on this machine. It checks the requests of any sender.",
        discussion: """
            Example:
              pushsend mock

            In another terminal:
              pushsend send 5f3ad1c07b9e4286 --mock --topic com.example.app -m Hello

            It needs no configuration. It keeps its CA, certificate and key in the state folder and uses them again at \
            the next start. Received notifications and registered devices are not stored. A second mock at the same \
            time needs its own --state. The key id is always \(MockCredentials.keyID) and the team id always \
            \(MockCredentials.teamID), so test configurations can contain them.

            Clients can use a certificate instead of a provider token, if the mock's CA has issued it. With --certs, the \
            mock uses the CA, certificate and keys in a folder that certs.example/make.sh created. The script also creates \
            .p12 files.

            Limits protect the mock. When a client exceeds one, the mock closes its connection and names the limit in \
            the GOAWAY and in the log. For load tests, --limit none removes the limits. --limit NAME=VALUE sets one limit to \
            a number, a time with its unit, or none:
            \(MockLimitArgument.table)
            """,
        subcommands: [MockReadyCommand.self]
    )

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var listen = "127.0.0.1"

    @Option(help: ArgumentHelp("The port to listen on; 0 for any free port.", valueName: "port|0"))
    var port = APNSHost.alternatePort

    @Option(
        help: ArgumentHelp("Add a host name or address to the mock's certificate. Repeatable.", valueName: "host")
    )
    var name: [String] = []

    @Option(
        name: [.short, .customLong("environment")],
        help: ArgumentHelp(
            "Which of Apple's servers to simulate.", valueName: "environment")
    )
    var environment: EnvironmentArgument = .sandbox

    @Option(
        name: .customLong("unknown-tokens"),
        help: ArgumentHelp("What to do with device tokens that are not registered.", valueName: "accept|reject")
    )
    var unknownTokens: UnknownTokensArgument = .accept

    @Option(
        help: ArgumentHelp(
            "Register a device token, for all topics or for one. Repeatable.", valueName: "token[:topic]")
    )
    var register: [String] = []

    @Option(help: ArgumentHelp("Answer 410 Unregistered for this device token. Repeatable.", valueName: "token"))
    var unregistered: [String] = []

    @Option(
        help: ArgumentHelp("keys: verify provider tokens; any: accept every provider token.", valueName: "keys|any"))
    var auth: AuthArgument = .keys

    @Option(
        name: .customLong("trust-key"),
        help: ArgumentHelp(
            "Also accept provider tokens of this key: a .p8 or a public key. Needs --team-id and --key-id. Repeatable.",
            valueName: "file"),
        completion: .file()
    )
    var trustedKeys: [String] = []

    @Option(
        name: .customLong("key-id"),
        help: ArgumentHelp("The key id of each --trust-key, in the same order.", valueName: "id"))
    var keyIDs: [String] = []

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("The team id of each --trust-key, in the same order.", valueName: "id"))
    var teamIDs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Use the CA, certificate and keys in this folder: ca.pem, server.pem, server.key, AuthKey_<id>.p8, team-id.txt.",
            valueName: "dir"),
        completion: .directory
    )
    var certs: String?

    @Option(
        name: .customLong("channel-ports"),
        help: ArgumentHelp(
            "The ports that manage broadcast channels, of the sandbox and of production; Apple's are 2195,2196. Default: any free ports.",
            valueName: "port,port"))
    var channelPorts: ChannelPortsArgument?

    @Option(
        name: .customLong("round-trip"),
        help: ArgumentHelp(
            "Simulate network latency: delay everything that the mock sends by this time.", valueName: "duration")
    )
    var roundTrip: DurationArgument?

    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp(
            "Set or remove a limit on clients; see above. Repeatable.",
            valueName: "name=value|none"), transform: MockLimitArgument.init
    )
    var limits: [MockLimitArgument] = []

    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "Inject a fault: JSON, or a file with one or more. docs/faults.md lists all faults. Repeatable.",
            valueName: "file|json"),
        completion: .file()
    )
    var faults: [String] = []

    @Option(
        name: .customLong("early-streams"),
        help: ArgumentHelp(
            "What to do with streams above the limit that a client opens before it has acknowledged SETTINGS.",
            valueName: "serve|refuse")
    )
    var earlyStreams: EarlyStreamsArgument = .serve

    @OptionGroup var state: StateFolderOption

    @Flag(help: "Print JSON lines: one when the mock is ready, then one for each request.")
    var json = false

    @Flag(name: [.short, .long], help: "Do not print the requests.")
    var quiet = false

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("--port must be from 0 to 65535.") }
        if certs != nil && !name.isEmpty {
            throw ValidationError("--name has no effect with --certs: the certificate comes from the folder. Omit one.")
        }
        if trustedKeys.count != teamIDs.count || (!keyIDs.isEmpty && keyIDs.count != trustedKeys.count) {
            throw ValidationError(
                "Each --trust-key needs its --team-id, and its --key-id unless the file is named AuthKey_<id>.p8.")
        }
    }

    func run() async throws {
        do {
            try await serve()
        } catch {
            throw CommandFailure.from(error)
        }
    }

    private func serve() async throws {
        let faults = try self.faults.flatMap(FaultArgument.read)
        let stateFolder = try state.path
        OpenFiles.allowAsManyAsPossible()
        // Lock the folder before the credentials are made: those of a running mock must not be replaced.
        let hold = try StateFolderHold(stateFolder)
        let credentials =
            try certs.map { try MockCredentials.supplied(in: $0) }
            ?? MockCredentials.kept(in: stateFolder, names: name)
        let mock = try await MockServer.start(configuration, credentials: credentials, logger: logger)
        for (index, file) in trustedKeys.enumerated() { try trust(file, index, on: mock) }
        try registerDevices(on: mock)
        for fault in faults { try mock.inject(fault) }
        // From here on, Ctrl-C must clean up.
        let interrupt = Interrupt()
        let note = try leaveNote(mock, in: stateFolder)
        let folder = certs == nil ? credentials.files?.folder : nil
        let report = MockReport(
            mock: mock, environment: environment, stateFolder: folder ?? stateFolder, json: json)
        let printing = Task {
            let isRead = await Self.tell(report, isQuiet: quiet)
            if !isRead { interrupt.request() }
            return isRead
        }
        await interrupt.wait()
        note.remove(from: stateFolder)
        await mock.stop()
        withExtendedLifetime(hold) {}
        if await printing.value, !json {
            Output.note(
                "\(Self.count(mock.arrivalCount, "request")) on \(Self.count(mock.connectionCount, "connection")). Stopped."
            )
        }
    }

    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Prints requests until the mock stops or the reader has closed the pipe.
    private static func tell(_ start: MockReport, isQuiet: Bool) async -> Bool {
        var report = start
        guard report.ready() else { return false }
        if isQuiet { return true }
        // With a slow reader, only the batch that is being written and the mock's log are in memory.
        var next = 1
        while let arrivals = await report.mock.arrivals(from: next, atMost: 1000), let last = arrivals.last {
            guard report.tell(arrivals) else { return false }
            next = last.number + 1
        }
        return true
    }

    // MARK: Configuration

    private var configuration: MockConfiguration {
        var configuration = MockConfiguration()
        configuration.listenAddress = listen
        configuration.port = port
        configuration.sandboxChannelsPort = channelPorts?.sandbox ?? 0
        configuration.productionChannelsPort = channelPorts?.production ?? 0
        configuration.environment = environment == .sandbox ? .sandbox : .production
        configuration.authentication = auth == .any ? .any : .trustedKeys
        configuration.unknownTokens = unknownTokens == .accept ? .accept : .reject
        configuration.roundTrip = roundTrip?.duration ?? .zero
        configuration.variants.refusesEarlyStreams = earlyStreams == .refuse
        for limit in limits { limit.apply(to: &configuration.limits) }
        configuration.remedyText = \.textWithFlags
        return configuration
    }

    private var logger: Logger {
        Logger(label: "mock") { label in
            var handler = TerminalLog(label: label)
            handler.logLevel = .notice
            return handler
        }
    }

    private func trust(_ file: String, _ index: Int, on mock: MockServer) throws {
        guard let pem = try? Data(contentsOf: URL(filePath: file)) else {
            throw CommandFailure(
                status: .noSuchFile, message: "There is no key file \"\(file)\", or it cannot be read.")
        }
        guard let keyID = keyIDs.isEmpty ? ProviderKey.keyID(inFileName: file) : keyIDs[index] else {
            throw CommandFailure.usage("--trust-key \(file) needs its --key-id: its name is not AuthKey_<id>.p8.")
        }
        for (name, id) in [("--key-id", keyID), ("--team-id", teamIDs[index])] {
            guard let problem = ProviderKey.problem(in: id) else { continue }
            throw CommandFailure.usage("The \(name) \"\(id)\" of --trust-key \(file) \(problem).")
        }
        if let nameID = ProviderKey.keyID(inFileName: file), nameID == teamIDs[index], nameID != keyID {
            throw CommandFailure.usage(
                "--key-id and --team-id of --trust-key \(file) are swapped: \(nameID) is the key id.")
        }
        do {
            try mock.trust(pem: Array(pem), as: TrustedKey(keyID: keyID, teamID: teamIDs[index]))
        } catch {
            throw CommandFailure(status: .credentials, message: "\"\(file)\": \(error)")
        }
    }

    private func registerDevices(on mock: MockServer) throws {
        do throws(DeviceTokenError) {
            for text in register {
                let parts = text.split(separator: ":", maxSplits: 1)
                let topics = parts.count == 2 ? [String(parts[1])] : []
                mock.register(Device(token: try DeviceToken(String(parts.first ?? "")), topics: Set(topics)))
            }
            for text in unregistered { mock.unregister(try DeviceToken(text)) }
        } catch {
            throw CommandFailure(status: .invalidInput, message: error.description)
        }
    }

    private func leaveNote(_ mock: MockServer, in stateFolder: String) throws -> MockNote {
        let note = MockNote(
            host: MockReport.reachableHost(mock.host), port: mock.port, environment: environment.rawValue,
            processID: getpid(), authorityFile: mock.credentials.files?.authority ?? "",
            keyFile: mock.credentials.files?.p8 ?? "", keyID: mock.credentials.keyID, teamID: mock.credentials.teamID,
            channelsPort: mock.channelsPort(of: environment == .sandbox ? .sandbox : .production)
        )
        do {
            try note.leave(in: stateFolder)
        } catch {
            throw CommandFailure.unwritable(stateFolder: stateFolder)
        }
        return note
    }
}

/// Two ports, as in `2195,2196`.
struct ChannelPortsArgument: ExpressibleByArgument {
    var sandbox: Int
    var production: Int

    init?(argument: String) {
        let ports = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard ports.count == 2, let sandbox = ports[0], let production = ports[1],
            [sandbox, production].allSatisfy((0...65_535).contains), sandbox != production || sandbox == 0
        else { return nil }
        (self.sandbox, self.production) = (sandbox, production)
    }
}

enum UnknownTokensArgument: String, ExpressibleByArgument, CaseIterable {
    case accept
    case reject
}

enum EarlyStreamsArgument: String, ExpressibleByArgument, CaseIterable {
    case serve
    case refuse
}

enum AuthArgument: String, ExpressibleByArgument, CaseIterable {
    case keys
    case any
}
