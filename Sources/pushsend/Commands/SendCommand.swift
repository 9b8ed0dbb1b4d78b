import ArgumentParser
import Logging
import PushProvider

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends one push, to one device or a few.",
        discussion: """
            Example:
              pushsend send 5f3a...07 --topic com.example.app -m Hello \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ

            A device token may be pasted as the app printed it, in brackets or with the words before it.

            Options can also come from the environment: PUSHSEND_KEY, PUSHSEND_KEY_ID, PUSHSEND_TEAM_ID, \
            PUSHSEND_TOPIC, PUSHSEND_ENVIRONMENT, PUSHSEND_ENDPOINT, PUSHSEND_CACERT, PUSHSEND_STATE.
            """
    )

    @Argument(help: ArgumentHelp("The device token, hex as the app printed it. Repeatable.", valueName: "token"))
    var tokens: [String]

    @OptionGroup(title: "What to send") var payloadOptions: PayloadOptions
    @OptionGroup(title: "With what to sign") var signer: SignerOptions
    @OptionGroup(title: "Where to") var target: TargetOptions
    @OptionGroup(title: "How Apple should treat it") var headers: HeaderOptions

    @Option(help: ArgumentHelp("How long each push may take, with a unit: 30s, 500ms.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(name: .customLong("dry-run"), help: "Check everything and show the request, but do not send it.")
    var dryRun = false

    @Flag(help: "Print one JSON object per device on standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Say what happens on the way.")
    var verbose = false

    func validate() throws {
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be longer than zero.") }
    }

    func run() async throws {
        let notifications = try makeNotifications()
        try refuseInvalid(notifications)
        let (place, placeNote) = try target.place(signer: signer)
        let key = try signer.providerKey()
        if let placeNote { Output.note(placeNote) }
        if dryRun { return DryRun(place: place, key: key).show(notifications, json: json) }
        let client = try makeClient(place, key)
        let report = SendReport(json: json, isOne: notifications.count == 1, host: place.host)
        let timeout = timeout?.duration
        let (statuses, interrupted) = try await Interrupt.cancelling {
            await Self.sendAll(notifications, timeout, with: client, report)
        }
        await client.shutdown(drainTime: .seconds(interrupted ? 0 : 5))
        let status = interrupted ? .interrupted : statuses.max() ?? .accepted
        if signer.mock, status == .cannotConnect {
            Output.note("Is the mock still running? Start it in another terminal with \"pushsend mock\".")
        }
        Output.exit(status)
    }

    // MARK: Before sending

    private func makeNotifications() throws -> [PushNotification] {
        if tokens.count > 1, headers.apnsID != nil {
            throw CommandFailure.usage("--apns-id names one notification: send to one device, or leave it out.")
        }
        let payload = try payloadOptions.pushPayload()
        return try tokens.map { text in
            let pasted: PastedDeviceToken
            do throws(DeviceTokenError) {
                pasted = try PastedDeviceToken(text)
            } catch {
                throw CommandFailure(status: .invalidInput, message: error.description)
            }
            if let note = pasted.note { Output.note("note: \(note)") }
            return try headers.notification(to: pasted.token, payload)
        }
    }

    /// What breaks a rule never leaves the machine; what is only odd is said.
    private func refuseInvalid(_ notifications: [PushNotification]) throws {
        // All of them share payload and headers: one stands for all.
        guard let first = notifications.first else { return }
        let findings = first.findings()
        for finding in findings { Output.complain("\(finding.place): \(finding)") }
        if findings.contains(where: { $0.severity == .error }) {
            throw CommandFailure(status: .invalidInput, message: "")
        }
        if payloadOptions.payload != nil, headers.pushType == nil || headers.priority == nil {
            Output.note("Push type \(first.effectivePushType), priority \(first.effectivePriority).")
        }
    }

    private func makeClient(_ place: PushEnvironment, _ key: ProviderKey) throws -> PushClient {
        var configuration = PushConfiguration()
        // One host that takes its time is all there is to wait for.
        configuration.connectTimeout = min(configuration.connectTimeout, timeout?.duration ?? configuration.timeout)
        let level: Logger.Level = verbose ? .debug : .critical
        let logger = Logger(label: "pushsend") { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        do {
            return try PushClient(
                environment: place, credentials: .token(key), configuration: configuration, logger: logger)
        } catch {
            throw CommandFailure.from(error)
        }
    }

    // MARK: Sending

    private static func sendAll(
        _ notifications: [PushNotification], _ timeout: Duration?, with client: PushClient, _ report: SendReport
    ) async -> [ExitStatus] {
        await withTaskGroup(of: ExitStatus.self) { group in
            for notification in notifications {
                group.addTask { await send(notification, timeout, with: client, report) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func send(
        _ notification: PushNotification, _ timeout: Duration?, with client: PushClient, _ report: SendReport
    ) async -> ExitStatus {
        do {
            return report.tell(try await client.outcome(of: notification, timeout: timeout), of: notification)
        } catch {
            Output.complain("\(error)")
            return .invalidInput
        }
    }
}
