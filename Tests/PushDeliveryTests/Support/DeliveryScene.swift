import APNSVocabulary
import Logging
import MockAPNs
import NIOConcurrencyHelpers
import NIOPosix
import PushPlatform
import PushProvider
import PushQueue
import TestSupport

@testable import PushDelivery

/// A queue in a folder of its own, a mock, and an engine between them.
final class DeliveryScene: Sendable {
    struct Unexpected: Error {}

    let queue: HookedQueue
    let mock: MockServer
    let engine: DeliveryEngine
    let log = EventLog()
    let lines = CapturedLog()
    let folder: TemporaryFolder
    private let offset: NIOLockedValueBox<Duration>
    private let jump: NIOLockedValueBox<Duration>
    private let running = NIOLockedValueBox<Task<Void, any Error>?>(nil)

    /// Starts a scene with the app "shop", unless `apps` makes other apps of it.
    ///
    /// Without a queue, it gets one in a file, whose time ``advance(by:)`` moves.
    init(
        runs: Bool = true, queue given: (any QueueBackend)? = nil,
        mock changeMock: (inout MockConfiguration) -> Void = { _ in },
        options change: (inout DeliveryOptions) -> Void = { _ in },
        apps: ((AppSettings, TemporaryFolder) async throws -> [AppSettings])? = nil
    ) async throws {
        var configuration = MockConfiguration()
        changeMock(&configuration)
        mock = try await MockServer.start(configuration, credentials: .ofThisProcess)
        folder = try TemporaryFolder()
        let offset = NIOLockedValueBox(Duration.zero)
        self.offset = offset
        var queueOptions = SQLiteQueue.Options()
        let jump = NIOLockedValueBox(Duration.zero)
        self.jump = jump
        queueOptions.queue.clock = { .now + offset.withLockedValue { $0 } + jump.withLockedValue { $0 } }
        let begun = ContinuousClock.now
        queueOptions.queue.uptime = { begun.duration(to: .now) + offset.withLockedValue { $0 } }
        queue = HookedQueue(
            try given ?? SQLiteQueue(folder.path("queue.sqlite"), options: queueOptions))
        var options = DeliveryOptions()
        options.attemptsInClient = 1
        options.drainTime = .seconds(60)
        change(&options)
        let shop = try folder.app("shop", at: mock)
        engine = DeliveryEngine(
            queue: queue, apps: try await apps?(shop, folder) ?? [shop], options: options,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: lines.logger, observer: log)
        if runs { run() }
    }

    func run() {
        running.withLockedValue { $0 = Task { [engine] in try await engine.run() } }
    }

    /// Cancels the task of the engine, and waits for its end.
    func cancel() async throws {
        let task = running.withLockedValue { $0 }
        task?.cancel()
        try await task?.value
    }

    /// Stops the engine, and waits for its end.
    func stop() async throws {
        engine.stop()
        try await running.withLockedValue { $0 }?.value
    }

    func end() async throws {
        try await stop()
        await queue.close()
        await mock.stop()
    }

    /// Lets time pass for the queue, and lets the engine see it.
    func advance(by duration: Duration) {
        offset.withLockedValue { $0 += duration }
        engine.wake()
    }

    /// Sets the wall clock of the queue forward or back, as an operator or a time server does.
    func setClock(by duration: Duration) {
        jump.withLockedValue { $0 += duration }
        engine.wake()
    }

    /// The time of the queue.
    var now: QueueTime { .now + offset.withLockedValue { $0 } + jump.withLockedValue { $0 } }

    func add(_ jobs: [NewQueueJob], app: String = "shop") async throws -> [UUID] {
        guard case .done(let results) = try await queue.enqueue(EnqueueRequest(jobs, app: app)) else { return [] }
        return results.compactMap(\.id)
    }

    func add(_ job: NewQueueJob, app: String = "shop") async throws -> UUID {
        guard let id = try await add([job], app: app).first else { throw DeliveryScene.Unexpected() }
        return id
    }

    func record(_ id: UUID, app: String = "shop") async throws -> QueueJobRecord? {
        try await queue.jobs([id], app: app).first
    }
}

extension TemporaryFolder {
    /// Writes a file that an engine may be reading: it gets the old text or the new one.
    @discardableResult
    func writeAtomically(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        return path(name)
    }

    /// An app of a mock, with the key that it trusts.
    func app(_ name: String, at mock: MockServer) throws -> AppSettings {
        let credentials = mock.credentials
        let file = try writeAtomically(credentials.p8, to: "\(name).p8")
        var app = AppSettings(
            name: name, environment: try .local(port: mock.port),
            credentials: .key(file: file, keyID: credentials.keyID, teamID: credentials.teamID))
        app.topic = "com.example.\(name)"
        app.client = PushConfiguration.sample { _ in }
        return app
    }
}

extension NewQueueJob {
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "a", count: 64 - digits.count) + digits
    }

    /// A job with a token of its own for each number.
    static func sample(
        _ number: Int = 1, payload: String = #"{"aps":{"alert":"Hello"}}"#,
        _ change: (inout NewQueueJob) -> Void = { _ in }
    ) -> NewQueueJob {
        var job = NewQueueJob(to: .device(token(number)), payload: Array(payload.utf8))
        change(&job)
        return job
    }

    /// A job whose details are changed.
    static func detailed(_ number: Int = 1, _ change: (inout PushDetails) -> Void) -> NewQueueJob {
        var details = PushDetails()
        change(&details)
        return sample(number) { $0.push = details.encoded }
    }

    func with(_ change: (inout NewQueueJob) -> Void) -> NewQueueJob {
        var job = self
        change(&job)
        return job
    }
}
