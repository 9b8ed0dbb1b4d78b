internal import APNSVocabulary
internal import PushPlatform
internal import PushProvider
internal import PushQueue

/// An app of the engine: its settings, its client, and what decides when its jobs are sent. Only the engine touches it.
final class AppWork {
    var settings: AppSettings
    var phase = AppPhase()
    var pace: AppPace
    /// The maximum number of connections that was set in the client; `nil` for the number in its configuration.
    var connections: Int?
    var window: MismatchWindow
    /// `nil` while the credentials cannot be read.
    var client: PushClient?
    /// The number of the client. A later client, of any app, has a greater number.
    var generation = 0
    /// The state of the files that the client was made of.
    var files: WatchedFiles
    /// Whether Apple has accepted the credentials of the client.
    var hasBeenAccepted = false
    /// The last outcome for which Apple did not take a request, for people.
    var lastFailure: PushOutcome?
    /// The certificate of the client; `nil` with a provider key.
    var certificate: PushCertificate?
    /// What has changed about the app since the start of the service, for people.
    var warnings: [String] = []
    /// Earlier topics of the app that were refused, or that its operator has corrected. What was accepted for them goes to the present one.
    var refusedTopics: Set<String> = []
    /// Whether pushes to users have waited, although the app has no table of devices.
    var lacksTable = false
    /// Why the queue handed out no jobs of the app, although it did of others; `nil` if it does.
    var refusedClaim: RefusedClaim?
    /// Rejections that may come from a wrong setup.
    var suspectedMismatches: [SuspectedMismatch] = []

    /// A claim that the queue refused for one app alone.
    struct RefusedClaim {
        var reason: String
        /// How many claims in a row were refused.
        var count: Int
        /// When the first of them was.
        var since: MonotonicTime
        /// When jobs of the app are claimed again.
        var until: MonotonicTime
    }

    /// A rejection that may come from a wrong setup.
    struct SuspectedMismatch {
        var job: HeldJob
        var outcome: QueueJobOutcome
        var sending: Duration
        /// The latest time when it counts.
        var until: MonotonicTime
    }

    init(_ settings: AppSettings, _ options: DeliveryOptions, now: MonotonicTime) {
        self.settings = settings
        window = MismatchWindow(settings.stopsAtMismatch ? options.breaker : nil)
        files = WatchedFiles(settings.credentials.files)
        pace = AppPace(settings, isShared: options.isShared, now: now)
    }

    func use(
        _ client: PushClient, _ certificate: PushCertificate?, generation: Int,
        breaker: PushConfiguration.MismatchBreaker?
    ) {
        self.client = client
        self.certificate = certificate
        self.generation = generation
        connections = nil
        hasBeenAccepted = false
        restartWindow(breaker)
        phase.run()
    }

    /// Forgets the answers so far. If the operator has resumed the app, which has the same setup, what was added before counts no
    /// more.
    func restartWindow(_ breaker: PushConfiguration.MismatchBreaker?, resumed: QueueTime? = nil) {
        window = MismatchWindow(settings.stopsAtMismatch ? breaker : nil, after: resumed)
    }

    /// Why pushes do not get through although the app runs; `nil` if they do.
    private var trouble: String? {
        if let refusedClaim {
            return "The queue refuses to hand out the app's pushes; the service retries. \(refusedClaim.reason)"
        }
        if let diagnosis = client?.diagnosis, diagnosis.limit == .connecting { return diagnosis.description }
        guard phase.isFailing, let lastFailure else { return nil }
        return "The last push didn't get through, and is being retried. \(lastFailure)"
    }

    func topicSource(of details: PushDetails) -> TopicSource {
        if let topic = details.topic { return topic == settings.topic ? .app : .push }
        guard let topic = details.defaultTopic else { return .app }
        let isCurrent = settings.topic.map { $0 == topic } ?? certificate?.topics.contains(topic) ?? false
        return isCurrent ? .app : .earlierApp
    }

    /// Why pushes to users can't be sent; `nil` if nothing is known to prevent it.
    var recipientsFailure: String? {
        if let recipients = settings.recipients { return recipients.failure }
        return lacksTable
            ? "The app has no \"recipients\" in the configuration, but pushes to users have waited for it." : nil
    }

    /// The status, without the figures of the queue.
    func status(inFlight: Int) -> AppStatus {
        var status = AppStatus(name: settings.name, state: phase.state)
        status.connections = client?.diagnosis.connections ?? 0
        status.isConnected = status.connections > 0
        status.credentials = hasBeenAccepted ? .accepted : .untried
        status.certificateDaysLeft = certificate?.daysLeft()
        status.certificateLeft = certificate.map { .seconds($0.expires.timeIntervalSinceNow) }
        status.inFlight = inFlight
        status.warnings = warnings
        status.recipientsFailure = recipientsFailure
        switch phase.phase {
        case .running: status.reason = trouble
        case .resting:
            let failure = lastFailure.map { " The last outcome: \($0)" } ?? ""
            status.reason = "APNs isn't accepting pushes. The service retries automatically.\(failure)"
        case .refused(let correction, _):
            status.reason = correction.text
            status.correction = correction.kind
            if correction.kind == .credentials { status.credentials = .refused }
        case .down(let reason):
            status.reason = reason
            status.correction = .credentials
            status.credentials = .unreadable
        }
        // What is wrong with the app matters more than why it is paused.
        if let pause = phase.pause, !pause.isEmpty, status.correction == nil { status.reason = pause }
        return status
    }
}

extension AppWork {
    /// Digests of the settings that all workers must have in common. Otherwise, it is left to chance where a push is sent.
    var sharedSettings: [String: String] {
        let key =
            switch settings.credentials {
            case .key(_, let keyID, let teamID): "\(keyID) \(teamID)"
            // The files of other machines may have other names.
            case .identity: certificate.map { "\($0)" } ?? ""
            }
        return [
            "topic": settings.topic ?? "", "key": key, "delivery": "\(settings.policy.rawValue)",
            "environment": "\(settings.environment.host):\(settings.environment.port)",
            "topics": settings.allowedTopics.sorted().joined(separator: " "), "gone": settings.gone.rawValue,
            "ttl": settings.expiry.map { "\($0)" } ?? "", "recipients": settings.recipients?.shared ?? "",
        ].mapValues(\.digest)
    }
}

extension String {
    /// A short digest (FNV-1a). It shows that two texts differ, and nothing else.
    fileprivate var digest: String {
        let hash = utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
