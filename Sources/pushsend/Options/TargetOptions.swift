import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

struct TargetOptions: ParsableArguments {
    @Option(
        name: [.short, .customLong("environment")],
        help: ArgumentHelp(
            "sandbox for apps run from Xcode; production for TestFlight, ad hoc and the App Store.",
            valueName: "environment"
        )
    )
    var environment: EnvironmentArgument?

    @Option(help: ArgumentHelp("Send to this server instead of Apple.", valueName: "host:port"))
    var endpoint: EndpointArgument?

    @Option(
        help: ArgumentHelp("Apple's other port, 2197, for networks that block 443.", valueName: "port"),
        completion: .list(["2197", "443"]))
    var port: Int?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust only the certificate authorities in this PEM file.", valueName: "file"),
        completion: .file()
    )
    var authorities: String?

    @Flag(
        name: .customLong("no-alpn"),
        help: """
            Use HTTP/2 even if the server doesn't negotiate it in the TLS handshake (ALPN), as some test servers don't. \
            Needs --endpoint.
            """)
    var noALPN = false

    @Option(
        help: ArgumentHelp(
            "Connect through this HTTP proxy; '' for none. Default: HTTPS_PROXY and NO_PROXY.", valueName: "url"))
    var proxy: String?

    /// Returns the server, and the proxy to it.
    ///
    /// - Parameters:
    ///   - signer: The options that choose a mock.
    ///   - certificate: The certificate, which may be for one environment only.
    ///   - settings: The settings.
    ///   - topic: The topic, if it is known. It chooses the environment if nothing else does.
    /// - Returns: The server.
    /// - Throws: ``CommandFailure`` if the options contradict each other.
    func target(
        signer: SignerOptions, _ certificate: PushCertificate?, _ settings: Settings, topic: String? = nil
    ) throws -> Target {
        var target =
            try signer.mock ? mockTarget(try signer.state.path) : serverTarget(signer, certificate, settings, topic)
        try target.environment.validate()
        target.proxy = try ProxyChoice(
            option: proxy, setting: settings[.proxy], to: target.environment, isMock: signer.mock)
        return target
    }

    private func serverTarget(
        _ signer: SignerOptions, _ certificate: PushCertificate?, _ settings: Settings, _ topic: String?
    ) throws -> Target {
        if signer.state.folder != nil {
            throw CommandFailure.usage(StateFolderOption.needsMock)
        }
        if endpoint != nil && environment != nil {
            throw CommandFailure.usage(notTogether("--endpoint", "--environment"))
        }
        try settings.refuseOtherServer(isChosen: endpoint != nil || environment != nil)
        let endpoint = try endpoint ?? endpoint(of: settings)
        let isFileEndpoint = self.endpoint == nil && endpoint != nil && settings.server?.endpoint?.origin.isFile == true
        let file = authorities ?? settings.authorities(forFileEndpoint: isFileEndpoint)
        let trust: PushEnvironment.Trust
        do { trust = try Self.trust(file) } catch let failure as CommandFailure {
            throw file.map { settings.locating(failure, ofFile: $0) } ?? failure
        }
        if let endpoint {
            if port != nil {
                throw CommandFailure.usage(
                    "--port is only for Apple's hosts: give the port with --endpoint HOST:PORT.")
            }
            let environment = PushEnvironment(
                host: endpoint.host, port: endpoint.port, trust: trust, requiresALPN: !noALPN)
            if let certificate, !certificate.isTaken(by: environment) {
                throw CommandFailure.usage(
                    "\(environment) doesn't accept the certificate \"\(certificate)\": use another one.")
            }
            return Target(environment: environment, authoritiesFile: file)
        }
        if noALPN { throw Self.noALPNIsForEndpoints }
        let chosen = try environment ?? environment(of: settings)
        let only = certificate.flatMap(Self.onlyEnvironment)
        if let chosen, let only, chosen != only {
            throw CommandFailure.usage(
                "The certificate is for the \(only) environment, not for \(chosen): leave out -e, or use another certificate."
            )
        }
        // Passes, websites and managed devices have no builds of Xcode, so nothing of them is in the sandbox.
        let special = topic.flatMap(SpecialTopic.init)
        let fallback: EnvironmentArgument = special == nil ? .sandbox : .production
        var environment: PushEnvironment = (chosen ?? only ?? fallback) == .production ? .production : .sandbox
        environment.trust = trust
        environment.port = try applePort(settings)
        let note: String? =
            switch (chosen, only) {
            case (.some, _): nil
            case (nil, let only?): "Sending to the \(only) environment of the certificate."
            case (nil, nil) where special != nil:
                "Sending to production, because the topic is \(special == .wallet ? "Wallet's" : "not that of an app"); for the sandbox use -e sandbox."
            case (nil, nil): "Sending to the sandbox; for TestFlight and the App Store use -e production."
            }
        return Target(environment: environment, authoritiesFile: file, note: note)
    }

    /// Whether no environment of Apple is chosen, by an option, a variable or the certificate.
    func isUndecided(signer: SignerOptions, _ certificate: PushCertificate?, _ settings: Settings) -> Bool {
        guard !signer.mock, environment == nil, endpoint == nil, certificate.flatMap(Self.onlyEnvironment) == nil else {
            return false
        }
        // An invalid value is reported later.
        return settings.server == nil
    }

    private static var noALPNIsForEndpoints: CommandFailure {
        .usage(
            "--no-alpn is only for your own test server, with --endpoint. Apple's servers and the mock use ALPN."
        )
    }

    /// Returns the environment of a certificate that is for only one of Apple's environments.
    private static func onlyEnvironment(_ certificate: PushCertificate) -> EnvironmentArgument? {
        guard certificate.services.count == 1 else { return nil }
        return certificate.services.contains(.production) ? .production : .sandbox
    }

    private func applePort(_ settings: Settings) throws -> Int {
        guard let text = port.map(String.init) ?? settings.value(.port) else { return APNSHost.port }
        let given = Int(text)
        guard let number = given, [APNSHost.port, APNSHost.alternatePort].contains(number) else {
            throw CommandFailure.usage(
                "Apple listens on the ports \(APNSHost.port) and \(APNSHost.alternatePort), not on \(text.printable); "
                    + "for your own server, use --endpoint HOST:\(given.map(String.init) ?? "PORT").")
        }
        return number
    }

    private func mockTarget(_ folder: String) throws -> Target {
        if endpoint != nil || environment != nil || authorities != nil || port != nil {
            throw CommandFailure.usage(
                "--mock sets the server and its CA: leave out --endpoint, --port, --environment and --cacert."
            )
        }
        if noALPN { throw Self.noALPNIsForEndpoints }
        let note = try MockNote.ofRunningMock(on: folder)
        let environment = PushEnvironment(host: note.host, port: note.port, trust: try Self.trust(note.authorityFile))
        return Target(environment: environment, authoritiesFile: note.authorityFile)
    }

    static func trust(_ file: String?) throws -> PushEnvironment.Trust {
        guard let file else { return .apple }
        do throws(PushCredentialsError) { return try .authorities(file: file) } catch {
            var failure = CommandFailure(error)
            if error.code == .unusableAuthorities { failure.message += " --cacert needs one." }
            throw failure
        }
    }

    private func endpoint(of settings: Settings) throws -> EndpointArgument? {
        guard environment == nil, let setting = settings.server?.endpoint else { return nil }
        return try rethrowing(try EndpointArgument(setting.value)) { (error: EndpointArgument.Mistake) in
            CommandFailure.usage(
                "\(setting.origin.description) is \"\(setting.value)\", which isn't HOST:PORT. \(error.advice)")
        }
    }

    private func environment(of settings: Settings) throws -> EnvironmentArgument? {
        guard let setting = settings.server?.environment else { return nil }
        guard let environment = EnvironmentArgument(argument: setting.value) else {
            throw CommandFailure.usage(
                "\(setting.origin.description) is \"\(setting.value)\": use sandbox or production.")
        }
        return environment
    }
}

/// The server to send to, from the options.
struct Target: Sendable {
    var environment: PushEnvironment
    /// The file of the trusted CAs, instead of those of the system.
    var authoritiesFile: String?
    /// A note for the user about how the server was chosen.
    var note: String?
    var proxy = ProxyChoice.none
    /// Whether it is a server of Apple, however it was chosen: real devices can receive the push.
    var isApple: Bool { environment.isApples }
}
