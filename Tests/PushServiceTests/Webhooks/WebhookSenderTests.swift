import APNSVocabulary
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
    private let secret = WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A queue with a webhook that has posted everything so far: nothing.
    private func queue() async throws -> SQLiteQueue {
        let queue = try newQueue()
        _ = try await WebhookRecord(app: "shop", queue: queue).write(WebhookPosition(.start), ifVersion: 0)
        return queue
    }

    private func newQueue() throws -> SQLiteQueue {
        try SQLiteQueue(folder.path("queue.sqlite"))
    }

    /// Waits until the stored position is as wanted.
    private func position(
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
    private func end(_ queue: SQLiteQueue) async throws -> QueueResultCursor {
        var cursor = QueueResultCursor.start
        while true {
            let next = try await queue.results(of: ["shop"], after: cursor, limit: 1000).next
            if next == cursor { return cursor }
            cursor = next
        }
    }

    /// Puts jobs in, and gives them an outcome.
    private func finish(_ count: Int, _ queue: SQLiteQueue, _ outcome: QueueJobOutcome = .accepted) async throws
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

    private func settings(_ port: Int, path: String = "/hook") throws -> WebhookSettings {
        var settings = WebhookSettings(url: "http://localhost:\(port)\(path)", secrets: [try #require(secret)])
        settings.allowedHosts = ["localhost"]
        settings.timeout = .seconds(300)
        return settings
    }

    /// Posts webhooks while the body runs.
    private func posting(
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

    @Test func `each outcome is posted, signed, with its job`() async throws {
        let (queue, receiver) = (try await queue(), WebhookReceiver())
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
                    let json = try #require(PushJSONValue(json: Array(message.body.utf8)))
                    #expect(json["type"] == "notification.accepted")
                    #expect(json["data"]?["app"] == "shop")
                    #expect(json["data"]?["outcome"]?["kind"] == "accepted")
                }
            }
        }
        await queue.close()
    }

    @Test func `a sender that begins again does not post what was taken`() async throws {
        let (queue, receiver) = (try await queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await finish(2, queue)
            try await posting(queue, settings(port)) {
                _ = await receiver.messages(2)
                // The receiver has the messages; the sender also needs its answers.
                let last = try await end(queue)
                _ = try await position(queue) { $0 == WebhookPosition(last) }
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
        let (queue, receiver) = (try await queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await finish(2, queue)
            _ = try await finish(1, queue, QueueJobOutcome(.rejected, reason: "BadDeviceToken"))
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
        let queue = try await queue()
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

    // MARK: Several workers

    // MARK: What operators see

    private func report(_ queue: SQLiteQueue, until isWanted: (WebhookReport) -> Bool) async throws -> WebhookReport {
        while true {
            let report = try await WebhookReports.read("shop", queue)
            if isWanted(report) { return report }
            await Task.yield()
        }
    }

    @Test func `a failure is reported, can be tried again at once, and goes with its device token`() async throws {
        let token = String(repeating: "0f", count: 32)
        let trace = try #require(TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        var details = PushDetails()
        details.trace = trace
        let job = NewQueueJob(to: .device(token), payload: Array("{}".utf8), push: details.encoded)
        // Without an operator, the message would come an hour later.
        let (queue, receiver) = (try await queue(), WebhookReceiver(retryAfter: "3600"))
        receiver.answer([503])
        _ = try await queue.enqueue(EnqueueRequest([job], app: "shop"))
        let claimed = try await queue.claim(
            QueueClaimRequest(owner: "test", limit: 1, lease: .seconds(60), apps: ["shop": 1]))
        _ = try await queue.start(claimed.map(\.lease))
        _ = try await queue.complete(claimed.map { QueueJobCompletion($0.lease, .accepted) })
        try await receiver.run { port in
            try await posting(queue, settings(port)) {
                let failed = try await report(queue) { !$0.failures.isEmpty }
                #expect(failed.failingSince != nil && failed.failures.count == 1)
                let failure = try #require(failed.failures.first)
                #expect(failure.detail == "The receiver answered 503." && !failure.isGivenUp)
                #expect(failure.body["type"] == "notification.accepted")
                #expect(failure.body["data"]?["token"] == .string(DeviceToken.shortened(token)))
                #expect(!String(decoding: failed.encoded, as: UTF8.self).contains(token))
                _ = try await queue.store([1], kind: WebhookReports.retryKind, key: "shop", ifVersion: nil)
                let messages = await receiver.messages(2)
                #expect(messages[0].id == messages[1].id && messages.allSatisfy { $0.traceparent == trace.text })
                #expect(messages[0].body.contains(#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736""#))
                let taken = try await report(queue) { $0.failingSince == nil }
                #expect(taken.failures == failed.failures)
            }
        }
        try await WebhookReports.forget(token: "abcd", app: nil, queue)
        try await WebhookReports.forget(token: token.uppercased(), app: "news", queue)
        #expect(try await WebhookReports.read("shop", queue).failures.count == 1)
        try await WebhookReports.forget(token: token.uppercased(), app: nil, queue)
        #expect(try await WebhookReports.read("shop", queue).failures.isEmpty)
        await queue.close()
    }

    @Test func `the API shows a webhook, and posts a test event`() async throws {
        let receiver = WebhookReceiver()
        receiver.answer([200, 418])
        try await receiver.run { port in
            let all = ["shop": try settings(port, path: "/hook?secret=1")]
            try await RunningService.with(webhooks: all) { service in
                let key = try await service.key(["shop", "news"])
                let list = try await service.ask("GET", "/v1/webhooks", key: key)
                #expect(list.items().count == 1 && list.items().first?.string("state") == "untried")
                #expect(list.items().first?.string("url") == "http://localhost:\(port)/hook")
                let test = try await service.ask("POST", "/v1/webhooks/shop/test", "{}", key: key)
                #expect(test.status == 200 && test.string("result") == "taken")
                #expect(try #require(receiver.messages.first).body.contains(#""type":"webhook.test""#))
                let refused = try await service.ask("POST", "/v1/webhooks/shop/test", "{}", key: key)
                #expect(refused.string("result") == "failed" && refused.string("detail")?.contains("418") == true)
                let retry = try await service.ask("POST", "/v1/webhooks/shop/retry", "{}", key: key)
                #expect(retry.status == 200 && retry.string("result") == "nothing_failed")
                for app in ["news", "none"] {
                    #expect(try await service.ask("POST", "/v1/webhooks/\(app)/test", "{}", key: key).status == 404)
                }
                let audit = try await service.ask("GET", "/v1/audit", key: key).items().compactMap {
                    $0.string("action")
                }
                #expect(audit == ["webhook.test", "webhook.test"])
                _ = try await WebhookRecord(app: "shop", queue: service.queue).read()
                let sent = try await service.ask("POST", "/v1/notifications?app=shop", push(), key: key)
                let id = try #require(sent.string("id"))
                try await service.deliver()
                // A failure is known before its position: the worker stores it next.
                let failure = WebhookReport.Failure(
                    time: .now, job: id, detail: "why", isGivenUp: false, token: "", body: [:])
                try await WebhookReports.change("shop", service.queue) { $0.add(failure) }
                let again = try await service.ask("POST", "/v1/webhooks/shop/retry", "{}", key: key)
                #expect(again.status == 202 && again["events"] == .integer(1))
                let entry = try await service.ask("GET", "/v1/audit?limit=1", key: key).items().first
                #expect(entry?.string("action") == "webhook.retry")
                let shown = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
                #expect(shown["webhook", "state"] == "waiting")
            }
        }
    }

    @Test func `what failed longest ago, or is too much, is not kept`() {
        var report = WebhookReport()
        for number in 0..<30 {
            report.add(
                .init(
                    time: QueueTime(milliseconds: Int64(number) * 86_400_000), job: "\(number)", detail: "why",
                    isGivenUp: false, token: "", body: [:]))
        }
        #expect(report.failures.map(\.job) == (10..<30).reversed().map(String.init))
        report.forget(at: QueueTime(milliseconds: 29 * 86_400_000))
        #expect(report.failures.map(\.job) == (22..<30).reversed().map(String.init))
        #expect(WebhookReport(report.encoded) == report && WebhookReport(Array("x".utf8)) == WebhookReport())
    }

    @Test func `of two workers one posts, and the other one goes on where it ended`() async throws {
        let (queue, receiver) = (try await queue(), WebhookReceiver())
        try await receiver.run { port in
            var times = HeartbeatTimes()
            times.interval = .milliseconds(10)
            // However slow the machine is, the turn changes only when the first worker gives it up.
            (times.trust, times.loss) = (.seconds(1_000_000), .seconds(2_000_000))
            func start(_ worker: String) throws -> (turn: WebhookTurn, task: Task<Void, Never>) {
                let turn = WebhookTurn(app: "shop", worker: worker, queue: queue, logger: .silent, times: times)
                let sender = WebhookSender(
                    app: "shop", settings: try settings(port, path: "/\(worker)"), queue: queue,
                    json: { JobAnswer.value($0).encoded },
                    group: MultiThreadedEventLoopGroup.singleton, logger: .silent, turn: turn)
                return (turn, Task { await sender.run() })
            }
            let one = try start("a")
            while !one.turn.isHeld { await Task.yield() }
            let other = try start("b")
            _ = try await finish(50, queue)
            let last = try await end(queue)
            _ = try await position(queue) { $0 == WebhookPosition(last) }
            #expect(!other.turn.isHeld)
            // On a busy machine, an answer may come too late, and the message is posted again.
            #expect(Set(receiver.messages.map(\.id)).count == 50)
            #expect(receiver.messages.allSatisfy { $0.path == "/a" })
            let before = receiver.messages.count
            one.task.cancel()
            await one.task.value
            _ = try await finish(50, queue)
            let end = try await end(queue)
            _ = try await position(queue) { $0 == WebhookPosition(end) }
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
        let (queue, receiver) = (try await queue(), WebhookReceiver())
        try await receiver.run { port in
            let poison = try await finish(1, queue)[0]
            receiver.answer(500, to: "msg_\(poison.uuidString.lowercased())")
            let count = WebhookWindow.most + 100
            for _ in 0..<count / 100 { _ = try await finish(100, queue) }
            let last = try await end(queue)
            try await posting(queue, settings(port)) {
                let stored = try await position(queue) { $0.cursor == last }
                #expect(Set(receiver.messages.map(\.id)).count == count + 1)
                #expect(stored.parked.count == 1)
            }
        }
        await queue.close()
    }

    @Test func `a message that the receiver will never take is given up at once, and the log says why`() async throws {
        let (queue, receiver, log) = (try await queue(), WebhookReceiver(), CapturedLog())
        receiver.answer([410])
        try await receiver.run { port in
            var settings = try settings(port)
            settings.url += "?token=4711"
            let id = try await finish(1, queue)[0].uuidString.lowercased()
            let last = try await end(queue)
            try await posting(queue, settings, log: log) {
                let stored = try await position(queue) { $0.cursor == last }
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
        let (queue, receiver) = (try await queue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await finish(1, queue)
            let due = QueueTime.earliest
            let first = try await queue.results(of: ["shop"], after: .start, limit: 1).next
            let record = try #require(try await queue.record(kind: WebhookRecord.kind, key: "shop"))
            _ = try await WebhookRecord(app: "shop", queue: queue).write(
                WebhookPosition(first, parked: [.init(cursor: first, failures: 1, first: due, due: due)]),
                ifVersion: record.version)
            _ = try await queue.purge(token: "0f0f", app: nil)
            try await posting(queue, settings(port)) {
                _ = try await position(queue) { $0.parked.isEmpty }
            }
            #expect(receiver.messages.isEmpty)
        }
        await queue.close()
    }

    // MARK: The position

    @Test func `a new webhook begins at the end of the outcomes`() async throws {
        let (queue, receiver) = (try newQueue(), WebhookReceiver())
        try await receiver.run { port in
            _ = try await finish(3, queue)
            try await posting(queue, settings(port)) {
                let last = try await end(queue)
                _ = try await position(queue) { $0 == WebhookPosition(last) }
                let new = try await finish(1, queue)[0]
                let messages = await receiver.messages(1)
                #expect(messages[0].id == "msg_\(new.uuidString.lowercased())")
            }
            #expect(receiver.messages.count == 1)
        }
        await queue.close()
    }

    @Test func `a position that cannot be read is no beginning`() async throws {
        let queue = try await queue()
        await queue.close()
        await #expect(throws: QueueError.self) { _ = try await WebhookRecord(app: "shop", queue: queue).read() }
        let (log, settings) = (CapturedLog(), try settings(1))
        try await posting(queue, settings, log: log) {
            try await log.wait(for: "the position can't be read") { lines in
                lines.contains { $0.contains("The webhook's position can't be read.") }
            }
        }
    }

    @Test func `a process does not move the position of another one back`() async throws {
        let queue = try await queue()
        let record = WebhookRecord(app: "shop", queue: queue)
        let (one, other) = (try await record.read(), try await record.read())
        _ = try await record.write(WebhookPosition(QueueResultCursor(number: 10)), ifVersion: other.version)
        let late = try await record.write(WebhookPosition(QueueResultCursor(number: 5)), ifVersion: one.version)
        #expect(late == nil)
        #expect(try await record.read().position == WebhookPosition(QueueResultCursor(number: 10)))
        await queue.close()
    }
}
