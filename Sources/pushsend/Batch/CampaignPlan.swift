internal import PushCampaign
internal import PushLint
import PushPlatform
import PushProvider

/// The plan of a campaign: its lines, the values for all of them, and the server.
struct CampaignPlan: Sendable {
    let files: [String]
    let options: CampaignOptions
    let defaults: BatchDefaults
    let target: Target
    /// The facts that identify the campaign in another run, besides its files.
    let facts: [PushCampaignFact]
    let now: Int
    /// When the campaign began, in this or an earlier run, in seconds since 1970.
    let begun: Int
    /// The payload of all lines, with its placeholders; `nil` if each line has its own.
    let payload: [UInt8]?
    /// The rules that the common payload breaks. They were reported before the lines are read.
    let reportedRules: Set<String>

    private let isMock: Bool

    init(_ command: BatchCommand, _ certificate: PushCertificate?, _ settings: Settings) async throws {
        try command.headers.requireLaterExpiration()
        try command.campaign.stopAt?.requireLater(than: Date())
        files = command.files
        options = command.campaign
        now = Int(Date().timeIntervalSince1970)
        isMock = command.signerOptions.mock
        try Self.requireEnvironment(command, certificate, settings)
        target = try command.targetOptions.target(signer: command.signerOptions, certificate, settings)
        try PushBatch.requireFiles(files)
        try Self.requireOnce(files)
        // Lines may have their own payloads. This one is read only once, because it may come from a stream.
        begun = Self.begun(command) ?? now
        let composed =
            command.payloadOptions.isEmpty
            ? nil : try command.payloadOptions.composed(at: Date(timeIntervalSince1970: Double(begun)))
        payload = composed?.payload.bytes
        var defaults = try Self.defaults(command, composed)
        defaults.checksPlaceholders = !command.campaign.noLint
        defaults.topic = try await Self.topic(command, composed, certificate, defaults, settings, now: now)
        self.defaults = defaults
        reportedRules = try Self.check(command, composed, defaults)
        facts =
            [.begun(secondsSince1970: begun)] + Self.facts(command, defaults, payload ?? [], certificate, target)
    }

    /// Returns when an earlier run began the campaign. The report shows it, and a template with times makes the same
    /// payload again.
    private static func begun(_ command: BatchCommand) -> Int? {
        guard !command.campaign.restart else { return nil }
        return BatchFolder.begun(folder(command.campaign, command.files))
    }

    /// Requires an explicit environment. A wrong one would affect all lines, not only one push.
    private static func requireEnvironment(
        _ command: BatchCommand, _ certificate: PushCertificate?, _ settings: Settings
    ) throws {
        let options = command.targetOptions
        guard options.environment == nil, options.endpoint == nil, !command.signerOptions.mock,
            settings.server == nil, settings.untrusted[.endpoint] == nil, certificate?.services.count != 1
        else { return }
        throw CommandFailure.usage(
            """
            There is no environment: give -e production for TestFlight, ad hoc and the App Store, -e sandbox for apps run from \
            Xcode, or --mock to rehearse.
            """)
    }

    /// Refuses a file that is given twice, because all its lines would be sent twice.
    private static func requireOnce(_ files: [String]) throws {
        var seen: [FileMark: String] = [:]
        for file in files where file != "-" {
            guard let mark = FileMark(path: file), let other = seen.updateValue(file, forKey: mark) else { continue }
            let also = other == file ? "" : " (and as \(other.printable))"
            throw CommandFailure.usage(
                "The input \(file.printable) is given twice\(also): each of its lines would be sent twice.")
        }
    }

