import APNSVocabulary
import PushJSON
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushService

/// What operators look for, and what they do.
@Suite struct OperatorTests {
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private let token = DeviceToken.sampleHex

    private func ids(_ answer: HTTPAnswer) -> [String] { answer.items().compactMap { $0.string("id") } }

    @discardableResult
    private func send(_ service: RunningService, _ body: String, key: String, app: String = "shop") async throws
        -> String
    {
        try #require(
            try await service.ask("POST", "/v1/notifications?app=\(app)", body, key: key).string("id"))
    }

    // MARK: Search

    @Test func `pushes are found by token, collapse id and dedupe key, in all apps of the key`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop", "news"])
            let first = try await send(service, push(#""collapse_id": "score""#), key: key)
            let second = try await send(service, push(#""dedupe_key": "order-1""#), key: key)
            let third = try await send(service, push(#""collapse_id": "score""#), key: key, app: "news")
            try await send(service, push(token: String(repeating: "ab", count: 32)), key: key)
            func found(_ query: String) async throws -> [String] {
                ids(try await service.ask("GET", "/v1/notifications?\(query)", key: key))
            }
            #expect(Set(try await found("token=\(token)")) == [first, second, third])
            #expect(try await found("token=\(token.uppercased())&app=news") == [third])
            #expect(Set(try await found("collapse_id=score")) == [first, third])
            #expect(try await found("dedupe_key=order-1") == [second])
            #expect(try await found("dedupe_key=order-2") == [])
            var (pages, all, query): (Int, [String], String?) = (0, [], "token=\(token)&limit=1")
            while let asked = query {
                let page = try await service.ask("GET", "/v1/notifications?\(asked)", key: key)
                (pages, all) = (pages + 1, all + ids(page))
                query = page.string("next").map { "token=\(token)&limit=1&after=\($0)" }
                guard pages < 10 else { break }
            }
            #expect(Set(all) == [first, second, third] && all.count == 3)
            for query in [
                "token=xyz", "token=\(token)&state=waiting", "due_before=2030-01-01T00:00:00Z",
                "token=\(token)&after=5",
            ] {
                #expect(try await service.ask("GET", "/v1/notifications?\(query)", key: key).status == 400, "\(query)")
            }
        }
    }

    @Test func `waiting pushes are listed and cancelled by their due time, with the number first`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let soon = try await send(service, push(#""deliver_at": "2040-01-01T00:00:00Z""#), key: key)
            let later = try await send(service, push(#""deliver_at": "2041-01-01T00:00:00Z""#), key: key)
            let query = "/v1/notifications?state=waiting&due_before=2040-06-01T00:00:00Z"
            #expect(ids(try await service.ask("GET", query, key: key)) == [soon])
            func cancel(_ members: String) async throws -> HTTPAnswer {
                try await service.ask("POST", "/v1/notifications/cancel", "{\(members)}", key: key)
            }
            let due = #""due_before": "2040-06-01T00:00:00Z""#
            #expect(try await cancel(#"\#(due), "dry_run": true"#)["matching"] == 1)
            #expect(try await cancel(#""dry_run": true"#)["matching"] == 2)
            #expect(try await cancel(#"\#(due), "token": "\#(String(repeating: "ab", count: 32))""#)["cancelled"] == 0)
            #expect(try await cancel(#"\#(due), "collapse_id": "none""#)["cancelled"] == 0)
            #expect(try await cancel(due)["cancelled"] == 1)
            #expect(ids(try await service.ask("GET", "/v1/notifications?state=waiting", key: key)) == [later])
            #expect(try await cancel(#""token": "\#(token)""#)["cancelled"] == 1)
            #expect(try await cancel(#""suspected": true, "dry_run": true"#).status == 400)
        }
    }

    @Test(arguments: [#""token":"TOKEN","#, #""collapse_id":"score","#, #""due_before":"2090-01-01T00:00:00Z","#, ""])
    func `what a worker has and has not started is cancelled with the rest`(members: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let id = try await send(service, push(#""collapse_id": "score""#), key: key)
            #expect(try await service.queue.claim(1).map(\.id.uuidString) == [id.uppercased()])
            for (dry, counted) in [("true", "matching"), ("false", "cancelled")] {
                let body = "{\(members.replacing("TOKEN", with: token))\"dry_run\": \(dry)}"
                #expect(try await service.ask("POST", "/v1/notifications/cancel", body, key: key)[counted] == 1)
            }
            #expect(try await service.ask("GET", "/v1/notifications/\(id)", key: key).text.contains("\"cancelled\""))
        }
    }

    @Test(arguments: ["app", "token", "collapse_id", "due_before", "suspected", "dry_run", nil])
    func `null never means that everything is cancelled, nor does a body that is missing`(name: String?) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let id = try await send(service, push(#""deliver_at": "2040-01-01T00:00:00Z""#), key: key)
            let body = name.map { #"{"\#($0)": null}"# }
            let answer = try await service.ask("POST", "/v1/notifications/cancel", body ?? "", key: key)
            #expect(answer.status == 400 && answer.string("field") == name.map { "/\($0)" }, "\(answer.text)")
            #expect(ids(try await service.ask("GET", "/v1/notifications?state=waiting", key: key)) == [id])
        }
    }

    // MARK: One push

    @Test func `a push shows its request, its payload byte for byte, and its tries`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let payload = #"{"aps": {"alert": "A", "badge": 1.0}, "x":  [1,2]}"#
            let body = """
                {"token": "\(token)", "payload": \(payload), "topic": "com.example.shop", "push_type": "alert", "priority": 5,
                 "collapse_id": "c1", "once": true, "traceparent": "\(Self.trace)"}
                """
            let id = try await send(service, body, key: key)
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "worker-1", limit: 1, lease: .seconds(60), apps: ["shop": 1]))
            var answer = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
            #expect(answer.string("claimed_by") == "worker-1")
            _ = try await service.queue.start(jobs.map(\.lease))
            _ = try await service.queue.retry([QueueJobRetry(jobs[0].lease, due: .after(.zero), reason: "reset")])
            try await service.deliver(QueueJobOutcome(.rejected, reason: "BadDeviceToken"))
            answer = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
            #expect(answer.text.contains("\"payload\":\(payload)"))
            for (name, value) in [
                ("topic", "com.example.shop"), ("push_type", "alert"), ("collapse_id", "c1"),
                ("payload_state", "shown"),
                ("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"),
            ] {
                #expect(answer.string(name) == value, "\(name)")
            }
            #expect(answer["priority"] == 5 && answer["once"] == true && answer["history"] == nil)
            #expect(answer.items("tries").map { $0.string("result") } == ["retried", "rejected"])
            #expect(answer.items("tries").first?.string("detail") == "reset")
            #expect(answer["webhook"] == nil)
            let page = try await service.ask("GET", "/v1/results", key: key)
            #expect(page.items().first?.string("trace_id") == "4bf92f3577b34da6a3ce929d0e0e4736")
            #expect(page.items().first?["payload"] == nil)
        }
    }

    @Test(arguments: [true, false])
    func `lists tell what each push says if they are asked to, with its values, unless payloads are withheld`(
        isShown: Bool
    ) async throws {
        try await RunningService.with({ $0.showsPayloads = isShown }) { service in
            let key = try await service.key(["shop"])
            let long = String(repeating: "x", count: 400)
            try await send(service, push(#""vars": {"name": "Ann"}"#, title: "For {{name}}"), key: key)
            try await send(service, push(title: long), key: key)
            let silent = #"{"token": "\#(token)", "payload": {"aps": {"content-available": 1}}}"#
            let last = try await send(service, silent, key: key)
            try await service.deliver(.accepted)
            let lists = [
                "notifications?token=\(token)", "notifications?state=finished", "results?limit=9",
                "results?order=newest",
            ]
            for list in lists {
                func titles(_ more: String) async throws -> [String?] {
                    let answer = try await service.ask("GET", "/v1/\(list)\(more)", key: key)
                    return answer.items().map { $0["alert"]?.string("title") }
                }
                #expect(try await titles("") == [nil, nil, nil], "\(list)")
                let expected: Set<String?> = isShown ? ["For Ann", String(long.prefix(300)), nil] : [nil]
                #expect(Set(try await titles("&alerts=true")) == expected, "\(list)")
            }
            let one = try await service.ask("GET", "/v1/notifications/\(last)", key: key)
            #expect(one.status == 200 && !one.text.contains("\"alert\""))
        }
    }

    @Test func `payloads are withheld if the configuration says so`() async throws {
        try await RunningService.with({ $0.showsPayloads = false }) { service in
            let key = try await service.key()
            let id = try await send(service, push(title: "Private"), key: key)
            let answer = try await service.ask("GET", "/v1/notifications/\(id)?history=true", key: key)
            #expect(answer.string("payload_state") == "withheld" && !answer.text.contains("Private"))
            // Warnings quote a payload.
            let body = #"{"name": "x", "payload": {"aps": {"alert": "x", "sond": "Private"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", body, key: key)
            #expect(made.items("warnings").count == 1, "\(made.text)")
            let campaign = try #require(made.string("id"))
            let read = try await service.ask("GET", "/v1/campaigns/\(campaign)", key: key)
            #expect(read.status == 200 && !read.text.contains("sond"), "\(read.text)")
        }
    }

    @Test func `the trace of a request is that of its pushes without one, and an invalid one is ignored`() async throws
    {
        try await RunningService.with { service in
            let key = try await service.key()
            let own = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-00"
            let invalid = [
                "", "00-zz", "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01", Self.trace + "-x",
                own.uppercased(),
            ]
            let cases: [(String?, String?, String?)] = [
                (Self.trace, nil, "4bf92f3577b34da6a3ce929d0e0e4736"),
                (Self.trace, own, String(own.dropFirst(3).prefix(32))),
                (nil, own, String(own.dropFirst(3).prefix(32))), (nil, nil, nil),
            ]
            let ignored: [(String?, String?, String?)] = invalid.map { ($0, $0, nil) }
            for (header, member, expected) in cases + ignored {
                let more = member.map { #""traceparent": "\#($0)""# } ?? ""
                let answer = try await service.ask(
                    "POST", "/v1/notifications", "[\(push(more))]", key: key,
                    headers: header.map { [("traceparent", $0)] } ?? [])
                let id = try #require(answer.items().first?.string("id"))
                let shown = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
                #expect(shown.string("trace_id") == expected, "\(header ?? "none") \(member ?? "none")")
            }
        }
    }

    // MARK: Results and statistics

    @Test func `outcomes are listed from the newest, with filters and pages`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func found(_ query: String) async throws -> [String] {
                ids(try await service.ask("GET", "/v1/results?\(query)", key: key))
            }
            var sent: [String] = []
            for reason in ["a", "b", "a", "c"] {
                sent.append(try await send(service, push(), key: key))
                try await service.deliver(QueueJobOutcome(.rejected, reason: reason))
                // However many there are, the newest is found.
                #expect(try await found("before=2090-01-01T00:00:00Z&limit=1") == [sent.last])
            }
            sent.append(try await send(service, push(), key: key))
            try await service.deliver()
            #expect(try await found("") == sent)
            #expect(try await found("order=newest") == sent.reversed())
            #expect(try await found("outcome=accepted") == [sent[4]])
            #expect(try await found("reason=a") == [sent[2], sent[0]])
            #expect(try await found("outcome=unknown&reason=a") == [])
            #expect(try await found("since=2000-01-01T00:00:00Z&limit=2") == [sent[4], sent[3]])
            #expect(try await found("since=2090-01-01T00:00:00Z") == [])
            #expect(try await found("before=2000-01-01T00:00:00Z") == [])
            #expect(try await found("before=2090-01-01T00:00:00Z&limit=1") == [sent[4]])
            let campaign = try await service.ask(
                "POST", "/v1/campaigns?name=Sale", push(), key: key, type: "application/x-ndjson")
            let id = try #require(campaign.string("id"))
            #expect(try await found("campaign=\(id)") == [])
            #expect(try await found("campaign=00000000-0000-0000-0000-000000000000") == [])
            let page = try await service.ask("GET", "/v1/results?reason=a&limit=1", key: key)
            let next = try #require(page.string("next"))
            #expect(try await found("reason=a&before=\(next)") == [sent[0]])
            for query in [
                "order=newest&after=r1", "order=oldest&reason=a", "outcome=none", "before=x", "since=x", "campaign=x",
            ] {
                #expect(try await service.ask("GET", "/v1/results?\(query)", key: key).status == 400, "\(query)")
            }
            let refusal = try await service.ask("GET", "/v1/results?before=x", key: key).text
            #expect(refusal.contains("neither a cursor nor a time") && refusal.contains("2026-11-28T12:00:00Z"))
            let milliseconds = try await service.ask("GET", "/v1/results?before=1795262400123", key: key)
            #expect(milliseconds.text.contains("Did you mean 1795262400?"), "\(milliseconds.text)")
        }
    }

    @Test func `outcomes are counted by reason, app and minute`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop", "news"])
            for (app, outcome) in [
                ("shop", QueueJobOutcome.accepted), ("shop", .accepted), ("news", .accepted),
                ("shop", QueueJobOutcome(.rejected, reason: "BadDeviceToken")),
            ] {
                try await send(service, push(), key: key, app: app)
                try await service.deliver(outcome, app: app)
            }
            func items(_ query: String) async throws -> [PushJSONValue] {
                try await service.ask("GET", "/v1/statistics?\(query)", key: key).items()
            }
            #expect(
                try await items("") == [
                    ["kind": "accepted", "count": 3], ["kind": "rejected", "reason": "BadDeviceToken", "count": 1],
                ])
            let shop: PushJSONValue = ["app": "shop", "accepted": 2, "rejected": 1, "unknown": 0, "not_sent": 0]
            let news: PushJSONValue = ["app": "news", "accepted": 1, "rejected": 0, "unknown": 0, "not_sent": 0]
            #expect(try await items("by=app") == [shop, news])
            #expect(try await items("by=app&app=news") == [news])
            #expect(try await items("since=2020-01-01T00:00:00Z&by=app") == [shop, news])
            let minutes = try await items("by=minute").compactMap { item -> Int? in
                if case .integer(let count)? = item["accepted"] { count } else { nil }
            }
            #expect(minutes.reduce(0, +) == 3)
            #expect(try await items("since=2090-01-01T00:00:00Z") == [])
            for query in ["by=day", "since=x", "by=minute&since=2020-01-01T00:00:00Z"] {
                #expect(try await service.ask("GET", "/v1/statistics?\(query)", key: key).status == 400, "\(query)")
            }
        }
    }

    // MARK: Keys and audit

    @Test func `keys are listed with their last use, and revoked`() async throws {
        try await RunningService.with { service in
            let (admin, own) = try await service.service.keys.create(apps: ["shop"], scopes: [.admin], name: "ops")
            let (other, known) = try await service.service.keys.create(apps: ["shop"], scopes: [.read], name: "ci")
            let (_, foreign) = try await service.service.keys.create(apps: ["news"], scopes: [.read])
            let (all, whole) = try await service.service.keys.create(apps: ["*"], scopes: [.admin])
            #expect(try await service.ask("GET", "/v1/status", key: other).status == 200)
            let list = try await service.ask("GET", "/v1/keys", key: admin)
            #expect(Set(ids(list)) == [own.id, known.id])
            #expect(list.items().allSatisfy { $0.string("last_used_at") != nil && $0.string("created_at") != nil })
            #expect(list.items().first { $0["is_own"] == true }?.string("name") == "ops")
            #expect(!list.text.contains("sha256") && !list.text.contains(other))
            let everything = Set(ids(try await service.ask("GET", "/v1/keys", key: all)))
            #expect(everything == [own.id, known.id, foreign.id, whole.id])
            for id in [foreign.id, whole.id, "abcdefgh"] {
                #expect(try await service.ask("DELETE", "/v1/keys/\(id)", key: admin).status == 404)
            }
            #expect(try await service.ask("DELETE", "/v1/keys/\(known.id)", key: admin).status == 204)
            #expect(try await service.ask("GET", "/v1/status", key: other).status == 401)
            let entry = try await service.ask("GET", "/v1/audit", key: admin).items().first
            #expect(entry?.string("action") == "key.revoke" && entry?.string("object") == known.id)
            #expect(entry?.string("key") == own.id && entry?.string("key_name") == "ops")
            #expect(entry?.string("before") == "ci (read)")
        }
    }

    @Test func `the audit has each change, its key and its object, and the log has it, too`() async throws {
        let log = CapturedLog()
        try await RunningService.with(logger: log.logger) { service in
            let key = try await service.key()
            let id = try await send(service, push(), key: key)
            _ = try await service.ask("DELETE", "/v1/notifications/\(id)", key: key)
            #expect(try await service.ask("DELETE", "/v1/notifications/\(id)", key: key).status == 409)
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let campaign = try #require(made.string("id"))
            _ = try await service.ask("PATCH", "/v1/campaigns/\(campaign)", #"{"rate": 5}"#, key: key)
            // What changes nothing is no change.
            for step in ["start?open=true", "start?open=true", "resume", "cancel"] {
                let answer = try await service.ask("POST", "/v1/campaigns/\(campaign)/\(step)", "{}", key: key)
                #expect(answer.status == 200, "\(step)")
            }
            _ = try await send(service, push(), key: key)
            _ = try await service.ask("POST", "/v1/notifications/cancel", "{}", key: key)
            var (actions, query): ([String], String?) = ([], "limit=2")
            while let asked = query {
                let page = try await service.ask("GET", "/v1/audit?\(asked)", key: key)
                actions += page.items().compactMap { $0.string("action") }
                query = page.string("next").map { "limit=2&after=\($0)" }
            }
            let expected = [
                "notifications.cancel", "campaign.cancel", "campaign.start", "campaign.rate", "campaign.create",
                "notification.cancel",
            ]
            #expect(actions == expected)
            let page = try await service.ask("GET", "/v1/audit", key: key).items()
            try #require(page.count == expected.count)
            #expect(page[1...4].allSatisfy { $0.string("object") == campaign && $0.string("object_name") == "Sale" })
            #expect(page[3].string("after") == "5 per second" && page[3].string("object") == campaign)
            #expect(page[5].string("object") == id && page.allSatisfy { $0.string("app") == "shop" })
            #expect(page[0]["count"] == .integer(1) && page[5]["count"] == nil)
            // The log has what the audit has: the id of a new campaign, too, and nothing of the push that had its outcome already.
            #expect(log.lines.count { $0.contains("notification.cancel") } == 1)
            #expect(log.lines.contains { $0.contains("campaign.create") && $0.contains(campaign) })
            #expect(log.lines.contains { $0.contains("notifications.cancel") && $0.contains("count") })
            #expect(try await service.ask("GET", "/v1/audit?after=x", key: key).status == 400)
            #expect(!page.contains { "\($0)".contains(token) })
        }
        #expect(log.lines.contains { $0.contains("campaign.rate") })
    }

    // MARK: The data of a device

    @Test func `everything about a device is handed out, and erased`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop", "news"])
            for app in ["shop", "news"] {
                for number in 0..<3 { try await send(service, push(title: "No. \(number)"), key: key, app: app) }
                try await send(service, push(token: String(repeating: "ab", count: 32)), key: key, app: app)
                try await service.deliver(app: app, limit: 2)
            }
            try await service.queue.recordGone([GoneToken(token, since: .now)], app: "news")
            let lines = try await service.ask("GET", "/v1/export?token=\(token)", key: key).lines
            #expect(lines.count == 7 && lines.allSatisfy { $0.string("token") == token })
            #expect(lines.count { $0["payload"]?["aps"] != nil && $0["history"] != nil } == 6)
            #expect(lines.contains { $0.string("gone_since") != nil })
            #expect(try await service.ask("GET", "/v1/export?token=\(token)&app=shop", key: key).lines.count == 3)
            #expect(
                try await service.ask("DELETE", "/v1/notifications?token=\(token)&app=shop", key: key)["erased"] == 3)
            #expect(try await service.ask("GET", "/v1/export?token=\(token)&app=shop", key: key).lines.isEmpty)
            #expect(try await service.ask("DELETE", "/v1/notifications?token=\(token)", key: key)["erased"] == 3)
            #expect(try await service.ask("GET", "/v1/export?token=\(token)", key: key).lines.isEmpty)
            let others = try await service.ask(
                "GET", "/v1/notifications?token=\(String(repeating: "ab", count: 32))", key: key)
            #expect(others.items().count == 2)
            for method in ["GET /v1/export", "DELETE /v1/notifications"] {
                let words = method.split(separator: " ").map(String.init)
                #expect(try await service.ask(words[0], words[1], key: key).status == 400)
                #expect(try await service.ask(words[0], "\(words[1])?token=xyz", key: key).status == 400)
            }
        }
    }
}
