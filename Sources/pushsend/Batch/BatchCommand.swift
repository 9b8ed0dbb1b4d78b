import ArgumentParser
import PushCommandLine
internal import PushPlatform
import PushProvider

struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Send a campaign: one push for each line of a file or of standard input.",
        discussion: """
            Example, with a file people.csv whose first line is "token,ref,name":
              pushsend batch people.csv -e production --topic com.example.app \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
                --payload '{"aps":{"alert":"Hello {{name|there}}"}}'

            What most campaigns need, in addition to the flags of "pushsend send":
              --dry-run            check every line, send nothing
              --mock               rehearse against a running "pushsend mock"
              --sample 100         send only the first 100 lines
              --rate 500/s         send at most 500 a second
              --report page.html   write the summary as a page with charts
              --yes                don't ask before sending to production

            Lines are JSON objects such as {"token":"5f3ad1c07b9e4286", "ref":7, "vars":{"name":"Ann"}}, CSV with a header, or \
            device tokens alone. A line can have its own payload, topic, push_type, priority, collapse_id, expires, \
            apns_id and registered_at. The outcome of each line is written to people.csv.pushsend/results.jsonl.

            You can interrupt a campaign at any time with Ctrl-C or kill -9; with --durable, it also survives a power \
            cut. To resume, run the same command again: it continues where it stopped, and sends nothing twice.
            Guide: \(Documentation.address(of: "docs/batch.md"))

            Exit codes: \(ExitStatus.success.code) every line has an outcome (a rejection is one), \
            \(ExitStatus.tryAgain.code) some lines weren't sent and the same command will send them, \
            \(ExitStatus.interrupted.code) interrupted by Ctrl-C, and those of "pushsend --help".
            """
    )

    @Argument(
        help: ArgumentHelp("The files with the lines; - for standard input.", valueName: "file"),
        completion: .file())
    var files: [String] = []

    @OptionGroup var profileOption: ProfileOption
    @OptionGroup(title: "Campaign") var campaign: CampaignOptions
    @OptionGroup(title: "Payload") var payloadOptions: PayloadOptions
    @OptionGroup(title: "Credentials: a key") var signerOptions: SignerOptions
    @OptionGroup(title: "Credentials: a certificate") var identityOptions: IdentityOptions
    @OptionGroup(title: "Server") var targetOptions: TargetOptions
    @OptionGroup(title: "Request headers") var headers: HeaderOptions

    func validate() throws {
        if files.isEmpty {
            throw ValidationError("There is no input: give a file with the lines, or - for standard input.")
        }
        if files.contains("") {
            throw ValidationError("The name of an input is empty: give a file with the lines, or - for standard input.")
        }
        if let token = files.first(where: {
            FileKind(path: $0) == nil && $0.utf8.count >= 32 && (try? DeviceToken($0)) != nil
        }) {
            throw ValidationError(
                "\"\(token.prefix(8))...\" is a device token, and batch takes files: use pushsend send for one device.")
        }
        if files.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once: give - once.")
        }
        if headers.apnsID != nil {
            throw ValidationError("--apns-id names one notification: give each line its own \"apns_id\".")
        }
        let isTakenElsewhere =
            payloadOptions.payload == "-" || signerOptions.readsStandardInput
            || identityOptions.passphrase.readsStandardInput(.variables())
        if files.contains("-"), isTakenElsewhere {
            throw ValidationError("Standard input has the lines: give the payload, key and passphrase as files.")
        }
    }

    mutating func run() async throws {
        let settings = try profileOption.settings()
        var reader = try identityOptions.reader(
            beside: signerOptions, settings, mayAsk: !campaign.json && Prompt.isPossible)
        let identity = try reader?.read()
        let plan = try await CampaignPlan(
            CampaignPlan.Arguments(
                files: files, campaign: campaign, payloadOptions: payloadOptions, signerOptions: signerOptions,
                targetOptions: targetOptions, headers: headers, certificate: identity?.certificate,
                settings: settings))
        let check = CampaignCheck(plan: plan)
        let credentials = identity.map { PushCredentials.identity($0) }
        if campaign.dryRun {
            // A given key must be valid. Without a key, the lines can still be checked.
            if identity == nil, signerOptions.hasOwnKey(settings) { _ = try signerOptions.signer(settings) }
            return try await check.run(with: credentials)
        }
        let signer = try identity.map { .identity($0, from: nil) } ?? signerOptions.signer(settings)
        try await check.refuseMisspelt()
        try await check.askForProduction(with: credentials)
        try await plan.send(signer)
    }
}