    /// Returns the topic of all lines; empty if each line has its own. The first line shows that.
    private static func topic(
        _ command: BatchCommand, _ composed: ComposedPayload?, _ certificate: PushCertificate?,
        _ defaults: BatchDefaults,
        _ settings: Settings, now: Int
    ) async throws -> String {
        do {
            return try command.headers.topic(
                in: composed ?? ComposedPayload(built: .alert(body: "")), certificate, settings)
        } catch {
            guard command.files.allSatisfy({ PushBatch.canBeReadAgain($0) }) else { throw error }
            let first = try await PushBatch.check(
                files: command.files, format: command.campaign.format?.format, defaults, sample: .first(1),
                lints: false, now: Date(timeIntervalSince1970: Double(now)))
            guard let topic = first.sample?.topic, !topic.isEmpty else { throw error }
            return ""
        }
    }

    /// Returns the defaults, without the topic.
    private static func defaults(_ command: BatchCommand, _ composed: ComposedPayload?) throws -> BatchDefaults {
        let headers = command.headers
        let template: PayloadTemplate?
        do throws(PushTemplateError) {
            if let composed { template = try PayloadTemplate(json: composed.payload.bytes) } else { template = nil }
        } catch {
            throw CommandFailure(status: .invalidInput, message: error.description)
        }
        return BatchDefaults(
            topic: "", pushType: headers.pushType.map(PushType.init(rawValue:)) ?? composed?.payload.pushType,
            priority: headers.priority.map(PushPriority.init(rawValue:)),
            expiration: headers.expires?.expiration, collapseID: headers.collapseID, template: template,
            tokenColumn: command.campaign.tokenColumn)
    }

    /// Checks the payload for all lines, and refuses it if it breaks a rule. What differs between lines is checked with
    /// the lines.
    private static func check(
        _ command: BatchCommand, _ composed: ComposedPayload?, _ defaults: BatchDefaults
    ) throws -> Set<String> {
        guard let composed, defaults.template?.names.isEmpty == true else { return [] }
        let context = LintContext(
            topic: defaults.topic.isEmpty ? nil : defaults.topic, pushType: defaults.pushType,
            priority: defaults.priority, expiration: defaults.expiration, collapseID: defaults.collapseID)
        let check = MessageCheck(
            composed, name: command.payloadOptions.file, nil, isOff: command.campaign.noLint)
        return try check.refuseInvalid(context)
    }

    private static func facts(
        _ command: BatchCommand, _ defaults: BatchDefaults, _ payload: [UInt8],
        _ certificate: PushCertificate?, _ target: Target
    ) -> [PushCampaignFact] {
        let none = "none"
        return [
            PushCampaignFact("payload", digestOf: payload, "the payload"),
            PushCampaignFact("topic", defaults.topic, "the topic"),
            PushCampaignFact(
                "environment", command.signerOptions.mock ? "mock" : "\(target.environment)", "the server"),
            PushCampaignFact("push_type", defaults.pushType?.rawValue ?? none, "the push type"),
            PushCampaignFact("priority", defaults.priority.map { "\($0)" } ?? none, "the priority"),
            PushCampaignFact("collapse_id", defaults.collapseID ?? none, "the collapse id"),
            PushCampaignFact("format", command.campaign.format?.rawValue ?? none, "the format of the input"),
            PushCampaignFact("sample", command.campaign.sample?.text ?? "all", "the sample"),
            PushCampaignFact(
                "certificate", certificate.map { "\($0.topics)" } ?? none,
                "the certificate"),
            PushCampaignFact("lint", command.campaign.noLint ? "off" : "on", "whether the lint rules are checked"),
            PushCampaignFact(
                "skip_duplicates", command.campaign.skipDuplicates ? "yes" : "no", "whether duplicates are skipped"),
        ]
    }

    /// The folder for the outcomes.
    var folder: String { Self.folder(options, files) }

    private static func folder(_ options: CampaignOptions, _ files: [String]) -> String {
        if let out = options.out { return out }
        let first = files.first { $0 != "-" } ?? "standard-input"
        return "\(first).pushsend"
    }

    // MARK: Before sending

