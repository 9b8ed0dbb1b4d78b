import Logging
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// The credentials, the server and the app of a `channel` command.
struct ChannelSession {
    let bundleID: String
    let timeout: Duration?
    let target: Target
    let signer: Signer
    let identity: PushIdentity?
    /// The `apns-request-id` of a request about channels.
    let requestID = UUID()
    private let options: ChannelOptions
    private let settings: Settings

    /// - Parameters:
    ///   - options: The options of the command.
    ///   - manages: Whether the command manages channels. A broadcast goes to the ports for pushes.
    /// - Throws: ``CommandFailure``.
    init(_ options: ChannelOptions, manages: Bool = true) throws {
        self.options = options
        if manages, let port = options.targetOptions.port {
            throw CommandFailure.usage(
                """
                --port \(port) is for pushes and broadcasts. Apple manages channels on port \
                \(APNSHost.sandboxChannelsPort) (sandbox) and \(APNSHost.productionChannelsPort) (production).
                """)
        }
        let settings = try options.profileOption.settings()
        bundleID = try options.bundleID(settings)
        timeout = options.timeout?.duration
        var reader = try options.identityOptions.reader(
            beside: options.signerOptions, settings, mayAsk: Prompt.isPossible && !options.json)
        identity = try reader?.read()
        target = try options.targetOptions.target(signer: options.signerOptions, identity?.certificate, settings)
        self.settings = settings
        signer = try identity.map { .identity($0, from: reader) } ?? options.signerOptions.signer(settings)
        if let note = target.note { Output.note(note) }
    }

    var environmentName: String { target.environment.appleService.map(\.rawValue) ?? target.environment.description }

    /// The client configuration of a command with one request.
    var configuration: PushConfiguration { PushConfiguration(forFewRequestsThrough: target.proxy, within: timeout) }

    var logger: Logger {
        Logger(label: "pushsend") { TerminalLog(label: $0, level: options.verbose ? .debug : .critical) }
    }

    var report: SendReport {
        SendReport(
            json: options.json, isOne: true, explainsAll: true, host: target.environment.host,
            usesMock: options.signerOptions.mock, authorities: options.targetOptions.authorities,
            idHeader: APNSHeader.requestID)
    }

    private func managementEnvironment() throws -> PushEnvironment {
        var environment = target.environment
        if options.signerOptions.mock {
            let folder = try options.signerOptions.state.path
            guard let port = try MockNote.ofRunningMock(on: folder).channelsPort else {
                throw CommandFailure(
                    .cannotConnect, "The running mock manages no channels. It is an older version: restart it.")
            }
            environment.port = port
            return environment
        }
        switch target.environment.appleService {
        case .production: environment = .productionChannels
        case .sandbox: environment = .sandboxChannels
        case nil: break
        }
        environment.trust = target.environment.trust
        return environment
    }

    /// Runs one request about channels, and prints its result: text, or a JSON line.
    func manage(
        _ body: @escaping @Sendable (PushChannels, ChannelSession) async throws -> (String, JSONLine)
    ) async throws {
        let environment = try managementEnvironment()
        // The proxy depends on the host, because of NO_PROXY.
        let proxy = try ProxyChoice(
            option: options.targetOptions.proxy, setting: settings[.proxy], to: environment,
            isMock: options.signerOptions.mock)
        let channels = try PushChannels(
            environment: environment, credentials: signer.credentials,
            configuration: PushConfiguration(forFewRequestsThrough: proxy, within: timeout), logger: logger)
        let (result, interrupted) = await Interrupt.cancelling {
            do {
                return Result<(String, JSONLine), any Error>.success(try await body(channels, self))
            } catch {
                return .failure(error)
            }
        }
        await channels.shutdown(drainTime: .seconds(interrupted ? 0 : 5))
        if case .failure(let outcome as PushOutcome) = result { exit(with: outcome, interrupted: interrupted) }
        var (text, line) = try result.get()
        line["apns_request_id"] = .string(requestID.uuidString.lowercased())
        if options.json { Output.print(line.text) } else if !text.isEmpty { Output.print(text) }
        if interrupted { Output.exit(.interrupted) }
    }

    /// Prints an outcome that is not the wanted result, for people on standard error, and ends the command.
    func exit(with outcome: PushOutcome, interrupted: Bool) -> Never {
        if case .invalid(let findings) = outcome {
            for finding in findings { Output.complain("\(finding)") }
            Output.exit(.invalidInput)
        }
        if options.json {
            var line = JSONLine()
            report.add(outcome, to: &line)
            Output.print(line.text)
        } else {
            Output.note(painted: report.text(outcome, colours: Output.notesHaveColours))
            report.explain(outcome, topic: bundleID)
        }
        Output.exit(interrupted ? .interrupted : report.status(of: outcome))
    }
}
