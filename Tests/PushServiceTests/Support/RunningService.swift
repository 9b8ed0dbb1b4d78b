import APNSVocabulary
import Foundation
import HTTPTypes
import Logging
import NIOCore
import PushDelivery
import PushHTTP
import PushJSON
import PushProvider
import PushQueue
import PushQueuePostgres
import ServiceLifecycle
import TestSupport
import Testing

@testable import PushService

/// A service on a free port, with a queue in a temporary folder.
final class RunningService: Sendable {
    let queue: SQLiteQueue
    let service: PushService
    let port: Int
    /// The clock of the deadlines of requests. It stands still, so that a busy machine ends no request.
    let time: ManualTime
    private let folder: TemporaryFolder
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    private init(
        queue: SQLiteQueue, service: PushService, port: Int, time: ManualTime, folder: TemporaryFolder,
        group: ServiceGroup, running: Task<Void, any Error>
    ) {
        (self.queue, self.service, self.port, self.time) = (queue, service, port, time)
        (self.folder, self.group, self.running) = (folder, group, running)
    }

    /// The apps of most tests.
    static let apps = ["shop": app("shop"), "news": app("news")]

    static func app(_ name: String, _ change: (inout AppSettings) -> Void = { _ in }) -> AppSettings {
        var app = AppSettings(
            name: name, environment: PushEnvironment(host: "127.0.0.1", port: 1),
            credentials: .key(file: "key.p8", keyID: "ABC123DEFG", teamID: "TEAM123456"))
        app.topic = "com.example.\(name)"
        change(&app)
        return app
    }

    static func start(
        apps: [String: AppSettings] = apps, logger: Logger = .silent,
        defaultTopic: @escaping @Sendable (AppSettings, () -> PushType) -> String? = { app, _ in app.topic },
        failure: @escaping @Sendable () async -> String? = { nil },
        statuses: @escaping @Sendable () async -> [AppStatus] = { [] }, workers: [WorkerHeartbeat] = [],
        webhooks: [String: WebhookSettings] = [:], inboxes: [PostgresInbox] = [],
        rateClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ change: (inout APIConfiguration) -> Void = { _ in }
    ) async throws -> RunningService {
        let folder = try TemporaryFolder()
        let queue = try SQLiteQueue(folder.path("queue.sqlite"))
        var configuration = APIConfiguration()
        configuration.listen = APIConfiguration.Endpoint(port: 0)
        // The machine can be slow. Tests of these limits set them.
        configuration.limits.headTime = .seconds(600)
        configuration.limits.bodyTime = .seconds(600)
        configuration.limits.readingTime = .seconds(600)
        change(&configuration)
        let time = ManualTime()
        var served = ServedApps { apps }
        served.defaultTopic = defaultTopic
        served.statuses = statuses
        served.workers = { workers }
        served.failure = failure
        served.webhooks = { webhooks }
        let service = PushService(
            configuration, queue: queue, inboxes: inboxes, apps: served, logger: logger,
            deadlineClock: { time.instant }, rateClock: rateClock)
        let group = ServiceGroup(services: [service], logger: .silent)
        let running = Task { try await group.run() }
        guard let port = await service.port else {
            try await running.value
            throw Missing()
        }
        return RunningService(
            queue: queue, service: service, port: port, time: time, folder: folder, group: group,
            running: running)
    }

    struct Missing: Error {}

    /// The parts of a service with the same queue and other apps, of which nothing runs.
    func idleParts(of apps: [String: AppSettings]) -> ServiceParts {
        PushService(APIConfiguration(), queue: queue, apps: ServedApps(settings: { apps }), logger: .silent).api.parts
    }

    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
        await queue.close()
    }

    /// Runs a test with a service, and stops it in any case.
    static func with(
        apps: [String: AppSettings] = apps, logger: Logger = .silent,
        defaultTopic: @escaping @Sendable (AppSettings, () -> PushType) -> String? = { app, _ in app.topic },
        failure: @escaping @Sendable () async -> String? = { nil },
        statuses: @escaping @Sendable () async -> [AppStatus] = { [] }, workers: [WorkerHeartbeat] = [],
        webhooks: [String: WebhookSettings] = [:], inboxes: [PostgresInbox] = [],
        rateClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ change: (inout APIConfiguration) -> Void = { _ in },
        _ body: (RunningService) async throws -> Void
    ) async throws {
        let service = try await start(
            apps: apps, logger: logger, defaultTopic: defaultTopic, failure: failure, statuses: statuses,
            workers: workers, webhooks: webhooks, inboxes: inboxes, rateClock: rateClock, change)
        do { try await body(service) } catch {
            try await service.stop()
            throw error
        }
        try await service.stop()
    }

    // MARK: Asking

    /// Makes a key.
    func key(_ apps: [String] = ["shop"], _ scopes: Set<KeyScope> = [.admin]) async throws -> String {
        try await service.keys.create(apps: apps, scopes: scopes).text
    }

    private static let document = OpenAPIDocument(json: WebPage.service.document.bytes)

    /// Sends a request on a connection of its own. The answer must be as the OpenAPI document has it.
    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, key: String?, type: String = "application/json",
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        let connection = try await HTTPConnection.open(port: port)
        defer { connection.close() }
        let answer = try await connection.ask(method, path, body, key: key, type: type, headers: headers)
        let mistakes = Self.document.mistakes(
            inAnswerTo: method, path, status: answer.status, type: answer.headers["content-type"], body: answer.body)
        #expect(mistakes == [])
        return answer
    }

    // MARK: Playing the delivery

    /// Claims, starts and completes waiting jobs.
    @discardableResult
    func deliver(_ outcome: QueueJobOutcome = .accepted, app: String = "shop", limit: Int = 1000) async throws -> Int {
        let jobs = try await queue.claim(
            QueueClaimRequest(owner: "test", limit: limit, lease: .seconds(3600), apps: [app: limit]))
        _ = try await queue.start(jobs.map(\.lease))
        _ = try await queue.complete(jobs.map { QueueJobCompletion($0.lease, outcome) })
        return jobs.count
    }
}

/// A push as JSON.
func push(_ more: String = "", token: String = DeviceToken.sampleHex, title: String = "Hello") -> String {
    #"{"token": "\#(token)", "payload": {"aps": {"alert": {"title": "\#(title)"}}}\#(more.isEmpty ? "" : ", " + more)}"#
}