    /// Reads all lines, and reports which could not be sent.
    func check(with credentials: PushCredentials?) async throws {
        let ended = try? await Interrupt.cancelling { () async throws -> Result<BatchCheck, any Error> in
            do {
                return .success(
                    try await PushBatch.check(
                        files: files, format: options.format?.format, defaults, sample: options.sample?.sample,
                        lints: !options.noLint, with: credentials, to: target.environment,
                        now: Date(timeIntervalSince1970: Double(now))))
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                return .failure(error)
            }
        }
        guard let (result, interrupted) = ended, !interrupted else { Output.exit(.interrupted) }
        let check = try result.get()
        let report = CampaignReport(plan: self)
        report.print(check)
        Output.exit(check.lines == 0 || unsendable(check) > 0 ? .invalidInput : .accepted)
    }

    /// The misspelt placeholder for which a campaign with these lines is refused; `nil` if there is none.
    func misspelt(_ check: BatchCheck) -> UnfilledPlaceholder? {
        options.noLint ? nil : check.unfilled.first { $0.suggestion != nil }
    }

    /// How many lines cannot be sent. Because of a misspelt placeholder, no line is.
    func unsendable(_ check: BatchCheck) -> Int { misspelt(check) == nil ? check.invalid : check.lines }

    /// Refuses a campaign in which a placeholder is misspelt, because its default would be sent to everybody, and notes other
    /// placeholders without values. The first lines show it.
    func checkPlaceholders() async throws {
        guard let template = defaults.template, template.names.count > template.namesWithoutDefault.count,
            !options.noLint, FileMark(path: "\(folder)/journal")?.isEmpty != false,
            files.allSatisfy({ PushBatch.canBeReadAgain($0) })
        else { return }
        var check = try await checkPlaceholders(in: .first(Self.linesForPlaceholders))
        if misspelt(check) != nil, check.lines == Self.linesForPlaceholders {
            check = try await checkPlaceholders(in: nil)
        }
        if let misspelt = misspelt(check) {
            throw CommandFailure(
                status: .invalidInput,
                message: "\(misspelt.description) Nothing was sent. If it is meant, give --no-lint.")
        }
        for placeholder in check.unfilled { Output.note(placeholder.description) }
    }

    private func checkPlaceholders(in sample: BatchSample?) async throws -> BatchCheck {
        try await PushBatch.check(
            files: files, format: options.format?.format, defaults, sample: sample, lints: false,
            now: Date(timeIntervalSince1970: Double(now)))
    }

    /// The number of lines that show whether a placeholder ever has a value.
    private static let linesForPlaceholders = 1000

    /// Asks a user to confirm sending to production. A script must give a flag instead.
    func askForProduction(with credentials: PushCredentials?) async throws {
        guard target.environment.appleService == .production, !options.yes else { return }
        // A pipe can be read only once: for the number in the question, or for sending.
        guard Prompt.isPossible, files.allSatisfy({ PushBatch.canBeReadAgain($0) }) else {
            throw CommandFailure.usage("This campaign goes to production: give --yes to confirm.")
        }
        let check = try await PushBatch.check(
            files: files, format: options.format?.format, defaults, sample: options.sample?.sample,
            lints: !options.noLint, with: credentials, now: Date(timeIntervalSince1970: Double(now)))
        // After an earlier run, or with duplicate tokens, fewer lines are sent. The lines of a random sample are not
        // known yet.
        let isMost = options.skipDuplicates || FileMark(path: "\(folder)/journal")?.isEmpty == false
        let count = (isMost ? "up to " : "") + CampaignReport.grouped(check.lines - check.invalid)
        let topic = defaults.topic.isEmpty ? "the topics of the lines" : defaults.topic.printable
        let question = "Send \(count) \(count == "1" ? "notification" : "notifications") to \(topic), production?"
        let isMeant: Bool
        do {
            isMeant = try Prompt.ask("Type yes to send them", hint: question) { answer in
                if answer.lowercased() == "y" { throw CommandFailure.usage("Type the whole word: yes.") }
                return answer.lowercased() == "yes"
            }
        } catch is Prompt.Unanswered {
            isMeant = false
        }
        if !isMeant { throw CommandFailure(status: .interrupted, message: "Nothing was sent.") }
    }
}
