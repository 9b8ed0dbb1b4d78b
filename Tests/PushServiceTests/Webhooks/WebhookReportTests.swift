import APNSVocabulary
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// What operators see of a webhook, and can do with it.
@Suite(.timeLimit(.minutes(10))) struct WebhookReportTests {
    private let ground: WebhookGround

    init() throws {
        ground = try WebhookGround()
    }

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
        var job = NewQueueJob(to: .device(token), payload: Array("{}".utf8), push: details.encoded)
        job.dedupeKey = "order:\(token.uppercased())"
        // Without an operator, the message would come an hour later.
        let (queue, receiver) = (try await ground.queue(), WebhookReceiver(retryAfter: "3600"))
        receiver.answer([503])
        _ = try await queue.enqueue(EnqueueRequest([job], app: "shop"))
        let claimed = try await queue.claim(
            QueueClaimRequest(owner: "test", limit: 1, lease: .seconds(60), apps: ["shop": 1]))
        _ = try await queue.start(claimed.map(\.lease))
        _ = try await queue.complete(claimed.map { QueueJobCompletion($0.lease, .accepted) })
        try await receiver.run { port in
            try await ground.posting(queue, ground.settings(port)) {
                let failed = try await report(queue) { !$0.failures.isEmpty }
                #expect(failed.failingSince != nil && failed.failures.count == 1)
                let failure = try #require(failed.failures.first)
                #expect(failure.detail == "The receiver answered 503." && !failure.isGivenUp)
                #expect(failure.body["type"] == "notification.accepted")
                #expect(failure.body["data"]?["token"] == .string(DeviceToken.shortened(token)))
                #expect(!String(decoding: failed.encoded, as: UTF8.self).lowercased().contains(token))
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

    @Test func `a key has few tests of webhooks at the same time`() async throws {
        try await RunningService.with(webhooks: ["shop": ground.settings(1)]) { service in
            let (text, key) = try await service.service.keys.create(apps: ["shop"], scopes: [.admin])
            let answers = service.service.api.parts.answers
            func test() async throws -> HTTPAnswer {
                try await service.ask("POST", "/v1/webhooks/shop/test", "{}", key: text)
            }
            var running = try (0..<8).map { _ in try answers.reserve(.webhookTest, for: .key(key.id)) }
            let refused = try await test()
            #expect(refused.status == 429 && refused.string("code") == "too_many_waiting", "\(refused.text)")
            running.removeLast()
            #expect(try await test().string("result") == "failed")
            #expect(try await test().string("result") == "failed")
        }
    }

    @Test func `the API shows a webhook, and posts a test event`() async throws {
        let receiver = WebhookReceiver()
        receiver.answer([200, 418])
        try await receiver.run { port in
            let all = ["shop": try ground.settings(port, path: "/hook?secret=1")]
            try await RunningService.with(webhooks: all, { $0.metrics = .init(port: 0) }) { service in
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
                try await WebhookReports.change("shop", service.queue) { $0.add(failure, of: .start) }
                let again = try await service.ask("POST", "/v1/webhooks/shop/retry", "{}", key: key)
                #expect(again.status == 202 && again["events"] == .integer(1))
                let entry = try await service.ask("GET", "/v1/audit?limit=1", key: key).items().first
                #expect(entry?.string("action") == "webhook.retry")
                let shown = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
                #expect(shown["webhook", "state"] == "waiting")
                let metrics = try await HTTPConnection.open(port: try #require(await service.service.metricsPort))
                defer { metrics.close() }
                let page = try await metrics.ask("GET", "/metrics", key: nil).text
                #expect(page.contains(#"pushserve_webhook_waiting{app="shop"} 1"# + "\n"))
                #expect(page.contains(#"pushserve_webhook_oldest_seconds{app="shop"} "#))
                #expect(!page.contains(#"webhook_waiting{app="news"}"#))
            }
        }
    }

    @Test func `a push tells whether its outcome was posted, given up, or not meant to be`() async throws {
        let receiver = WebhookReceiver()
        try await receiver.run { port in
            var settings = try ground.settings(port)
            settings.requestsAtOnce = 1
            try await RunningService.with(webhooks: ["shop": settings]) { service in
                let (queue, key) = (service.queue, try await service.key())
                func settle() async throws {
                    let end = try await ground.end(queue)
                    _ = try await ground.position(queue) { $0 == WebhookPosition(end) }
                }
                func states(_ jobs: [UUID]) async throws -> Set<String?> {
                    var states: Set<String?> = []
                    for id in jobs {
                        let shown = try await service.ask("GET", "/v1/notifications/\(JobAnswer.text(id))", key: key)
                        states.insert(shown.string("webhook", "state"))
                    }
                    return states
                }
                var unwanted = try await ground.finish(1, queue)
                var narrow = settings
                narrow.outcomes = [.rejected]
                try await ground.posting(queue, narrow) {
                    unwanted += try await ground.finish(1, queue)
                    try await settle()
                }
                // Alternating, as the receiver rests after five failures in a row.
                let jobs = try await ground.finish(2 * (WebhookReport.maximum + 5), queue)
                let refused = stride(from: 0, to: jobs.count, by: 2).map { jobs[$0] }
                for id in refused { receiver.answer(401, to: "msg_\(JobAnswer.text(id))") }
                try await ground.posting(queue, settings) { try await settle() }
                #expect(try await states(unwanted) == ["not_wanted"])
                #expect(try await states(refused) == ["given_up"])
                #expect(try await states(jobs.filter { !refused.contains($0) }) == ["delivered"])
            }
        }
    }

    @Test func `of the events that were given up the last are known`() {
        var report = WebhookReport()
        for number in 0...1000 {
            report.add(
                .init(time: .now, job: "\(number)", detail: "why", isGivenUp: true, token: "", body: [:]),
                of: QueueResultCursor(number: Int64(2 * number + 1)))
        }
        report = WebhookReport(report.encoded)
        let known = [2, 3, 4, 2001, 2002].map { report.isGivenUp(QueueResultCursor(number: $0)) }
        #expect(known == [nil, true, false, true, false])
        // It was posted again, and taken.
        report.take(QueueResultCursor(number: 2001), at: .now)
        #expect(report.isGivenUp(QueueResultCursor(number: 2001)) == false)
    }

    @Test func `nobody knows where a webhook began that is older than its report`() {
        var report = WebhookReport()
        func isBefore(_ number: Int64, _ kind: QueueJobOutcome.Kind) -> Bool {
            report.isBeforeBeginning(QueueResultCursor(number: number), kind)
        }
        report.begin([.accepted], after: QueueResultCursor(number: 5), isNew: false)
        report.begin([.accepted, .rejected], after: QueueResultCursor(number: 9), isNew: false)
        #expect(!isBefore(3, .accepted) && isBefore(9, .rejected) && !isBefore(10, .rejected))
        report = WebhookReport()
        report.begin([.accepted], after: QueueResultCursor(number: 5), isNew: true)
        #expect(isBefore(5, .accepted) && !isBefore(6, .accepted))
    }

    @Test func `what failed longest ago, or is too much, is not kept`() {
        var report = WebhookReport()
        for number in 0..<30 {
            report.add(
                .init(
                    time: QueueTime(milliseconds: Int64(number) * 86_400_000), job: "\(number)", detail: "why",
                    isGivenUp: false, token: "", body: [:]), of: .start)
        }
        #expect(report.failures.map(\.job) == (10..<30).reversed().map(String.init))
        report.forget(at: QueueTime(milliseconds: 29 * 86_400_000))
        #expect(report.failures.map(\.job) == (22..<30).reversed().map(String.init))
        #expect(WebhookReport(report.encoded) == report && WebhookReport(Array("x".utf8)) == WebhookReport())
    }
}
