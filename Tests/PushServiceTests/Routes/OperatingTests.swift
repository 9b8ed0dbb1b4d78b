import APNSVocabulary
import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import PushDelivery
import PushHTTP
import PushJSON
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Lists, cancelling, dead letters, gone tokens, status.
@Suite struct OperatingTests {
    private func send(_ service: RunningService, _ count: Int, _ key: String, _ more: String = "") async throws
        -> [String]
    {
        let body = "[" + (0..<count).map { _ in push(more) }.joined(separator: ",") + "]"
        return try await service.ask("POST", "/v1/notifications", body, key: key).items().compactMap { $0.string("id") }
    }

    @Test func `notifications are listed by state, outcome and ids`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let done = try await send(service, 3, key)
            try await service.deliver(QueueJobOutcome(.notSent, reason: "expired"))
            let waiting = try await send(service, 2, key)
            func ids(_ query: String) async throws -> [String] {
                try await service.ask("GET", "/v1/notifications?\(query)", key: key).items().compactMap {
                    $0.string("id")
                }
            }
            #expect(Set(try await ids("")) == Set(done + waiting))
            #expect(Set(try await ids("state=waiting")) == Set(waiting))
            #expect(Set(try await ids("outcome=not_sent")) == Set(done))
            #expect(try await ids("outcome=accepted").isEmpty)
            let wanted = [waiting[1], done[0], "00000000-0000-0000-0000-000000000000"]
            #expect(try await ids("ids=\(wanted.joined(separator: ","))") == [waiting[1], done[0]])
            let page = try await service.ask("GET", "/v1/notifications?limit=2", key: key)
            let next = try #require(page.string("next"))
            #expect(page.items().count == 2)
            #expect(try await ids("limit=1000&after=\(next)").count == 3)
        }
    }

    @Test(arguments: [
        "state=waitin", "outcome=sent", "state=waiting&outcome=accepted", "limit=0", "limit=1001", "limit=x",
        "limit=%2B5", "limit=+5", "ids=",
        "ids=1,2",
        "stat=waiting", "state=waiting&state=waiting", "after=%zz",
    ])
    func `a query that is wrong is refused`(query: String) async throws {
        try await RunningService.with { service in
            let answer = try await service.ask("GET", "/v1/notifications?\(query)", key: try await service.key())
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    @Test func `what waits can be cancelled, what has an outcome cannot`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let ids = try await send(service, 2, key)
            let cancelled = try await service.ask("DELETE", "/v1/notifications/\(ids[0])", key: key)
            #expect(cancelled.status == 200 && cancelled.string("result") == "cancelled")
            let job = try await service.ask("GET", "/v1/notifications/\(ids[0])", key: key)
            #expect(job["outcome"]?.string("reason") == "cancelled")
            #expect(try await service.ask("DELETE", "/v1/notifications/\(ids[0])", key: key).status == 409)
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 1, lease: .seconds(60), apps: ["shop": 1]))
            _ = try await service.queue.start(jobs.map(\.lease))
            let started = try await service.ask("DELETE", "/v1/notifications/\(ids[1])", key: key)
            #expect(started.status == 409 && started.string("code") == "already_started")
        }
    }

    @Test func `everything that waits in an app is cancelled`() async throws {
        try await RunningService.with { service in
            let (shop, news) = (try await service.key(["shop"]), try await service.key(["news"]))
            for _ in 0..<3 { _ = try await send(service, 700, shop) }
            _ = try await send(service, 1, news)
            let answer = try await service.ask("POST", "/v1/notifications/cancel", "{}", key: shop)
            #expect(answer.status == 200 && answer["cancelled"] == .integer(2100) && answer["unknown"] == .integer(0))
            #expect(try await service.queue.counts()["news"]?.waiting == 1)
        }
    }

    @Test(arguments: ["", #""token": "0f0f""#, #""suspected": true"#])
    func `a cancellation counts pushes that may have arrived as unknown`(members: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            var job = NewQueueJob(to: .device("0f0f"), payload: Array("{}".utf8))
            job.policy = .atLeastOnce
            _ = try await service.queue.enqueue(EnqueueRequest([job, job, job], app: "shop"))
            let claimed = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 3, lease: .seconds(60), apps: ["shop": 3]))
            _ = try await service.queue.start(claimed.map(\.lease))
            for (index, job) in claimed.enumerated() {
                var retry = QueueJobRetry(job.lease, due: .after(.zero), reason: AppCorrection.Kind.mismatch.rawValue)
                retry.mayHaveArrived = index > 0
                _ = try await service.queue.retry([retry])
            }
            let answer = try await service.ask("POST", "/v1/notifications/cancel", "{\(members)}", key: key)
            #expect(answer["cancelled"] == 1 && answer["unknown"] == 2, "\(answer.text)")
            let counts = try await service.queue.counts()["shop"]
            #expect(counts?.notSent == 1 && counts?.unknown == 2)
        }
    }

    @Test func `dead letters are listed and put in again`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let ids = try await send(service, 2, key)
            _ = try await service.queue.bury(ids.compactMap(UUID.init(uuidString:)), app: "shop", detail: "broken")
            let list = try await service.ask("GET", "/v1/dead-letters", key: key)
            #expect(Set(list.items().compactMap { $0.string("id") }) == Set(ids))
            let body = #"{"ids": ["\#(ids[0])", "00000000-0000-0000-0000-000000000000"], "ttl": "1h"}"#
            let answer = try await service.ask("POST", "/v1/dead-letters/redrive", body, key: key)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.items().map { $0.string("result") } == ["queued", "not_found"])
            let new = try #require(answer.items()[0].string("redriven_as"))
            #expect(try await service.ask("GET", "/v1/notifications/\(new)", key: key).string("state") == "waiting")
            #expect(
                try await service.ask("GET", "/v1/notifications/\(ids[0])", key: key).string("redriven_as") == new)
            let again = try await service.ask("POST", "/v1/dead-letters/redrive", body, key: key)
            #expect(again.items()[0].string("result") == "already_redriven")
            for bad in [
                #"{"ids": "x"}"#, #"{"ids": []}"#, #"{"ids": ["x"]}"#, "{}", #"{"ids": ["\#(ids[0])"], "x": 1}"#,
                #"{"ids": ["\#(ids[0])"], "ttl": "0s"}"#, #"{"ids": ["\#(ids[0])"], "ttl": 3600}"#,
            ] {
                #expect(try await service.ask("POST", "/v1/dead-letters/redrive", bad, key: key).status == 400)
            }
            let wrong = try await service.ask("POST", "/v1/dead-letters/redrive", #"{"ids": ["x"]}"#, key: key)
            #expect(wrong.string("detail") == "\"x\" isn't the id of a notification.")
        }
    }

    @Test func `a redrive keeps a delivery time that lies ahead, and tells what it changes`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let more =
                #""deliver_at": "2100-01-01T00:00:00Z", "expires_at": "2100-01-02T00:00:00Z", "dedupe_key": "one""#
            let ids = try await send(service, 1, key, more) + send(service, 1, key)
            _ = try await service.queue.bury(ids.compactMap(UUID.init(uuidString:)), app: "shop", detail: "broken")
            let body = #"{"ids": ["\#(ids[0])", "\#(ids[1])"]}"#
            let items = try await service.ask("POST", "/v1/dead-letters/redrive", body, key: key).items()
            #expect(items.map { $0.string("result") } == ["queued", "queued"])
            #expect(items[0].string("deliver_at") == "2100-01-01T00:00:00.000Z" && items[0]["expires_at"] == nil)
            #expect(
                items[0]["changes"] == [
                    "It never expires; the dead letter's expiry was 2100-01-02T00:00:00.000Z.", "It has no dedupe key.",
                ])
            #expect(items[1].string("deliver_at") != nil && items[1]["changes"] == nil)
            let new = try #require(items[0].string("redriven_as"))
            let job = try await service.ask("GET", "/v1/notifications/\(new)", key: key)
            #expect(job.string("deliver_at") == "2100-01-01T00:00:00.000Z" && job.string("state") == "waiting")
        }
    }

    @Test func `gone tokens are listed after a cursor and can be forgotten`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let since = QueueTime(milliseconds: 1_767_225_600_000)
            try await service.queue.recordGone(
                (10..<15).map { GoneToken("ab\($0)", since: since) }, app: "shop")
            let page = try await service.ask("GET", "/v1/gone-tokens?limit=3", key: key)
            #expect(page.items().count == 3)
            #expect(page.items()[0].string("gone_since") == "2026-01-01T00:00:00.000Z")
            let next = try #require(page.string("next"))
            #expect(try await service.ask("GET", "/v1/gone-tokens?after=\(next)", key: key).items().count == 2)
            #expect(try await service.ask("DELETE", "/v1/gone-tokens/AB12", key: key).status == 204)
            #expect(try await service.ask("DELETE", "/v1/gone-tokens/ab12", key: key).status == 404)
            #expect(try await service.ask("DELETE", "/v1/gone-tokens/x", key: key).status == 400)
            #expect(try await service.ask("GET", "/v1/gone-tokens", key: key).items().count == 4)
        }
    }

    @Test func `the status has what the delivery knows and what the queue counts`() async throws {
        var status = AppStatus(name: "shop", state: .refused)
        (status.isConnected, status.credentials, status.certificateDaysLeft, status.reason) = (true, .refused, 12, "x")
        status.warnings = ["The topic has changed."]
        try await RunningService.with(statuses: { [status] in [status] }) { service in
            let key = try await service.key()
            _ = try await send(service, 2, key)
            let app = try #require(try await service.ask("GET", "/v1/status", key: key).items("apps").first)
            #expect(app["connected"] == .bool(true) && app.string("credentials") == "refused")
            #expect(app["certificate_days_left"] == .integer(12) && app.string("reason") == "x")
            #expect(app["warnings"] == ["The topic has changed."])
            #expect(app.string("state") == "refused" && app["counts"]?["waiting"] == .integer(2))
        }
    }

    @Test func `the status has the workers, if there can be several`() async throws {
        var worker = WorkerHeartbeat(name: "one-7", time: QueueTime(milliseconds: 1_767_225_600_000))
        worker.version = "1.2.3"
        try await RunningService.with(workers: [worker]) { service in
            let status = try await service.ask("GET", "/v1/status", key: try await service.key())
            #expect(
                status.items("workers")
                    == [["name": "one-7", "version": "1.2.3", "seen_at": "2026-01-01T00:00:00.000Z"]])
        }
        try await RunningService.with { service in
            let status = try await service.ask("GET", "/v1/status", key: try await service.key())
            #expect(status["workers"] == nil)
        }
    }

    @Test func `the service is not ready when nothing can be stored`() async throws {
        // Each question is a probe of its own.
        let service = try await RunningService.start({ $0.limits.readyAge = .zero })
        #expect(try await service.ask("GET", "/readyz", key: nil).status == 200)
        await service.queue.close()
        let answer = try await service.ask("GET", "/readyz", key: nil)
        #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        #expect(!answer.text.contains("sqlite"))
        #expect(try await service.ask("GET", "/livez", key: nil).status == 200)
        try await service.stop()
    }

    @Test func `the service is not ready while its worker fails, although it can store`() async throws {
        let failure = NIOLockedValueBox<String?>(nil)
        try await RunningService.with(failure: { failure.withLockedValue { $0 } }) { service in
            #expect(try await service.ask("GET", "/readyz", key: nil).status == 200)
            failure.withLockedValue { $0 = "The worker's step \"storing\" fails: secret of the database" }
            let answer = try await service.ask("GET", "/readyz", key: nil)
            #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
            #expect(answer.text.contains("worker_failing") && !answer.text.contains("secret"))
            failure.withLockedValue { $0 = nil }
            #expect(try await service.ask("GET", "/readyz", key: nil).status == 200)
        }
    }

    @Test(arguments: [QueueError.Code.damaged, .notDurable, .refused, .unusable, .foreign, .busy, .unreachable])
    func `what an operator must correct in the database is no error of the program`(code: QueueError.Code) {
        let problem = QueueError(code, "secret of the database").problem
        #expect(problem.status == .serviceUnavailable && problem.code == "queue_unavailable")
        #expect(!problem.detail.contains("secret") && problem.headers.count == 1)
    }

    @Test func `a sealed queue answers 503 with a sentence that says so`() {
        let problem = QueueError(.sealed, "secret of the database").problem
        #expect(problem.status == .serviceUnavailable && problem.code == "queue_sealed")
        #expect(problem.detail.contains("The queue is sealed") && !problem.detail.contains("secret"))
        #expect(problem.headers.contains { $0.name == .retryAfter && $0.value == "30" })
        #expect(problem.remedy?.contains("imported elsewhere") == true)
    }

    @Test func `the apps of a sealed queue are down, and their status says why`() async throws {
        let statuses: @Sendable () async -> [AppStatus] = { [AppStatus(name: "shop", state: .running)] }
        try await RunningService.with(statuses: statuses) { service in
            let key = try await service.key()
            func app() async throws -> PushJSONValue {
                try #require(
                    try await service.ask("GET", "/v1/status", key: key).items("apps").first {
                        $0.string("name") == "shop"
                    })
            }
            #expect(try await app().string("state") == "running")
            let mark = QueueSeal.exported(
                QueueExport(
                    id: UUID(), sealed: QueueTime(milliseconds: 5), steady: SteadyTime(milliseconds: 5), target: nil))
            _ = try await service.queue.store(mark.bytes, kind: QueueSeal.kind, key: "seal", ifVersion: nil)
            let sealed = try await app()
            #expect(sealed.string("state") == "down")
            #expect(sealed.string("reason")?.contains("The queue is sealed") == true)
        }
    }
}
