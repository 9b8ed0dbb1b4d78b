import ArgumentParser
import PushCommandLine
internal import PushJSON
internal import PushLint
import PushPlatform
import PushProvider

struct ChannelSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a broadcast to all subscribers of a channel.",
        discussion: """
            Example:
              pushsend channel send dHN0LXNyY2gtY2hubA== --topic com.example.app --mock \\
                --template live-activity-update

            The payload is an update or the end of a Live Activity, as for a device, with at most 5120 bytes. A broadcast \
            can't start a Live Activity.
            """)

    // Not needed for --template list.
    @Argument(help: ArgumentHelp("The id of the channel, in base64.", valueName: "channel"))
    var channel: String?

    @OptionGroup(title: "Payload") var payloadOptions: PayloadOptions

    @Option(
        help: ArgumentHelp(
            "10: deliver immediately; 5: save power; 1: save as much power as possible.", valueName: "10|5|1"),
        completion: .list(["10", "5", "1"]))
    var priority: Int?

    @Option(
        help: ArgumentHelp(
            """
            How long Apple tries to deliver: once, a duration such as 2h, an ISO date and time, or UNIX seconds. \
            Default: once. Only a channel that stores the newest broadcast accepts another value.
            """, valueName: "when"),
        completion: .list(["once", "1h", "8h"]))
    var expires: ExpiresArgument?

    @Option(help: ArgumentHelp("The id of the request.", valueName: "uuid"))
    var requestID: String?

    @Flag(help: "Send the payload without checking it against the lint rules.")
    var noLint = false

    @OptionGroup var options: ChannelOptions

    func run() async throws {
        if payloadOptions.asksForTemplates { return Output.print(ReadyPayload.list) }
        guard let channel else { throw CommandFailure.usage("There is no channel: give its id, in base64.") }
        if expires?.expiration.form == .apnsDefault {
            throw CommandFailure.usage(
                "--expires apple isn't possible for a broadcast: give --expires once, or a duration such as 2h.")
        }
        let id = try ChannelOptions.channel(channel)
        let composed = try payloadOptions.composed()
        let session = try ChannelSession(options, manages: false)
        try check(composed, session)
        let broadcast = PushBroadcast(
            to: id, bundleID: session.bundleID, payload: composed.payload,
            priority: priority.map(PushPriority.init(rawValue:)) ?? .immediate,
            expiration: expiration, requestID: try uuid())
        var configuration = session.configuration
        configuration.checksNotifications = !noLint
        let client = try PushClient(
            environment: session.target.environment, credentials: session.signer.credentials,
            configuration: configuration, logger: session.logger)
        let (outcome, interrupted) = await Interrupt.cancelling {
            await client.outcome(of: broadcast, timeout: session.timeout)
        }
        await client.shutdown(drainTime: .seconds(interrupted ? 0 : 5))
        if outcome.isAccepted, !options.json {
            _ = Output.offer(painted: session.report.text(outcome, colours: Output.resultsHaveColours))
            Output.exit(.success)
        }
        session.exit(with: outcome, interrupted: interrupted)
    }

    /// Checks the payload as a broadcast.
    private func check(_ composed: ComposedPayload, _ session: ChannelSession) throws {
        let check = MessageCheck(composed, name: payloadOptions.file, session.identity, isOff: noLint)
        try check.refuseUnreadable()
        var context = LintContext(
            priority: priority.map(PushPriority.init(rawValue:)), expiration: expires?.expiration, now: Date())
        context.broadcast = LintContext.Broadcast(hasNotificationID: false)
        context.payloadByteCount = composed.payload.bytes.count
        _ = try check.refuseInvalid(context)
    }

    private var expiration: PushExpiration {
        expires?.expiration ?? .once
    }

    private func uuid() throws -> UUID? {
        guard let requestID else { return nil }
        guard let id = UUID(uuidString: requestID) else {
            throw CommandFailure.usage(
                "\"\(requestID.printable)\" isn't a request id: use a UUID with 8-4-4-4-12 hex digits.")
        }
        return id
    }
}
