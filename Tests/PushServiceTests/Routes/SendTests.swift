import APNSVocabulary
import Foundation
import PushDelivery
import PushJSON
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// One push: what is taken in, and what is refused.
@Suite struct SendTests {
    @Test func `everything about a push reaches the queue`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let more = #"""
                "topic": "com.example.shop", "push_type": "alert", "priority": 5, "collapse_id": "offer", "once": true,
                "queue_priority": "high", "dedupe_key": "one", "registered_at": "2026-01-01T00:00:00Z",
                "expires_at": "2100-01-01T00:00:00Z"
                """#
            let posted = try await service.ask("POST", "/v1/notifications", push(more), key: key)
            #expect(posted.status == 202, "\(posted.text)")
            let job = try #require(
                try await service.queue.claim(
                    QueueClaimRequest(owner: "test", limit: 1, lease: .seconds(60), apps: ["shop": 1])
                ).first)
            let details = try #require(PushDetails(encoded: job.push))
            #expect(details.topic == "com.example.shop" && details.pushType == .alert && details.collapseID == "offer")
            #expect(details.priority?.rawValue == 5 && details.once)
            #expect(details.registeredAt.map(QueueTime.init) == QueueTime(milliseconds: 1_767_225_600_000))
            #expect(job.priority == .high && job.expires == QueueTime(milliseconds: 4_102_444_800_000))
            #expect(job.target == .device(DeviceToken.sampleHex))
            #expect(posted.string("id") == job.id.uuidString.lowercased())
        }
    }

    @Test(arguments: [
        ("/v1/notifications", push(), "application/json"),
        ("/v1/notifications", "[\(push())]", "application/json"),
        ("/v1/notifications", push(), "application/x-ndjson"),
        ("/v1/campaigns?name=Sale", push(), "application/x-ndjson"),
    ])
    func `the topic of the app is fixed when a push is accepted`(path: String, body: String, type: String) async throws
    {
        try await RunningService.with { service in
            let key = try await service.key()
            let posted = try await service.ask("POST", path, body, key: key, type: type)
            #expect((200..<300).contains(posted.status), "\(posted.text)")
            for campaign in try await service.queue.activeCampaigns() {
                _ = try await service.queue.advanceCampaign(campaign.id, app: "shop", ahead: 10, limit: 10)
            }
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 10, lease: .seconds(60), apps: ["shop": 10]))
            let job = try #require(jobs.first)
            let details = try #require(PushDetails(encoded: job.push))
            #expect(details.topic == nil && details.defaultTopic == "com.example.shop")
        }
    }

    @Test func `the default topic of a certificate depends on the push type`() async throws {
        let topic: @Sendable (AppSettings, () -> PushType) -> String? = { _, pushType in
            "com.example.\(pushType().rawValue)"
        }
        try await RunningService.with(defaultTopic: topic) { service in
            let key = try await service.key()
            let voip = push(#""push_type": "voip""#)
            let quiet = #"{"token": "\#(DeviceToken.sampleHex)", "payload": {"aps": {"content-available": 1}}}"#
            for body in [push(), voip, quiet, push(#""topic": "com.example.named""#)] {
                let posted = try await service.ask("POST", "/v1/notifications", body, key: key)
                #expect(posted.status == 202, "\(posted.text)")
            }
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 10, lease: .seconds(60), apps: ["shop": 10]))
            let details = jobs.compactMap { PushDetails(encoded: $0.push) }
            #expect(
                Set(details.map { $0.topic ?? $0.defaultTopic ?? "" }) == [
                    "com.example.alert", "com.example.voip", "com.example.background", "com.example.named",
                ])
        }
    }

    @Test func `a broadcast has a channel`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = #"""
                {"channel": "dHN0LXNyY2gtY2hubA==", "expires_at": "2100-01-01T00:00:00Z", "payload": {"aps": {"timestamp": 1700000000, "event": "update", "content-state": {"a": 1}}}}
                """#
            let posted = try await service.ask("POST", "/v1/notifications", body, key: key)
            #expect(posted.status == 202, "\(posted.text)")
            let id = try #require(posted.string("id"))
            let job = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
            #expect(job.string("channel") == "dHN0LXNyY2gtY2hubA==" && job["token"] == nil)
        }
    }

    @Test(arguments: [
        (#""collapse_id": "x""#, "/collapse_id", "A broadcast has no collapse id"),
        (#""push_type": "alert""#, "/push_type", "The push type of a broadcast is liveactivity, not alert."),
        (#""registered_at": "2026-01-01""#, "/registered_at", "A broadcast has no device token"),
    ])
    func `a broadcast refuses by name what only a device has`(member: String, field: String, words: String) async throws
    {
        try await RunningService.with { service in
            let key = try await service.key()
            let answer = try await service.ask(
                "POST", "/v1/notifications", #"{\#(Self.update), \#(member)}"#, key: key)
            #expect([400, 422].contains(answer.status) && answer.string("field") == field, "\(answer.text)")
            #expect(answer.string("detail")?.hasPrefix(words) == true, "\(answer.text)")
        }
    }

    private static let update =
        #""channel": "dHN0LXNyY2gtY2hubA==", "payload": {"aps": {"timestamp": 1795262400, "event": "update", "content-state": {}}}"#

    /// The time of the app is how long the queue keeps the push. As the expiration, it would be refused by a channel that stores nothing.
    @Test func `a broadcast is tried once, unless it has a time of its own`() async throws {
        let apps = ["shop": RunningService.app("shop") { $0.expiry = .seconds(3600) }]
        try await RunningService.with(apps: apps) { service in
            let key = try await service.key()
            for (more, isOnce) in [("", true), (#", "push_type": "liveactivity""#, true), (#", "ttl": "2h""#, false)] {
                let posted = try await service.ask(
                    "POST", "/v1/notifications", "{\(Self.update)\(more)}", key: key)
                #expect(posted.status == 202, "\(posted.text)")
                let request = QueueClaimRequest(owner: "test", limit: 10, lease: .seconds(60), apps: ["shop": 10])
                let job = try #require(try await service.queue.claim(request).first)
                #expect(PushDetails(encoded: job.push)?.once == isOnce && job.expires != nil, "\(more)")
            }
        }
    }

    @Test(arguments: [
        (#""expires_att": "x""#, "unknown_member", "/expires_att"), (#""token": "ab""#, "repeated_member", "/token"),
        (#""channel": "dHN0LXNyY2gtY2hubA==""#, "invalid_value", "/channel"),
        (#""priority": 7"#, "invalid_value", "/priority"),
        (#""priority": "high""#, "wrong_type", "/priority"),
        (#""push_type": "two words""#, "invalid_value", "/push_type"),
        (#""ttl": "2 h""#, "invalid_value", "/ttl"), (#""ttl": "0s""#, "invalid_value", "/ttl"),
        (#""ttl": "2h", "expires_at": "2100-01-01T00:00:00Z""#, "invalid_value", "/ttl"),
        (#""deliver_at": "tomorrow""#, "invalid_value", "/deliver_at"),
        (#""deliver_at": "2026-02-30T00:00:00Z""#, "invalid_value", "/deliver_at"),
        (#""deliver_at": "9999-01-01T00:00:00Z""#, "invalid_value", "/deliver_at"),
        (#""deliver_at": "2026-01-01T00:00:00 CET""#, "invalid_value", "/deliver_at"),
        (#""deliver_at": 4102444800000"#, "invalid_value", "/deliver_at"),
        (#""deliver_at": true"#, "wrong_type", "/deliver_at"),
        (#""deliver_at": 3600"#, "invalid_value", "/deliver_at"),
        (#""deliver_at": "3600""#, "invalid_value", "/deliver_at"),
        (#""deliver_at": 3600.5"#, "invalid_value", "/deliver_at"),
        (#""deliver_at": 0"#, "invalid_value", "/deliver_at"),
        (#""deliver_at": -3600"#, "invalid_value", "/deliver_at"),
        (#""deliver_at": 1e18"#, "invalid_value", "/deliver_at"),
        (#""deliver_at": "2009-01-01""#, "invalid_value", "/deliver_at"),
        (#""registered_at": "2999-01-01""#, "invalid_value", "/registered_at"),
        (#""registered_at": 1695782874475123"#, "invalid_value", "/registered_at"),
        (#""registered_at": 0"#, "invalid_value", "/registered_at"),
        (#""queue_priority": "urgent""#, "invalid_value", "/queue_priority"),
        (#""dedupe_key": """#, "invalid_value", "/dedupe_key"),
        (#""once": "no""#, "wrong_type", "/once"), (#""vars": []"#, "wrong_type", "/vars"),
        (#""topic": 1"#, "wrong_type", "/topic"),
    ])
    func `a member that is wrong is named`(more: String, code: String, field: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let answer = try await service.ask("POST", "/v1/notifications", push(more), key: key)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.string("code") == code && answer.string("field") == field, "\(answer.text)")
            #expect(answer["line"] == .integer(1) && answer["column"] != nil)
            #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
        }
    }

    @Test(arguments: [
        ("expires_att", "expires_at"), ("pushType", "push_type"), ("tokn", "token"), ("prioritiy", "priority"),
    ])
    func `the member that was meant is proposed`(written: String, meant: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let answer = try await service.ask("POST", "/v1/notifications", push("\"\(written)\": 1"), key: key)
            #expect(answer.string("remedy")?.contains("\"\(meant)\"") == true, "\(answer.text)")
        }
    }

    @Test(arguments: [
        "", "{", "[", "null", "1", "\"x\"", "{}", #"{"payload": {}}"#, #"{"token": "ab"}"#,
        #"{"token": "ab", "payload": []}"#,
        #"{"token": "ab", "payload": {"aps": {}},}"#, #"{"token": "", "payload": {"aps": {"alert": "x"}}}"#, "\u{0}",
        #"{"channel": "not base64!", "payload": {"aps": {"alert": "x"}}}"#,
    ])
    func `a body that is no push is refused`(body: String) async throws {
        try await RunningService.with { service in
            let answer = try await service.ask("POST", "/v1/notifications", body, key: try await service.key())
            #expect(answer.status == 400 || answer.status == 422, "\(answer.text)")
            #expect(answer.string("detail")?.isEmpty == false)
        }
    }

    @Test func `only the topics of the app are possible`() async throws {
        let app = RunningService.app("shop") { $0.allowedTopics = ["com.example.shop.voip"] }
        try await RunningService.with(apps: ["shop": app]) { service in
            let key = try await service.key()
            let other = try await service.ask("POST", "/v1/notifications", push(#""topic": "com.other""#), key: key)
            #expect(other.status == 400 && other.string("code") == "topic_not_allowed")
            #expect(
                try await service.ask("POST", "/v1/notifications", push(#""topic": "com.example.shop""#), key: key)
                    .status == 202)
        }
    }

    // MARK: Times

    @Test func `a push that expires before its time is refused`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for more in [
                #""deliver_at": "2100-01-01T00:00:00Z", "expires_at": "2099-01-01T00:00:00Z""#,
                #""deliver_at": "2100-01-01T00:00:00Z", "expires_at": "2100-01-01T00:00:00Z""#,
                #""expires_at": "2001-01-01T00:00:00Z""#,
            ] {
                let answer = try await service.ask("POST", "/v1/notifications", push(more), key: key)
                #expect(answer.status == 422, "\(answer.text)")
                #expect(answer.string("field") == "/expires_at")
                #expect(answer.string("remedy")?.isEmpty == false, "\(answer.text)")
            }
        }
    }

    @Test func `a delivery time that is a duration is answered with the two right forms`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for (path, body, field) in [
                ("/v1/notifications", push(#""deliver_at": 3600"#), "/deliver_at"),
                ("/v1/notifications?validate_only=true", push(#""deliver_at": "3600""#), "/deliver_at"),
                ("/v1/notifications", "[\(push(#""deliver_at": 3600"#))]", "/0/deliver_at"),
                ("/v1/campaigns", #"{"name": "Sale", "starts_at": 3600}"#, "/starts_at"),
            ] {
                let answer = try await service.ask("POST", path, body, key: key)
                #expect(answer.status == 400 && answer.string("field") == field, "\(answer.text)")
                let detail = try #require(answer.string("detail"))
                #expect(detail.contains(" is 1970-01-01T01:00:00Z, more than a year ago"), "\(detail)")
                let remedy = try #require(answer.string("remedy"))
                let pattern = try Regex(#"^For 3600 seconds from now, write [0-9]{10} or "[-0-9]{10}T[:0-9]{8}Z"\.$"#)
                #expect(remedy.firstMatch(of: pattern) != nil, "\(remedy)")
            }
            // A push that is late is sent at once.
            let late = (Date() - 86_400).formatted(.iso8601)
            let taken = try await service.ask("POST", "/v1/notifications", push(#""deliver_at": "\#(late)""#), key: key)
            #expect(taken.status == 202, "\(taken.text)")
        }
    }

    @Test func `a campaign that would expire before its start is refused`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for (name, end) in [("expires_at", "2100-01-01T00:00:00Z"), ("expires", "2099-12-31T00:00:00Z")] {
                let body = #"{"name": "Sale", "starts_at": "2100-01-01T00:00:00Z", "\#(name)": "\#(end)"}"#
                let answer = try await service.ask("POST", "/v1/campaigns", body, key: key)
                #expect(answer.status == 422 && answer.string("field") == "/\(name)", "\(answer.text)")
                #expect(answer.string("remedy") == #"Let it expire after "starts_at"."#, "\(answer.text)")
            }
        }
    }

    @Test func `a ttl is counted from the time of delivery`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let id = try #require(
                try await service.ask(
                    "POST", "/v1/notifications", push(#""deliver_at": "2100-01-01T01:00:00+01:00", "ttl": "2h""#),
                    key: key
                ).string("id"))
            let job = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
            #expect(job.string("deliver_at") == "2100-01-01T00:00:00.000Z")
            #expect(job.string("expires_at") == "2100-01-01T02:00:00.000Z")
        }
    }

    @Test func `the expiry of the app is for pushes without one`() async throws {
        let app = RunningService.app("shop") { $0.expiry = .seconds(60) }
        try await RunningService.with(apps: ["shop": app]) { service in
            let key = try await service.key()
            let deliver = #""deliver_at": "2100-01-01T00:00:00Z""#
            for (more, expires) in [
                (deliver, "2100-01-01T00:01:00.000Z"), (deliver + #", "ttl": "2m""#, "2100-01-01T00:02:00.000Z"),
            ] {
                let id = try #require(
                    try await service.ask("POST", "/v1/notifications", push(more), key: key).string("id"))
                #expect(
                    try await service.ask("GET", "/v1/notifications/\(id)", key: key).string("expires_at") == expires)
            }
        }
    }

    // MARK: Gone tokens, checks, duplicates

    @Test func `a gone token is refused where the app wants it, unless it was registered since`() async throws {
        let refusing = RunningService.app("shop") { $0.gone = .refuse }
        try await RunningService.with(apps: ["shop": refusing, "news": RunningService.app("news")]) { service in
            let since = QueueTime(milliseconds: 1_767_225_600_000)
            for app in ["shop", "news"] {
                try await service.queue.recordGone([GoneToken(DeviceToken.sampleHex, since: since)], app: app)
            }
            let key = try await service.key()
            let upper = push(token: DeviceToken.sampleHex.uppercased())
            for body in [push(), upper, push(#""registered_at": "2025-12-31T23:59:59Z""#)] {
                let answer = try await service.ask("POST", "/v1/notifications", body, key: key)
                #expect(answer.status == 422 && answer.string("code") == "token_gone", "\(answer.text)")
                #expect(answer.string("field") == "/token")
            }
            let again = push(#""registered_at": "2026-01-02T00:00:00Z""#)
            #expect(try await service.ask("POST", "/v1/notifications", again, key: key).status == 202)
            let news = try await service.key(["news"])
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: news).status == 202)
        }
    }

    @Test func `validate_only checks and stores nothing`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let good = try await service.ask("POST", "/v1/notifications?validate_only=true", push(), key: key)
            #expect(good.status == 200 && good.string("result") == "valid" && good["id"] == nil)
            let array = try await service.ask("POST", "/v1/notifications?validate_only=true", "[\(push())]", key: key)
            #expect(array.status == 200 && array.items().first?.string("result") == "valid")
            #expect(
                try await service.ask("POST", "/v1/notifications?validate_only=true", push(#""x": 1"#), key: key).status
                    == 400)
            #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
        }
    }

    @Test func `a dedupe key makes a second push a duplicate`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let first = try await service.ask("POST", "/v1/notifications", push(#""dedupe_key": "a""#), key: key)
            let second = try await service.ask("POST", "/v1/notifications", push(#""dedupe_key": "a""#), key: key)
            #expect(second.status == 202 && second.string("result") == "duplicate")
            #expect(second.string("id") == first.string("id"))
        }
    }
}
