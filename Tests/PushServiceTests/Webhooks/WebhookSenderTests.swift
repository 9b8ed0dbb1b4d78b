import Logging
import NIOPosix
import PushJSON
import PushPlatform
import PushQueue
import Testing

@testable import PushService

/// Outcomes in a real queue, posted to a real server.
@Suite(.timeLimit(.minutes(5))) struct WebhookSenderTests {
    private let secret = WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    private let folder = FileManager.default.temporaryDirectory.appending(path: "webhooks-\(UUID())")

    private func queue() throws -> SQLiteQueue {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try SQLiteQueue(folder.appending(path: "queue.sqlite").path(percentEncoded: false))
    }

    /// Puts jobs in, and gives them an outcome.
    private func finish(_ count: Int, _ queue: SQLiteQueue, _ outcome: JobOutcome = .accepted) async throws -> [UUID] {
        let jobs = (0..<count).map { _ in NewJob(to: .device("0f0f"), payload: Array("{}".utf8)) }
        _ = try await queue.enqueue(EnqueueRequest(jobs, app: "shop"))
        let claimed = try await queue.claim(
            ClaimRequest(owner: "test", limit: count, lease: .seconds(60), apps: ["shop": count]))
        _ = try await queue.start(claimed.map(\.lease))
        _ = try await queue.complete(claimed.map { JobCompletion($0.lease, outcome) })
        return claimed.map(\.id)
    }

    private func settings(_ port: Int) throws -> WebhookSettings {
        var settings = WebhookSettings(url: "http://localhost:\(port)/hook", secrets: [try #require(secret)])
        settings.allowedHosts = ["localhost"]
        return settings
    }

    /// Posts webhooks while the body runs.
    private func posting(
        _ queue: SQLiteQueue, _ settings: WebhookSettings, _ body: () async throws -> Void
    ) async throws {
        let sender = WebhookSender(
            app: "shop", settings: settings, queue: queue, json: { JobAnswer.value($0).encoded },
            group: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
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

    @Test func `each outcome is posted, signed, with its job`() async throws {
        let (queue, receiver) = (try queue(), WebhookReceiver())
        let secret = try #require(secret)
        try await receiver.run { port in
            let ids = try await finish(3, queue)
            try await posting(queue, settings(port)) {
                let messages = await receiver.messages(3)
                #expect(Set(messages.map(\.id)) == Set(ids.map { "msg_\($0.uuidString.lowercased())" }))
                for message in messages {
                    let seconds = try #require(Int(message.timestamp))
                    let expected = WebhookSignature.header(
                        id: message.id, seconds: seconds, body: Array(message.body.utf8), secrets: [secret])
                    #expect(message.signatures == [expected])
                    let json = try #require(JSONValue(json: Array(message.body.utf8)))
                    #expect(json["type"] == "notification.accepted")
                    #expect(json["data"]?["app"] == "shop")
                    #expect(json["data"]?["outcome"]?["kind"] == "accepted")
                }
            }
        }
        await queue.close()
    }

    @Test func `a sender that begins again does not post what was taken`() async throws {
        let (queue, receiver) = (try queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await finish(2, queue)
            try await posting(queue, settings(port)) {
                _ = await receiver.messages(2)
                // The receiver has the messages; the sender also needs its answers.
                let last = try await queue.results(of: ["shop"], after: .start, limit: 10).next
                let stored = Array(String(last.number).utf8)
                while try await queue.record(kind: WebhookSender.recordKind, key: "shop")?.value != stored {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            let later = try await finish(1, queue)
            try await posting(queue, settings(port)) {
                let messages = await receiver.messages(3)
                #expect(messages[2].id == "msg_\(later[0].uuidString.lowercased())")
            }
        }
        await queue.close()
    }

    @Test func `only the outcomes that were asked for are posted`() async throws {
        let (queue, receiver) = (try queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await finish(2, queue)
            _ = try await finish(1, queue, JobOutcome(.rejected, reason: "BadDeviceToken"))
            var settings = try settings(port)
            settings.outcomes = [.rejected]
            try await posting(queue, settings) {
                let messages = await receiver.messages(1)
                #expect(messages[0].body.contains("notification.rejected"))
            }
            #expect(receiver.messages.count == 1)
        }
        await queue.close()
    }

    @Test func `a redirect is not followed`() async throws {
        let queue = try queue()
        let other = WebhookReceiver()
        try await other.run { otherPort in
            let receiver = WebhookReceiver(location: "http://localhost:\(otherPort)/elsewhere")
            receiver.answer([302])
            try await receiver.run { port in
                _ = try await finish(1, queue)
                try await posting(queue, settings(port)) { _ = await receiver.messages(1) }
            }
            #expect(other.messages.isEmpty)
        }
        await queue.close()
    }

    @Test func `an address that is not public needs a listed host`() async throws {
        var settings = WebhookSettings(url: "https://localhost/", secrets: [try #require(secret)])
        let poster = try #require(WebhookPoster(settings, group: MultiThreadedEventLoopGroup.singleton))
        let answer = await poster.post(id: "msg_1", body: [], now: Date())
        guard case .failed(let reason, _) = answer else {
            Issue.record("It was posted.")
            return
        }
        #expect(reason.contains("not public"))
        await poster.close()
        settings.url = "https://127.0.0.1/"
        let direct = try #require(WebhookPoster(settings, group: MultiThreadedEventLoopGroup.singleton))
        guard case .failed(let refusal, _) = await direct.post(id: "msg_1", body: [], now: Date()) else {
            Issue.record("It was posted.")
            return
        }
        #expect(refusal.contains("not public"))
        await direct.close()
    }
}
