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

    /// What a command line says about a campaign.
    struct Arguments {
        let files: [String]
        let campaign: CampaignOptions
        let payloadOptions: PayloadOptions
        let signerOptions: SignerOptions
        let targetOptions: TargetOptions
        let headers: HeaderOptions
        /// The certificate that signs; `nil` with a key.
        let certificate: PushCertificate?
        /// What is set besides the options.
        let settings: Settings
    }

    init(_ arguments: Arguments) async throws {
        try arguments.headers.requireLaterExpiration()
        try arguments.campaign.stopAt?.requireLater(than: Date())
        files = arguments.files
        options = arguments.campaign
        now = Int(Date().timeIntervalSince1970)
        try Self.requireEnvironment(arguments)
        target = try arguments.targetOptions.target(
            signer: arguments.signerOptions, arguments.certificate, arguments.settings)
        try PushBatch.requireFiles(files)
        try Self.requireOnce(files)
        // Lines may have their own payloads. This one is read only once, because it may come from a stream.
        begun = Self.begun(arguments) ?? now
        let composed =
            arguments.payloadOptions.isEmpty
            ? nil : try arguments.payloadOptions.composed(at: Date(timeIntervalSince1970: Double(begun)))
        payload = composed?.payload.bytes
        var defaults = try Self.defaults(arguments, composed)
        defaults.checksPlaceholders = !arguments.campaign.noLint
        defaults.topic = try await Self.topic(arguments, composed, defaults, now: now)
        self.defaults = defaults
        reportedRules = try Self.check(arguments, composed, defaults)
        facts =
            [.begun(secondsSince1970: begun)] + Self.facts(arguments, defaults, payload ?? [], target)
    }

    /// Returns when an earlier run began the campaign. The report shows it, and a template with times makes the same
    /// payload again.
    private static func begun(_ arguments: Arguments) -> Int? {
        guard !arguments.campaign.restart else { return nil }
        return BatchFolder.begun(folder(arguments.campaign, arguments.files))
    }

    /// Requires an explicit environment. A wrong one would affect all lines, not only one push.
    private static func requireEnvironment(_ arguments: Arguments) throws {
        let (options, settings) = (arguments.targetOptions, arguments.settings)
        guard options.environment == nil, options.endpoint == nil, !arguments.signerOptions.mock,
            settings.server == nil, settings.untrusted[.endpoint] == nil, arguments.certificate?.services.count != 1
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
        _ arguments: Arguments, _ composed: ComposedPayload?, _ defaults: BatchDefaults, now: Int
    ) async throws -> String {
        do {
            let composed = composed ?? ComposedPayload(built: .alert(body: ""))
            let topic = try arguments.headers.topic(in: composed, arguments.certificate, arguments.settings)
            return try push(of: composed, topic, arguments).topic
        } catch let error as CommandFailure {
            guard arguments.files.allSatisfy({ PushBatch.canBeReadAgain($0) }) else { throw error }
            let first = try await PushBatch.check(
                files: arguments.files, format: arguments.campaign.format?.format, defaults, sample: .first(100),
                lints: false, now: Date(timeIntervalSince1970: Double(now)))
            guard let topic = first.sample?.topic, !topic.isEmpty else { throw error }
            return ""
        }
    }

    /// Returns the defaults, without the topic.
    private static func defaults(_ arguments: Arguments, _ composed: ComposedPayload?) throws -> BatchDefaults {
        let headers = arguments.headers
        let template: PayloadTemplate?
        do throws(PushTemplateError) {
            if let composed { template = try PayloadTemplate(json: composed.payload.bytes) } else { template = nil }
        } catch {
            throw CommandFailure(.invalidInput, error.description)
        }
        let one = try composed.map { try push(of: $0, "", arguments) }
        return BatchDefaults(
            topic: "", pushType: headers.pushType.map(PushType.init(rawValue:)) ?? composed?.payload.pushType,
            priority: headers.priority.map(PushPriority.init(rawValue:)),
            expiration: headers.expires?.expiration ?? (one?.expiration == .once ? .once : nil),
            collapseID: one?.collapseID ?? headers.collapseID, template: template,
            tokenColumn: arguments.campaign.tokenColumn)
    }

    /// One push of the campaign, with all that `send` makes of its payload: the lines only get the bytes.
    private static func push(
        of composed: ComposedPayload, _ topic: String, _ arguments: Arguments
    ) throws -> PushNotification {
        try arguments.headers.notification(to: try DeviceToken("00"), topic, composed).settled
    }

    /// Checks the payload for all lines, and refuses it if it breaks a rule. What differs between lines is checked with
    /// the lines.
    private static func check(
        _ arguments: Arguments, _ composed: ComposedPayload?, _ defaults: BatchDefaults
    ) throws -> Set<String> {
        guard let composed, let context = defaults.lintContext else { return [] }
        let check = MessageCheck(
            composed, name: arguments.payloadOptions.file, nil, isOff: arguments.campaign.noLint)
        return try check.refuseInvalid(context, isTemplate: true)
    }

    private static func facts(
        _ arguments: Arguments, _ defaults: BatchDefaults, _ payload: [UInt8], _ target: Target
    ) -> [PushCampaignFact] {
        let none = "none"
        return [
            PushCampaignFact("payload", digestOf: payload, "the payload"),
            PushCampaignFact("topic", defaults.topic, "the topic"),
            PushCampaignFact(
                "environment", arguments.signerOptions.mock ? "mock" : "\(target.environment)", "the server"),
            PushCampaignFact("push_type", defaults.pushType?.rawValue ?? none, "the push type"),
            PushCampaignFact("priority", defaults.priority.map { "\($0)" } ?? none, "the priority"),
            PushCampaignFact("collapse_id", defaults.collapseID ?? none, "the collapse id"),
            PushCampaignFact("format", arguments.campaign.format?.rawValue ?? none, "the format of the input"),
            PushCampaignFact("sample", arguments.campaign.sample?.text ?? "all", "the sample"),
            PushCampaignFact(
                "certificate", arguments.certificate.map { "\($0.topics)" } ?? none, "the certificate"),
            PushCampaignFact("lint", arguments.campaign.noLint ? "off" : "on", "whether the lint rules are checked"),
            PushCampaignFact(
                "skip_duplicates", arguments.campaign.skipDuplicates ? "yes" : "no", "whether duplicates are skipped"),
        ]
    }

    var folder: String { Self.folder(options, files) }

    private static func folder(_ options: CampaignOptions, _ files: [String]) -> String {
        if let out = options.out { return out }
        let first = files.first { $0 != "-" } ?? "standard-input"
        return "\(first).pushsend"
    }
}
