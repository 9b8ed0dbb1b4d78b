import NIOPosix
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Outcomes in a real queue, posted to a real server.
@Suite(.timeLimit(.minutes(10))) struct WebhookSenderTests {
    private let ground: WebhookGround

    init() throws {
        ground = try WebhookGround()
    }

    @Test func `each outcome is posted, signed, with its job`() async throws {
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver())
        let secret = try #require(ground.secret)
        try await receiver.run { port in
            let ids = try await ground.finish(3, queue)
            try await ground.posting(queue, ground.settings(port)) {
                let messages = await receiver.messages(3)
                #expect(Set(messages.map(\.id)) == Set(ids.map { "msg_\($0.uuidString.lowercased())" }))
                for message in messages {
                    let seconds = try #require(Int(message.timestamp))
                    let expected = WebhookSignature.header(
                        id: message.id, seconds: seconds, body: Array(message.body.utf8), secrets: [secret])
                    #expect(message.signatures == [expected])
                    let json = try #require(PushJSONValue(json: Array(message.body.utf8)))
                    #expect(json["type"] == "notification.accepted")
                    #expect(json["data"]?["app"] == "shop")
                    #expect(json["data"]?["outcome"]?["kind"] == "accepted")
                }
            }
        }
        await queue.close()
    }

    @Test func `a message is signed with the time of the queue, also if the clock of this machine is wrong`()
        async throws
    {
        let (queue, receiver) = (try await ground.queue(ahead: .seconds(7200)), WebhookReceiver())
        try await receiver.run { port in
            _ = try await ground.finish(1, queue)
            try await ground.posting(queue, ground.settings(port)) {
                let seconds = try #require(Int(await receiver.messages(1)[0].timestamp))
                let ahead = QueueTime(milliseconds: Int64(seconds) * 1000) - QueueTime.now
                #expect(ahead > .seconds(3600) && ahead < .seconds(10_800))
            }
        }
        await queue.close()
    }

    @Test func `a sender that begins again does not post what was taken`() async throws {
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await ground.finish(2, queue)
            try await ground.posting(queue, ground.settings(port)) {
                _ = await receiver.messages(2)
                // The receiver has the messages; the sender also needs its answers.
                let last = try await ground.end(queue)
                _ = try await ground.position(queue) { $0 == WebhookPosition(last) }
            }
            let later = try await ground.finish(1, queue)
            try await ground.posting(queue, ground.settings(port)) {
                let messages = await receiver.messages(3)
                #expect(messages[2].id == "msg_\(later[0].uuidString.lowercased())")
            }
        }
        await queue.close()
    }

    @Test func `only the outcomes that were asked for are posted`() async throws {
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await ground.finish(2, queue)
            _ = try await ground.finish(1, queue, QueueJobOutcome(.rejected, reason: "BadDeviceToken"))
            var settings = try ground.settings(port)
            settings.outcomes = [.rejected]
            try await ground.posting(queue, settings) {
                let messages = await receiver.messages(1)
                #expect(messages[0].body.contains("notification.rejected"))
            }
            #expect(receiver.messages.count == 1)
        }
        await queue.close()
    }

    @Test func `a redirect is not followed`() async throws {
        let queue = try await ground.queue()
        let other = WebhookReceiver()
        try await other.run { otherPort in
            let receiver = WebhookReceiver(location: "http://localhost:\(otherPort)/elsewhere")
            receiver.answer([302])
            try await receiver.run { port in
                _ = try await ground.finish(1, queue)
                try await ground.posting(queue, ground.settings(port)) { _ = await receiver.messages(1) }
            }
            #expect(other.messages.isEmpty)
        }
        await queue.close()
    }

    @Test func `an answer without an end counts as any other, and holds up no message`() async throws {
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver(isEndless: true))
        receiver.answer([503])
        try await receiver.run { port in
            _ = try await ground.finish(3, queue)
            try await ground.posting(queue, ground.settings(port)) {
                let ids = await receiver.messages(4).map(\.id)
                #expect(Set(ids).count == 3)
                // What is beyond the limit of 64 KiB stands in the buffers of the sockets.
                #expect(receiver.parts < 2000)
            }
        }
        await queue.close()
    }

    // MARK: Several workers

    @Test func `of two workers one posts, and the other one goes on where it ended`() async throws {
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver())
        try await receiver.run { port in
            var times = HeartbeatTimes()
            times.interval = .milliseconds(10)
            // However slow the machine is, the turn changes only when the first worker gives it up.
            (times.trust, times.loss) = (.seconds(1_000_000), .seconds(2_000_000))
            func start(_ worker: String) throws -> (turn: WebhookTurn, task: Task<Void, Never>) {
                let turn = WebhookTurn(app: "shop", worker: worker, queue: queue, logger: .silent, times: times)
                let sender = WebhookSender(
                    app: "shop", settings: try ground.settings(port, path: "/\(worker)"), queue: queue,
                    json: { JobAnswer.value($0).encoded },
                    group: MultiThreadedEventLoopGroup.singleton, logger: .silent, turn: turn)
                return (turn, Task { await sender.run() })
            }
            let one = try start("a")
            while !one.turn.isHeld { await Task.yield() }
            let other = try start("b")
            _ = try await ground.finish(50, queue)
            let last = try await ground.end(queue)
            _ = try await ground.position(queue) { $0 == WebhookPosition(last) }
            #expect(!other.turn.isHeld)
            // On a busy machine, an answer may come too late, and the message is posted again.
            #expect(Set(receiver.messages.map(\.id)).count == 50)
            #expect(receiver.messages.allSatisfy { $0.path == "/a" })
            let before = receiver.messages.count
            one.task.cancel()
            await one.task.value
            _ = try await ground.finish(50, queue)
            let end = try await ground.end(queue)
            _ = try await ground.position(queue) { $0 == WebhookPosition(end) }
            #expect(other.turn.isHeld)
            #expect(Set(receiver.messages.map(\.id)).count == 100)
            #expect(receiver.messages.dropFirst(before).allSatisfy { $0.path == "/b" })
            other.task.cancel()
            await other.task.value
            #expect(try await queue.record(kind: WebhookTurn.kind, key: "shop") == nil)
        }
        await queue.close()
    }

    // MARK: Refusals

    @Test func `a message that fails again and again does not stop those behind it`() async throws {
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver())
        try await receiver.run { port in
            let poison = try await ground.finish(1, queue)[0]
            receiver.answer(500, to: "msg_\(poison.uuidString.lowercased())")
            let count = WebhookWindow.maximum + 100
            for _ in 0..<count / 100 { _ = try await ground.finish(100, queue) }
            let last = try await ground.end(queue)
            try await ground.posting(queue, ground.settings(port)) {
                let stored = try await ground.position(queue) { $0.cursor == last }
                #expect(Set(receiver.messages.map(\.id)).count == count + 1)
                #expect(stored.parked.count == 1)
            }
        }
        await queue.close()
    }

    @Test func `a message that the receiver will never take is given up at once, and the log says why`() async throws {
        let (queue, receiver, log) = (try await ground.queue(), WebhookReceiver(), CapturedLog())
        receiver.answer([410])
        try await receiver.run { port in
            var settings = try ground.settings(port)
            settings.url += "?token=4711"
            let id = try await ground.finish(1, queue)[0].uuidString.lowercased()
            let last = try await ground.end(queue)
            try await ground.posting(queue, settings, log: log) {
                let stored = try await ground.position(queue) { $0.cursor == last }
                #expect(stored.parked.isEmpty)
            }
            #expect(receiver.messages.count == 1)
            let line = log.lines.first { $0.contains("given up") }
            #expect(line?.contains("410") == true)
            #expect(line?.contains(id) == true)
            #expect(!log.lines.joined().contains("4711"))
        }
        await queue.close()
    }

    @Test(arguments: [
        (400, true), (404, true), (410, true), (408, false), (409, false), (425, false), (429, false), (500, false),
        (302, false),
    ])
    func `which answers are permanent`(code: Int, isPermanent: Bool) {
        #expect(WebhookPoster.isPermanent(code) == isPermanent)
    }

    @Test func `what was purged is not posted again`() async throws {
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await ground.finish(1, queue)
            let due = QueueTime.earliest
            let first = try await queue.results(of: ["shop"], after: .start, limit: 1).next
            let record = try #require(try await queue.record(kind: WebhookRecord.kind, key: "shop"))
            _ = try await WebhookRecord(app: "shop", queue: queue).write(
                WebhookPosition(first, parked: [.init(cursor: first, failures: 1, first: due, due: due)]),
                ifVersion: record.version)
            let job = try #require(try await queue.results(of: ["shop"], after: .start, limit: 1).items.first)
            let failure = WebhookReports.failure(job, [], "It answered 503.", isGivenUp: false, at: due)
            try await WebhookReports.change("shop", queue) { $0.add(failure, of: first) }
            _ = try await queue.purge(token: "0f0f", app: nil)
            try await ground.posting(queue, ground.settings(port)) {
                _ = try await ground.position(queue) { $0.parked.isEmpty }
                // Nothing fails any more.
                while try await WebhookReports.read("shop", queue).failingSince != nil { await Task.yield() }
            }
            #expect(receiver.messages.isEmpty)
        }
        await queue.close()
    }
}
