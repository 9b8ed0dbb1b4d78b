import Logging
import PushCommandLine
import PushPlatform
import PushProvider
internal import PushWire

/// One run of `pushsend doctor`: the hops in their order, each as soon as it is known.
struct DoctorRun {
    private let options: DoctorCommand
    private let timeout: Duration

    init(_ options: DoctorCommand) {
        self.options = options
        timeout = options.timeout?.duration ?? .seconds(10)
    }

    /// Checks everything.
    ///
    /// - Parameters:
    ///   - begun: Called once with the server, before the first hop.
    ///   - found: Called with each hop.
    /// - Returns: All hops.
    /// - Throws: ``CommandFailure`` if the options contradict each other, or name no server.
    func run(begun: (String) -> Void, found: (Hop) -> Void) async throws -> Diagnosis {
        let settings = try options.profileOption.settings()
        let signer = try DoctorSigner(options, settings)
        let topic = TestPush.topic(given: options.topic ?? settings.value(.topic), signer.certificate)
        let target = try options.targetOptions.target(
            signer: options.signerOptions, signer.certificate, settings, topic: topic)
        var diagnosis = Diagnosis(server: target.environment.description)
        func add(_ hops: [Hop]) {
            diagnosis.hops += hops
            for hop in hops { found(hop) }
        }
        begun(target.environment.description + (target.environment.appleService.map { " (\($0))" } ?? ""))
        let store = TrustStore.read()
        let isApple = target.environment.appleService != nil
        add(LibraryHops.hops(.here))
        add([LibraryHops.trustStore(store, ownFile: target.authoritiesFile, isApple: isApple), signer.hop])
        guard !options.offline else { return diagnosis }

        let probe = try await ServerProbe(
            target.environment, credentials: signer.credentials, proxy: target.proxy.proxy, timeout: timeout,
            triesAll: options.allAddresses
        ).run()
        let now = Int(Date().timeIntervalSince1970)
        let network = NetworkHops(server: ProbedServer(target, store), now: now).hops(probe)
        add(network)
        let (hop, outcome) = try await tryCredentials(signer, target, topic, probe, network)
        add([hop, ClockHops.hop(outcome, usesToken: signer.certificate == nil, now: Int(Date().timeIntervalSince1970))])
        return diagnosis
    }

    // MARK: Credentials

    private func tryCredentials(
        _ signer: DoctorSigner, _ target: Target, _ topic: String?, _ probe: ProbeReport, _ network: [Hop]
    ) async throws -> (Hop, PushOutcome?) {
        if let refused = probe.paths.first(where: NetworkHops.refusesCertificate) {
            return (AnswerHops.refused(refused), nil)
        }
        // Where one address of several works, the hops of the others have not failed.
        if let failed = network.first(where: { $0.result == .failed }) {
            return (.skipped(.credentials, "\(failed.label) failed."), nil)
        }
        guard let credentials = signer.credentials else {
            let isUnusable = signer.hop.result == .failed
            return (
                isUnusable
                    ? .skipped(.credentials, "The \(signer.hop.name.label) can't be used.") : AnswerHops.noSigner,
                nil
            )
        }
        guard let topic else { return (AnswerHops.noTopic, nil) }
        let outcome = try await outcome(topic, credentials, target)
        let isApple = target.environment.appleService != nil
        return (AnswerHops.hop(outcome, topic: topic, isApple: isApple), outcome)
    }

    private func outcome(_ topic: String, _ credentials: PushCredentials, _ target: Target) async throws -> PushOutcome
    {
        var configuration = PushConfiguration()
        configuration.proxy = target.proxy.proxy
        return try await TestPush.outcome(
            topic: topic, target.environment, credentials, configuration, timeout: timeout, logger: logger)
    }

    private var logger: Logger {
        Logger(label: "pushsend") { TerminalLog(label: $0, level: options.verbose ? .debug : .critical) }
    }
}

/// The server that a probe went to, as far as the results depend on it.
struct ProbedServer: Equatable, Sendable {
    var host: String
    var port: Int
    var isApple: Bool
    /// The file of the trusted authorities, instead of those of the system.
    var authoritiesFile: String?
    /// The proxy, as host and port.
    var proxy: String?
    /// Whether the trust store of the system has the root of Apple's servers.
    var trustsApplesRoot = true
}

extension ProbedServer {
    init(_ target: Target, _ store: TrustStore) {
        self.init(
            host: target.environment.host, port: target.environment.port,
            isApple: target.environment.appleService != nil, authoritiesFile: target.authoritiesFile,
            proxy: target.proxy.proxy.map { "\($0)" }, trustsApplesRoot: store.holdsApplesRoot)
    }

    /// The port of Apple that is not tried first.
    var otherPort: Int { port == APNSHost.port ? APNSHost.alternatePort : APNSHost.port }
}
