import ArgumentParser
import PushProvider

/// Where to send to.
struct TargetOptions: ParsableArguments {
    @Option(
        name: [.short, .customLong("environment")],
        help: ArgumentHelp(
            "sandbox for an app run from Xcode, production for TestFlight, ad hoc and the App Store.",
            valueName: "environment"
        )
    )
    var environment: EnvironmentArgument?

    @Option(
        name: .customLong("endpoint"),
        help: ArgumentHelp("Send to this server instead of Apple's.", valueName: "host:port")
    )
    var endpoint: EndpointArgument?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities in this PEM file, and no others.", valueName: "file")
    )
    var authorities: String?

    /// The place, and what should be said about how it was chosen.
    func place(signer: SignerOptions) throws -> (place: PushEnvironment, note: String?) {
        if signer.mock {
            if endpoint != nil || environment != nil || authorities != nil {
                throw CommandFailure.usage(
                    "--mock says where to send to and whom to trust: leave out --endpoint, --environment and --cacert.")
            }
            return (try mockPlace(signer.state.path), nil)
        }
        if signer.state.folder != nil {
            throw CommandFailure.usage("--state is the folder of a mock: it goes with --mock.")
        }
        if endpoint != nil && environment != nil {
            throw CommandFailure.usage("--endpoint and --environment both say where to send to: give one of them.")
        }
        if let endpoint = try endpoint ?? fallbackEndpoint() {
            return (PushEnvironment(host: endpoint.host, port: endpoint.port, trust: try trust()), nil)
        }
        let chosen = try environment ?? fallbackEnvironment()
        var place: PushEnvironment = chosen == .production ? .production : .sandbox
        place.trust = try trust()
        let note = "Sending to the sandbox; for TestFlight and the App Store use -e production."
        return (place, chosen == nil ? note : nil)
    }

    private func mockPlace(_ folder: String) throws -> PushEnvironment {
        let note = try MockNote.read(folder)
        do {
            return PushEnvironment(host: note.host, port: note.port, trust: try .caFile(note.authorityFile))
        } catch {
            throw CommandFailure(error)
        }
    }

    private func trust() throws -> PushEnvironment.Trust {
        guard let file = authorities ?? Fallback.value("CACERT") else { return .system }
        do {
            return try .caFile(file)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func fallbackEndpoint() throws -> EndpointArgument? {
        guard environment == nil, let text = Fallback.value("ENDPOINT") else { return nil }
        guard let endpoint = EndpointArgument(argument: text) else {
            throw CommandFailure.usage("PUSHSEND_ENDPOINT is \"\(text)\", which is not HOST:PORT.")
        }
        return endpoint
    }

    private func fallbackEnvironment() throws -> EnvironmentArgument? {
        guard let text = Fallback.value("ENVIRONMENT") else { return nil }
        guard let environment = EnvironmentArgument(argument: text) else {
            throw CommandFailure.usage("PUSHSEND_ENVIRONMENT is \"\(text)\": use sandbox or production.")
        }
        return environment
    }
}
