internal import PushCampaign
import PushCommandLine
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

    /// - Parameters:
    ///   - command: What the command line says.
    ///   - certificate: The certificate that signs; `nil` with a key.
    ///   - settings: What is set besides the options.
    /// - Throws: ``CommandFailure``, or what is wrong with the input.
    init(_ command: BatchCommand, _ certificate: PushCertificate?, _ settings: Settings) async throws {
        try command.headers.requireLaterExpiration()
        try command.campaign.stopAt?.requireLater(than: Date())
        files = command.files
        options = command.campaign
        now = Int(Date().timeIntervalSince1970)
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
        defaults.topic = try await Self.topic(command, certificate, settings, composed, defaults, now: now)
        self.defaults = defaults
        reportedRules = try Self.check(command, composed, defaults)
        facts =
            [.begun(secondsSince1970: begun)] + Self.facts(command, certificate, defaults, payload ?? [], target)
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

    /// Returns the topic of all lines; empty if each line has its own. The first one that can be sent shows that.
    private static func topic(
        _ command: BatchCommand, _ certificate: PushCertificate?, _ settings: Settings,
        _ composed: ComposedPayload?, _ defaults: BatchDefaults, now: Int
    ) async throws -> String {
        do {
            let composed = composed ?? ComposedPayload(built: .alert(body: ""))
            let topic = try command.headers.topic(in: composed, certificate, settings)
            return try push(of: composed, topic, command).topic
        } catch let error as CommandFailure {
            guard command.files.allSatisfy({ PushBatch.canBeReadAgain($0) }) else { throw error }
            let first = try await PushBatch.check(
                files: command.files, format: command.campaign.format?.format, defaults, sample: .first(100),
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
            throw CommandFailure(.invalidInput, error.description)
        }
        let one = try composed.map { try push(of: $0, "", command) }
        return BatchDefaults(
            topic: "", pushType: headers.pushType.map(PushType.init(rawValue:)) ?? composed?.payload.pushType,
            priority: headers.priority.map(PushPriority.init(rawValue:)),
            expiration: headers.expires?.expiration ?? (one?.expiration == .once ? .once : nil),
            collapseID: one?.collapseID ?? headers.collapseID, template: template,
            tokenColumn: command.campaign.tokenColumn)
    }

    /// One push of the campaign, with all that `send` makes of its payload: the lines only get the bytes.
    private static func push(
        of composed: ComposedPayload, _ topic: String, _ command: BatchCommand
    ) throws -> PushNotification {
        try command.headers.notification(to: try DeviceToken("00"), topic, composed).settled
    }

    /// Checks the payload for all lines, and refuses it if it breaks a rule. What differs between lines is checked with
    /// the lines.
    private static func check(
        _ command: BatchCommand, _ composed: ComposedPayload?, _ defaults: BatchDefaults
    ) throws -> Set<String> {
        guard let composed, let context = defaults.lintContext else { return [] }
        let check = MessageCheck(
            composed, name: command.payloadOptions.file, nil, isOff: command.campaign.noLint)
        return try check.refuseInvalid(context, isTemplate: true)
    }

    private static func facts(
        _ command: BatchCommand, _ certificate: PushCertificate?, _ defaults: BatchDefaults, _ payload: [UInt8],
        _ target: Target
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
                "certificate", certificate.map { "\($0.topics)" } ?? none, "the certificate"),
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
}
