import Logging
import PushDelivery
import PushPlatform
import PushQueuePostgres
import PushService
import PushYAML

struct ServiceConfiguration: Equatable, Sendable {
    struct Limits: Equatable, Sendable {
        /// The size of a request, in bytes. A larger one is refused with 413.
        var body = 8 << 20
        /// The number of jobs that wait. If there are more, requests are refused with 503.
        var queueDepth = 10_000_000
        /// The number of pushes and other requests of one API key in a second. If there are more, they are refused with 429, and a
        /// stream waits. One key may send what docs/performance.md promises for the default settings, 8000 a second.
        var ratePerKey = 10_000.0
        /// The number of open HTTP connections. Further ones are closed.
        var connections = 10_000
        /// The number of jobs that are started and not completed, over all apps. A kill leaves at most this number unknown.
        var startWindow = 1000
    }

    /// How long the queue keeps data that it no longer needs.
    struct Keep: Equatable, Sendable {
        /// Finished jobs.
        var jobs = Duration.seconds(7 * 86_400)
        /// Payloads and variables of finished jobs.
        var payloads = Duration.seconds(86_400)
        /// Idempotency keys and dedupe keys.
        var keys = Duration.seconds(86_400)
    }

    struct Webhooks: Equatable, Sendable {
        /// Hosts that may have a private address, and need no https.
        var allowedHosts: [String] = []
        /// How long an answer may take.
        var timeout = Duration.seconds(10)
        /// How long the delivery of an event is tried again.
        var retryFor = Duration.seconds(3 * 86_400)
    }

    struct Inbox: Equatable, Sendable {
        var address: PostgresAddress
        var contract: InboxContract
        var poll = Duration.milliseconds(20)
        var outcomes = Inboxes.Outcomes.none
    }

    /// What the page and the API show.
    struct Page: Equatable, Sendable {
        /// Whether payloads are shown to keys with the scope `read`.
        var showsPayloads = true
    }

    struct Log: Equatable, Sendable {
        var level = Logger.Level.info
        var format = ServiceLog.Format.text
    }

    var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Certificate and key of the service's own HTTPS; `nil` for plain HTTP.
    var tls: APIConfiguration.TLSFiles?
    /// The address for users, if a proxy stands before the service.
    var publicURL: String?
    /// `nil` for no metrics.
    var metrics: ListenAddress?
    /// The path of the file with the queue.
    var database = QueueLocation.file("pushserve.sqlite")
    var limits = Limits()
    var keep = Keep()
    var webhooks = Webhooks()
    var inboxes: [Inbox] = []
    var page = Page()
    var log = Log()
    /// How long pushes and requests in flight may take at a graceful shutdown.
    var drain = Duration.seconds(30)
    /// In the order of the file; an app of the environment is the last one.
    var apps: [ConfiguredApp] = []
    /// What may be a mistake, as sentences with their location.
    var warnings: [ConfigMistake] = []

    /// Whether other workers may use the database: a file is for one service, a server for any number.
    var isShared: Bool { database.isShared }

    var settings: [AppSettings] { apps.map(\.settings) }
}

struct ConfiguredApp: Equatable, Sendable {
    /// Where events of the app go.
    struct Webhook: Equatable, Sendable {
        var url: String
        /// The path of the file with the secrets, one on each line.
        var secretsFile: String
        /// The kinds of outcomes that are posted; empty for all.
        var events: [String]
        /// Where the webhook is configured.
        var location: ConfigPosition
    }

    var settings: AppSettings
    var webhook: Webhook?
    /// Where the app is configured.
    var location: ConfigPosition
}
