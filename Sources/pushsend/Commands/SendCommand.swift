import ArgumentParser
import PushProvider

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends one push, to one device or a few.",
        discussion: """
            Example:
              pushsend send 5f3a...07 --topic com.example.app -m Hello \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ

            A device token may be pasted as the app printed it, in brackets or with the words before it. On a terminal, \
            what is missing is asked for: "pushsend send" alone is enough for a first push.

            Edit a payload and send it each time it is saved, until Ctrl-C:
              pushsend send 5f3a...07 --payload payload.apns --watch

            What is always the same can come from the environment, for example PUSHSEND_KEY, PUSHSEND_TEAM_ID, \
            PUSHSEND_TOPIC, PUSHSEND_TOKEN, PUSHSEND_ENVIRONMENT.
            """
    )

    @Argument(help: ArgumentHelp("The device token, hex as the app printed it. Repeatable.", valueName: "token"))
    var tokens: [String] = []

    @OptionGroup(title: "What to send") var payloadOptions: PayloadOptions
    @OptionGroup(title: "With what to sign") var signerOptions: SignerOptions
    @OptionGroup(title: "Where to") var targetOptions: TargetOptions
    @OptionGroup(title: "How Apple should treat it") var headers: HeaderOptions
    @OptionGroup(title: "How to run") var how: RunOptions

    mutating func run() async throws {
        if how.watch, payloadOptions.file == nil {
            throw CommandFailure.usage("--watch watches a file: give one with --payload FILE.")
        }
        try askForWhatIsMissing()
        let mark = payloadOptions.file.flatMap(FileMark.init)
        let message = try Message(self)
        let notifications = try message.notifications()
        let target = try targetOptions.target(signer: signerOptions)
        let signer = try signerOptions.signer()
        if let note = target.note { Output.note(note) }
        if how.asCurl { return CurlCommand(target: target, signer: signer).show(notifications) }
        if how.dryRun {
            return DryRun(place: target.place, signer: signer).show(how.rounds(of: notifications), json: how.json)
        }
        let isOne = notifications.count == 1
        let report = SendReport(
            json: how.json, isOne: isOne, explainsAll: isOne && !how.isLasting, host: target.place.host)
        let sender = try PushSender(target, signer, report, how)
        let course = how.course(of: notifications, message, payloadOptions.file, mark)
        let (tally, interrupted) = try await Interrupt.cancelling { await course(sender) }
        await sender.client.shutdown(drainTime: .seconds(interrupted ? 0 : 5))
        finish(tally, target, interrupted: interrupted)
    }

    private func finish(_ tally: SendTally, _ target: Target, interrupted: Bool) -> Never {
        if !how.json, tally.count > 1 || how.isLasting { Output.note(tally.summary) }
        if signerOptions.mock, tally.worst == .cannotConnect {
            Output.note("Is the mock still running? Start it in another terminal with \"pushsend mock\".")
        }
        Output.exit(interrupted ? .interrupted : tally.worst)
    }
}
