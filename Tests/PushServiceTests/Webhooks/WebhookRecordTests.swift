import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// The position of a webhook in the outcomes.
@Suite(.timeLimit(.minutes(10))) struct WebhookRecordTests {
    private let ground: WebhookGround

    init() throws {
        ground = try WebhookGround()
    }

    @Test func `a new webhook begins at the end of the outcomes`() async throws {
        let (queue, receiver) = (try ground.newQueue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await ground.finish(3, queue)
            try await ground.posting(queue, ground.settings(port)) {
                let last = try await ground.end(queue)
                _ = try await ground.position(queue) { $0 == WebhookPosition(last) }
                let new = try await ground.finish(1, queue)[0]
                let messages = await receiver.messages(1)
                #expect(messages[0].id == "msg_\(new.uuidString.lowercased())")
            }
            #expect(receiver.messages.count == 1)
        }
        await queue.close()
    }

    @Test func `a position that cannot be read is no beginning`() async throws {
        let queue = try await ground.queue()
        await queue.close()
        await #expect(throws: QueueError.self) { _ = try await WebhookRecord(app: "shop", queue: queue).read() }
        let (log, settings) = (CapturedLog(), try ground.settings(1))
        try await ground.posting(queue, settings, log: log) {
            try await log.wait(for: "the position can't be read") { lines in
                lines.contains { $0.contains("The webhook's position can't be read.") }
            }
        }
    }

    @Test func `a process does not move the position of another one back`() async throws {
        let queue = try await ground.queue()
        let record = WebhookRecord(app: "shop", queue: queue)
        let (one, other) = (try await record.read(), try await record.read())
        _ = try await record.write(WebhookPosition(QueueResultCursor(number: 10)), ifVersion: other.version)
        let late = try await record.write(WebhookPosition(QueueResultCursor(number: 5)), ifVersion: one.version)
        #expect(late == nil)
        #expect(try await record.read().position == WebhookPosition(QueueResultCursor(number: 10)))
        await queue.close()
    }
}
