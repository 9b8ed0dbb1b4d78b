import NIOPosix
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Outcomes in a real queue, to be posted to a real server.
struct WebhookGround {
    let secret = WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A queue with a webhook that has posted everything so far: nothing.
    func queue(ahead: Duration = .zero) async throws -> SQLiteQueue {
        let queue = try newQueue(ahead: ahead)
        _ = try await WebhookRecord(app: "shop", queue: queue).write(WebhookPosition(.start), ifVersion: 0)
        return queue
    }

    /// A queue whose clock is ahead of that of this machine.
    func newQueue(ahead: Duration = .zero) throws -> SQLiteQueue {
        var options = SQLiteQueue.Options()
        options.queue.clock = { .now + ahead }
        return try SQLiteQueue(folder.path("queue.sqlite"), options: options)
    }

    /// Waits until the stored position is as wanted.
    func position(
        _ queue: SQLiteQueue, until isWanted: (WebhookPosition) throws -> Bool
    ) async throws -> WebhookPosition {
        while true {
            if let record = try await queue.record(kind: WebhookRecord.kind, key: "shop"),
                let position = WebhookPosition(record.value), try isWanted(position)
            {
                return position
            }
            await Task.yield()
        }
    }

    /// The cursor after the last outcome.
    func end(_ queue: SQLiteQueue) async throws -> QueueResultCursor {
        var cursor = QueueResultCursor.start
        while true {
            let next = try await queue.results(of: ["shop"], after: cursor, limit: 1000).next
            if next == cursor { return cursor }
            cursor = next
        }
    }

    /// Puts jobs in, and gives them an outcome.
    func finish(_ count: Int, _ queue: SQLiteQueue, _ outcome: QueueJobOutcome = .accepted) async throws
        -> [UUID]
    {
        let jobs = (0..<count).map { _ in NewQueueJob(to: .device("0f0f"), payload: Array("{}".utf8)) }
        _ = try await queue.enqueue(EnqueueRequest(jobs, app: "shop"))
        let claimed = try await queue.claim(
            QueueClaimRequest(owner: "test", limit: count, lease: .seconds(60), apps: ["shop": count]))
        _ = try await queue.start(claimed.map(\.lease))
        _ = try await queue.complete(claimed.map { QueueJobCompletion($0.lease, outcome) })
        return claimed.map(\.id)
    }

    func settings(_ port: Int, path: String = "/hook") throws -> WebhookSettings {
        var settings = WebhookSettings(url: "http://localhost:\(port)\(path)", secrets: [try #require(secret)])
        settings.allowedHosts = ["localhost"]
        settings.timeout = .seconds(300)
        return settings
    }

    /// Posts webhooks while the body runs.
    func posting(
        _ queue: SQLiteQueue, _ settings: WebhookSettings, log: CapturedLog = CapturedLog(),
        _ body: () async throws -> Void
    ) async throws {
        let sender = WebhookSender(
            app: "shop", settings: settings, queue: queue, json: { JobAnswer.value($0).encoded },
            group: MultiThreadedEventLoopGroup.singleton,
            logger: log.logger)
        let task = Task { await sender.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        await task.value
    }
}
