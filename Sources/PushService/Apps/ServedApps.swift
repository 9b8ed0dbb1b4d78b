package import APNSVocabulary
package import PushDelivery
package import PushQueue

/// The current apps of the service. A reload of the configuration changes them.
package struct ServedApps: Sendable {
    package var settings: @Sendable () -> [String: AppSettings]
    /// The default topic of a push of an app at this time, which the push keeps; `nil` for none, or while it is not known.
    package var defaultTopic: @Sendable (_ app: AppSettings, _ pushType: () -> PushType) -> String? = { app, _ in
        app.topic
    }
    package var statuses: @Sendable () async -> [AppStatus] = { [] }
    /// The workers of the queue; empty if the queue allows only one worker.
    package var workers: @Sendable () async -> [WorkerHeartbeat] = { [] }
    /// The workers that were lost and not replaced yet.
    package var lostWorkers: @Sendable () async -> [WorkerHeartbeat] = { [] }
    /// The names of apps that are not configured and have unfinished jobs: renamed ones, or removed ones.
    package var leftOver: @Sendable () -> [String] = { [] }
    /// Why the worker cannot do its work; `nil` if it can.
    package var failure: @Sendable () async -> String? = { nil }
    /// Pauses an app for a reason, which can be empty, or resumes it (`nil`), and stores who does it. Returns whether the app exists.
    package var setPaused: @Sendable (_ app: String, _ reason: String?, _ audit: QueueAuditEntry) async throws -> Bool =
        {
            _, _, _ in false
        }
    package var webhooks: @Sendable () -> [String: WebhookSettings] = { [:] }

    /// Creates the apps of a service without a worker.
    package init(settings: @escaping @Sendable () -> [String: AppSettings]) {
        self.settings = settings
    }

    /// The names of all apps that have jobs or may get some, in order.
    var names: [String] { Set(settings().keys).union(leftOver()).sorted() }

    subscript(name: String) -> AppSettings? { settings()[name] }
}
