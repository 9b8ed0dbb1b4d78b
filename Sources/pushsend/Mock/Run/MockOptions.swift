import ArgumentParser
import Logging
import MockAPNs
import PushCommandLine
import PushPlatform
import PushProvider

/// The options of every command that starts a mock.
struct MockOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The address to listen on, such as 127.0.0.1 or ::1.", valueName: "address"))
    var listen = ListenArgument(address: "127.0.0.1")

    @Option(
        help: ArgumentHelp("Add a host name or address to the mock's certificate. Repeatable.", valueName: "host")
    )
    var name: [String] = []

    @Option(
        name: [.short, .customLong("environment")],
        help: ArgumentHelp(
            "Which of Apple's servers to mock.", valueName: "environment")
    )
    var environment: EnvironmentArgument = .sandbox

    @Option(help: ArgumentHelp("What to do with device tokens that aren't registered.", valueName: "accept|reject"))
    var unknownTokens: UnknownTokensArgument = .accept

    @Option(
        help: ArgumentHelp(
            "Register a device token, for all topics or for one. Repeatable.", valueName: "token[:topic]"),
        completion: .nicknames
    )
    var register: [String] = []

    @Option(
        help: ArgumentHelp("Answer 410 Unregistered for this device token. Repeatable.", valueName: "token"),
        completion: .nicknames
    )
    var unregistered: [String] = []

    @Option(
        help: ArgumentHelp("keys: verify provider tokens; any: accept every provider token.", valueName: "keys|any"))
    var auth: AuthArgument = .keys

    @Option(
        name: .customLong("trust-key"),
        help: ArgumentHelp(
            "Also accept provider tokens of this key: a .p8 or a public key. Needs --team-id; and --key-id, unless the file is named AuthKey_<id>.p8. Repeatable.",
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
        help: ArgumentHelp(
            "Simulate network latency: delay everything that the mock sends by this time.", valueName: "duration"))
    var roundTrip: DurationArgument?

    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp(
            "Set a limit on clients, such as connections=20000 or unread-time=none; none alone lifts most. Repeatable.",
            valueName: "name=value|none"), transform: MockLimitArgument.init
    )
    var limits: [MockLimitArgument] = []

    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "Inject a fault: JSON, or a file with one or more, in JSON or YAML. Repeatable.",
            valueName: "file|json"),
        completion: .file()
    )
    var faults: [String] = []

    @Option(
        help: ArgumentHelp(
            "What to do with streams above the limit that a client opens before it has acknowledged SETTINGS.",
            valueName: "serve|refuse"))
    var earlyStreams: EarlyStreamsArgument = .serve

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change how the mock behaves where the behaviour of APNs is uncertain, as in idle_time=30s. Repeatable.",
            valueName: "name=value"), transform: MockSettingArgument.init
    )
    var settings: [MockSettingArgument] = []

    @Option(
        name: .customLong("facts"),
        help: ArgumentHelp(
            "Answer as the server did in this file of \"pushsend verify --save\". --set takes precedence.",
            valueName: "file"),
        completion: .file()
    )
    var factsFile: String?

    @Flag(
        help: ArgumentHelp(
            "As a proxy, also relay connections to hosts other than Apple's. Only on a loopback address."))
    var proxyOthers = false

    @Flag(help: "Treat magic device tokens like all others. \"pushsend mock env\" lists them.")
    var noMagic = false

    @Option(help: ArgumentHelp("How many requests to keep. Default: 10,000. The oldest are dropped.", valueName: "n"))
    var logCount: Int?

    /// How many bytes the log has for each request that `--log-count` asks for, on average. Beyond it, the oldest are dropped.
    private static let logBytesEach = 2048

    func validate() throws {
        if let logCount, !(1...10_000_000).contains(logCount) {
            throw ValidationError("--log-count must be from 1 to 10000000.")
        }
        if certs != nil && !name.isEmpty {
            throw ValidationError(
                "--name has no effect with --certs: the certificate comes from the folder. Leave one out.")
        }
        if trustedKeys.count != teamIDs.count || (!keyIDs.isEmpty && keyIDs.count != trustedKeys.count) {
            throw ValidationError(
                "Each --trust-key needs its --team-id, and its --key-id unless the file is named AuthKey_<id>.p8.")
        }
    }

    // MARK: Configuration

    /// Returns the configuration, without the ports.
    ///
    /// - Throws: ``CommandFailure`` if the file of `--facts` can't be used.
    func configuration() throws -> MockConfiguration {
        var configuration = MockConfiguration()
        configuration.listenAddress = listen.address
        configuration.environment = environment == .sandbox ? .sandbox : .production
        configuration.acceptsAnyKey = auth == .any
        configuration.acceptsMagicTokens = !noMagic
        configuration.relaysOtherHosts = proxyOthers
        if let logCount {
            configuration.logCount = logCount
            configuration.logBytes = max(configuration.logBytes, logCount * Self.logBytesEach)
        }
        configuration.unknownTokens = unknownTokens == .accept ? .accept : .reject
        configuration.roundTrip = roundTrip?.duration ?? .zero
        configuration.variants.refusesEarlyStreams = earlyStreams == .refuse
        for limit in limits { limit.apply(&configuration.limits) }
        var chosen = configuration.settings
        if let factsFile { try FactsFile(path: factsFile).apply(to: &chosen) }
        // Each was checked when it was parsed.
        for setting in settings { try? setting.apply(to: &chosen) }
        configuration.settings = chosen
        configuration.remedyText = \.textWithFlags
        return configuration
    }

    var logger: Logger { Logger(label: "mock") { TerminalLog(label: $0, level: .notice) } }

    func trustKeys(on mock: MockServer) throws {
        for (index, file) in trustedKeys.enumerated() { try trust(file, index, on: mock) }
    }

    private func trust(_ file: String, _ index: Int, on mock: MockServer) throws {
        guard let pem = try? KeyFile(path: file) else {
            throw CommandFailure(.noSuchFile, "There is no key file \"\(file)\", or it can't be read.")
        }
        guard let keyID = keyIDs.isEmpty ? PushProviderKey.keyID(inFileName: file) : keyIDs[index] else {
            throw CommandFailure.usage("--trust-key \(file) needs its --key-id: its name isn't AuthKey_<id>.p8.")
        }
        for (name, id) in [("--key-id", keyID), ("--team-id", teamIDs[index])] {
            guard let problem = PushProviderKey.problem(in: id) else { continue }
            throw CommandFailure.usage("The \(name) \"\(id)\" of --trust-key \(file) \(problem).")
        }
        if let nameID = PushProviderKey.keyID(inFileName: file), nameID == teamIDs[index], nameID != keyID {
            throw CommandFailure.usage(
                "--key-id and --team-id of --trust-key \(file) are swapped: \(nameID) is the key id.")
        }
        do {
            try mock.trust(pem: pem.bytes, as: MockTrustedKey(keyID: keyID, teamID: teamIDs[index]))
        } catch {
            throw CommandFailure(.credentials, "\"\(file)\": \(error)")
        }
    }

    func registerDevices(on mock: MockServer) throws {
        let registered = try register.map { text in
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            return (try Settings.defaultToken(parts.first ?? ""), parts.count == 2 ? [parts[1]] : [])
        }
        let inactive = try unregistered.map(Settings.defaultToken)
        do throws(DeviceTokenError) {
            for (token, topics) in registered {
                mock.register(MockDevice(token: try DeviceToken(pasted: token), topics: Set(topics)))
            }
            for token in inactive { mock.unregister(try DeviceToken(pasted: token)) }
        } catch {
            throw CommandFailure(.invalidInput, error.description)
        }
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
