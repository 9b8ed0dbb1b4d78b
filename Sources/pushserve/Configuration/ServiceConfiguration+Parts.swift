import APNSVocabulary
import PushCommandLine
import PushDelivery
import PushPlatform
import PushQueue
import PushQueuePostgres
import PushService
import PushYAML

/// What the parts of the service take from the configuration.
extension ServiceConfiguration {
    var delivery: DeliveryOptions {
        var options = DeliveryOptions()
        options.startWindow = limits.startWindow
        options.drainTime = drain
        options.upkeep.keepJobs = keep.jobs
        options.upkeep.keepPayloads = keep.payloads
        options.version = ProgramVersion.number
        guard isShared else { return options }
        options.isShared = true
        options.owner = "\(Self.machine)-\(options.owner)"
        // A worker that does not hear of another one's jobs finds them by this.
        options.pollInterval = .seconds(1)
        return options
    }

    /// The name of this machine, without its domain.
    private static var machine: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "machine" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(name.prefix { $0 != "." })
    }

    /// Where the API listens, and what it accepts.
    var api: APIConfiguration {
        var api = APIConfiguration()
        api.listen = listen
        api.publicURL = publicURL.flatMap { PublicURL($0) }
        api.tls = tls
        api.metrics = metrics
        api.version = ProgramVersion.number
        api.showsPayloads = page.showsPayloads
        api.limits.bodyBytes = limits.body
        // Half of it has room for a body of this size while it grows and is read.
        api.limits.memory = max(api.limits.memory, 8 * limits.body)
        api.limits.queueDepth = limits.queueDepth
        api.limits.ratePerKey = limits.ratePerKey
        api.limits.connections = limits.connections
        return api
    }

    /// The inboxes, which connect when they are used.
    func inboxSettings() -> [Inboxes.Settings] {
        inboxes.map {
            let inbox = PostgresInbox($0.address, $0.contract, copiesOutcomes: $0.outcomes != .none)
            return .init(inbox, poll: $0.poll, outcomes: $0.outcomes)
        }
    }

    /// The webhook of each app that has one, with its secrets.
    ///
    /// - Throws: ``ConfigMistakes`` with each webhook that cannot be used.
    func webhookSettings() throws(ConfigMistakes) -> [String: WebhookSettings] {
        var (all, problems) = ([String: WebhookSettings](), [ConfigMistake]())
        for app in apps {
            guard let webhook = app.webhook else { continue }
            do throws(WebhookMistake) {
                all[app.settings.name] = try settings(of: webhook)
            } catch {
                problems.append(
                    ConfigMistake(
                        webhook.location,
                        "The webhook of \"\(app.settings.name)\" can't be used: \(error.description)"))
            }
        }
        guard problems.isEmpty else { throw ConfigMistakes(problems: problems) }
        return all
    }

    /// The maximum size of a file with the secrets of a webhook, in bytes: some hundred of them.
    private static let maximumSecretBytes = 64 << 10

    /// What is wrong with a webhook, and what to do.
    struct WebhookMistake: Error {
        let description: String
    }

    func settings(of webhook: ConfiguredApp.Webhook) throws(WebhookMistake) -> WebhookSettings {
        let file: SmallFile
        do throws(SmallFile.Failure) {
            file = try SmallFile(webhook.secretsFile, atMost: Self.maximumSecretBytes)
        } catch {
            let advice =
                switch error {
                case .tooLarge(let maximum): "is larger than \(maximum) bytes. Give a file with the secrets alone."
                default: "can't be read. Create it, or change its owner or mode."
                }
            throw WebhookMistake(description: "\"\(webhook.secretsFile.printable)\" \(advice)")
        }
        let text = String(decoding: FileText.utf8(file.bytes), as: UTF8.self)
        let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        // They come with a copied secret. A line of something else is reported below.
        if let index = all.firstIndex(where: { line in
            let kept = line.filter { !$0.isWhitespace }
            return kept.count < line.count && (kept.isEmpty || kept.hasPrefix("whsec_"))
        }) {
            throw WebhookMistake(
                description: """
                    "\(webhook.secretsFile.printable)" has blanks in line \(index + 1), and a secret has none. Remove them; a second \
                    secret gets a line of its own.
                    """)
        }
        let lines = all.filter { !$0.isEmpty }
        let secrets = lines.compactMap { WebhookSecret(String($0)) }
        guard secrets.count == lines.count, !secrets.isEmpty else {
            throw WebhookMistake(
                description: """
                    "\(webhook.secretsFile.printable)" needs one secret on each line: whsec_ and 24 to 64 bytes in base64. \
                    Make one: echo "whsec_$(openssl rand -base64 32)"
                    """)
        }
        var settings = WebhookSettings(url: webhook.url, secrets: secrets)
        if !webhook.events.isEmpty {
            settings.outcomes = Set(webhook.events.compactMap(QueueJobOutcome.Kind.init(name:)))
        }
        settings.allowedHosts = Set(webhooks.allowedHosts)
        settings.giveUpAfter = webhooks.retryFor
        settings.timeout = webhooks.timeout
        if let problem = settings.problem { throw WebhookMistake(description: problem) }
        return settings
    }
}
