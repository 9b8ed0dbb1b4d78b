import ArgumentParser
import PushProvider

struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Sends a campaign: a push for each line of a file or of standard input.",
        discussion: """
            Example, with a file people.csv whose first line is "token,ref,name":
              pushsend batch people.csv -e production --topic com.example.app \\
                --payload '{"aps":{"alert":"Hello {{name|there}}"}}' --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ

            What most campaigns need, beside the flags of "pushsend send":
              --dry-run            check every line, send nothing
              --mock               rehearse against a running "pushsend mock"
              --sample 100         the first lines only
              --rate 500/s         no faster than this
              --report page.html   the summary as a page with charts
              --yes                do not ask before production

            Lines are JSON objects ({"token":"5f3ad1c07b9e4286", "ref":7, "vars":{"name":"Ann"}}), CSV with a header, or bare device \
            tokens. A line may have its own payload, topic, push_type, priority, collapse_id, expires, apns_id and \
            registered_at. What becomes of each stands in people.csv.pushsend/results.jsonl.

            It can be ended at any moment, by Ctrl-C or kill -9, with --durable also by a power cut: the same command goes on \
            where it was, and sends nothing twice. See docs/batch.md.

            Exit codes: 0 every line has its outcome (rejections are outcomes), 75 some were not sent and the same command \
            sends them, 130 ended by Ctrl-C, and those of "pushsend --help".
            """
    )

    @Argument(
        help: ArgumentHelp("The files with the lines, - for standard input.", valueName: "file"),
        completion: .file())
    var files: [String] = []

    @OptionGroup(title: "The campaign") var campaign: CampaignOptions
    @OptionGroup(title: "What to send") var payloadOptions: PayloadOptions
    @OptionGroup(title: "With what to sign") var signerOptions: SignerOptions
    @OptionGroup(title: "Or with a certificate") var identityOptions: IdentityOptions
    @OptionGroup(title: "Where to") var targetOptions: TargetOptions
    @OptionGroup(title: "How Apple should treat it") var headers: HeaderOptions

    func validate() throws {
        if files.isEmpty {
            throw ValidationError("There is no input: give a file with the lines, or - for standard input.")
        }
        if files.contains("") {
            throw ValidationError("The name of an input is empty: give a file with the lines, or - for standard input.")
        }
        if files.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once: give - once.")
        }
        if headers.apnsID != nil {
            throw ValidationError("--apns-id names one notification: give each line its own \"apns_id\".")
        }
        let isTakenElsewhere =
            payloadOptions.payload == "-" || signerOptions.readsStandardInput
            || identityOptions.passphrase.readsStandardInput
        if files.contains("-"), isTakenElsewhere {
            throw ValidationError("Standard input holds the lines: give payload, key and passphrase as files.")
        }
    }

    mutating func run() async throws {
        do {
            let identity = try identity()
            let plan = try await CampaignPlan(self, identity?.certificate)
            if campaign.dryRun { return try await plan.check(with: identity.map { .identity($0) }) }
            let signer = try identity.map { .identity($0, curlFlags: []) } ?? signerOptions.signer()
            try await plan.askForProduction(with: identity.map { .identity($0) })
            try await plan.send(signer)
        } catch {
            throw CommandFailure.from(error)
        }
    }

    private func identity() throws -> PushIdentity? {
        guard let source = try identityOptions.source(beside: signerOptions) else { return nil }
        var reader = try IdentityReader(source, identityOptions.passphrase, mayAsk: !campaign.json && Prompt.isPossible)
        return try reader.read()
    }
}
