import ArgumentParser
import NIOCore
import NIOPosix
import PushCommandLine
import PushPlatform
import PushProvider

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        // Without it, argument-parser first reads each command line twice, in search of a request for a completion script.
        _superCommandName: "pushsend",
        abstract: "Send one push to one device, or to a few.",
        discussion: """
            Example:
              pushsend send 5f3ad1c07b9e4286 --topic com.example.app -m Hello \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ

            The same with a profile, which "pushsend profile add" creates:
              pushsend send my-phone -m Hello

            What most pushes need:
              -m, -t TEXT          the text and the title of the alert
              --payload FILE       or a whole payload from a file
              --template KIND      or a ready-made payload; "list" shows all
              --key FILE           the .p8 file from Apple's developer portal
              --key-id, --team-id  its key id and team id
              --topic BUNDLE-ID    the app
              -e production        for TestFlight and the App Store
              --mock               send to a running "pushsend mock" instead
              --dry-run            show the request, send nothing
              --json               print the outcome as JSON

            Paste the device token as the app printed it: brackets and words before it are removed. On a terminal, \
            pushsend asks for what is missing, so "pushsend send" alone is enough for a first push.

            Edit a payload and send it each time it is saved, until Ctrl-C:
              pushsend send 5f3ad1c07b9e4286 --payload payload.apns --watch

            Ready-made payloads, to send or to start from:
              pushsend send --template list
              pushsend send 5f3ad1c07b9e4286 --template live-activity-start
              pushsend send --template rich -m "Look at this" --save payload.json

            Environment variables can replace the options that never change: PUSHSEND_KEY, PUSHSEND_TEAM_ID, \
            PUSHSEND_TOPIC, PUSHSEND_TOKEN, PUSHSEND_ENVIRONMENT.

            Flags override variables, and variables override profiles.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The device token, in hex as the app printed it, or its nickname in a profile. Repeatable.",
            valueName: "token"),
        completion: .nicknames)
    var tokens: [String] = []

    @OptionGroup var profileOption: ProfileOption
    @OptionGroup(title: "Payload") var payloadOptions: PayloadOptions
    @OptionGroup(title: "Credentials: a key") var signerOptions: SignerOptions
    @OptionGroup(title: "Credentials: a certificate") var identityOptions: IdentityOptions
    @OptionGroup(title: "Server") var targetOptions: TargetOptions
    @OptionGroup(title: "Request headers") var headers: HeaderOptions
    @OptionGroup(title: "Run") var how: RunOptions

    var answers = Answers()
    /// What is set besides the options.
    var settings = Settings.variables([:])

    private enum CodingKeys: CodingKey {
        case tokens, profileOption, payloadOptions, signerOptions, identityOptions, targetOptions, headers, how
    }

    /// Whether this is one push, so that nothing else is in flight when its outcome is reported.
    var isOnePush: Bool { tokens.count == 1 && !how.isLasting }

    mutating func run() async throws {
        try await run(on: .singletonMultiThreadedEventLoopGroup, loop: nil)
    }

    /// Runs the command on the thread of the caller.
    mutating func run(on loop: any EventLoop) async throws {
        try await run(on: loop, loop: loop)
    }

    private mutating func run(on threads: any EventLoopGroup, loop: (any EventLoop)?) async throws {
        if payloadOptions.asksForTemplates { return Output.print(ReadyPayload.list) }
        settings = try profileOption.settings()
        tokens = try tokens.map(settings.token)
        try refuseContradictions()
        if let path = how.save { return try save(to: path) }
        try askForSigner()
        var reader = try identityOptions.reader(beside: signerOptions, settings, mayAsk: mayAsk)
        let identity = try reader?.read()
        try askForMessage(identity?.certificate, reader)
        let mark = payloadOptions.file.flatMap(FileMark.init)
        let message = try Message(to: tokens, payloadOptions, headers, how, settings, identity)
        let notifications = try message.notifications()
        let target = try targetOptions.target(
            signer: signerOptions, identity?.certificate, settings, topic: notifications.first?.topic)
        let signer = try identity.map { .identity($0, from: reader) } ?? signerOptions.signer(settings)
        if let note = target.note { Output.note(note) }
        if target.environment.appleService != nil, !how.noLint { message.noteLengths() }
        let course = SendCourse(how, file: payloadOptions.file, mark) { try message.notifications() }
        if how.asCurl { return CurlCommand(target: target, signer: signer).show(notifications) }
        if how.dryRun {
            return DryRun(target: target, signer: signer).show(course.rounds(of: notifications), json: how.json)
        }
        if how.triesOtherEnvironment { try await tryEnvironments(notifications, target, signer, on: threads) }
        let isOne = notifications.count == 1
        let report = SendReport(
            json: how.json, isOne: isOne, explainsAll: isOne && !how.isLasting, host: target.environment.host,
            usesMock: signerOptions.mock, authorities: targetOptions.authorities)
        let sender = try PushSender(target, signer, report, how, on: threads)
        let (tally, interrupted) = await Interrupt.cancelling(on: loop) {
            await course.run(notifications, with: sender)
        }
        await sender.client.shutdown(drainTime: .seconds(interrupted ? 0 : 5))
        if target.environment.appleService != nil { noteLoop() }
        if !interrupted, tally.worst == .success { offerProfile() }
        finish(tally, target, interrupted: interrupted)
    }

    /// The texts that may have lost their quotation marks.
    private var texts: [String] {
        [payloadOptions.message, payloadOptions.title, payloadOptions.subtitle].compactMap(\.self)
    }

    private func refuseContradictions() throws {
        try MistakenTokens.refuse(tokens, texts: texts, settings)
        if how.watch, payloadOptions.file == nil {
            throw CommandFailure.usage("--watch watches a file: give one with --payload FILE.")
        }
        let readers = [
            ("the payload", payloadOptions.payload == "-"), ("the key", signerOptions.readsStandardInput),
            ("the passphrase", identityOptions.passphrase.readsStandardInput(settings)),
        ].filter(\.1).map(\.0)
        if readers.count > 1 {
            throw CommandFailure.usage(
                "Standard input can't be both \(readers[0]) and \(readers[1]): use a file for one.")
        }
    }

    private func save(to path: String) throws {
        let file = SavedFile(path: path, replaces: how.force)
        try PayloadSaving(file: file, headers: headers).save(try payloadOptions.composed())
    }

    /// Suggests the commands that use one connection, if a shell loop opens one after the other.
    private func noteLoop() {
        guard !how.isLasting, let number = RecentSends.ofUser?.add(), RecentSends.isNoteDue(at: number) else { return }
        Output.note(RecentSends.sentence(number))
    }

    /// Offers to save as a profile what the user has typed.
    private func offerProfile() {
        guard mayAsk, answers.areAny, !answers.areEnough, settings.profile == nil else { return }
        ProfileOffer(sentTo: tokens, topic: headers.topic, signerOptions, identityOptions, targetOptions)?.make()
    }

    private func tryEnvironments(
        _ notifications: [PushNotification], _ target: Target, _ signer: Signer, on threads: any EventLoopGroup
    ) async throws {
        guard let notification = notifications.first, notifications.count == 1 else {
            throw CommandFailure.usage("--try-other-environment finds out about one device token: give one.")
        }
        try await EnvironmentTrial(notification, target, signer, how, on: threads).run()
    }

    private func finish(_ tally: SendTally, _ target: Target, interrupted: Bool) -> Never {
        if !how.json, tally.count > 1 || how.isLasting { Output.note(tally.summary) }
        if signerOptions.mock, target.proxy.proxy == nil, tally.worst == .cannotConnect {
            Output.note("Is the mock still running? Start it in another terminal with \"pushsend mock\".")
        }
        Output.exit(interrupted ? .interrupted : tally.worst)
    }
}
