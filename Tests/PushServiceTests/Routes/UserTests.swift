import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import Testing

@testable import PushService

/// Pushes to users, whose devices are in the team's own table.
@Suite struct UserTests {
    private let table = TeamTable()
    private let lines = "application/x-ndjson"

    init() {
        table.change {
            $0.users["ann"] = [
                RecipientDevice(
                    TeamTable.token(1).uppercased(), registered: QueueTime(milliseconds: 1_700_000_000_000)),
                RecipientDevice(TeamTable.token(2)), RecipientDevice(TeamTable.token(2)),
                RecipientDevice(TeamTable.token(3), kind: "voip"),
            ]
            $0.users["ben"] = [RecipientDevice(TeamTable.token(4))]
            $0.users["rich"] = (1...101).map { RecipientDevice(TeamTable.token($0)) }
            $0.users["hundred"] = (1...100).map { RecipientDevice(TeamTable.token($0)) }
            $0.users["rubbish"] = [RecipientDevice("hello")]
        }
    }

    private func push(_ user: String, _ more: String = "", aps: String = #"{"alert": "Hello"}"#) -> String {
        #"{"user": "\#(user)", "payload": {"aps": \#(aps)}\#(more.isEmpty ? "" : ", " + more)}"#
    }

    private func send(
        _ service: RunningService, _ body: String, query: String = "", type: String = "application/json",
        _ headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        try await service.ask(
            "POST", "/v1/notifications\(query)", body, key: try await service.key(["shop", "news"]), type: type,
            headers: headers)
    }

    private func waiting(_ service: RunningService) async throws -> Int {
        try await service.queue.counts()["shop"]?.waiting ?? 0
    }

    private let shop = #""app": "shop""#

    @Test func `a push to a user becomes one for each device of the kind of its push type`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let answer = try await send(service, push("ann", shop + #", "dedupe_key": "order""#))
            #expect(answer.status == 202 && answer["devices"] == .integer(2), "\(answer.text)")
            let ids = answer.items().compactMap { $0.string("id").flatMap(UUID.init(uuidString:)) }
            let jobs = try await service.queue.jobs(ids, app: "shop")
            #expect(jobs.map(\.target) == [.device(TeamTable.token(1)), .device(TeamTable.token(2))])
            let keys = jobs.compactMap(\.dedupeKey)
            #expect(
                Set(keys).count == 2 && keys.allSatisfy { $0.wholeMatch(of: /order:[0-9a-f]{32}/) != nil }, "\(keys)")
            let details = jobs.compactMap { PushDetails(encoded: $0.push) }
            #expect(details.map(\.user) == ["ann", "ann"])
            #expect(details.map { $0.registeredAt.map(QueueTime.init)?.milliseconds } == [1_700_000_000_000, nil])
            let shown = try await service.ask(
                "GET", "/v1/notifications/\(answer.items()[0].string("id") ?? "")?app=shop", key: service.key())
            #expect(shown.string("user") == "ann" && shown.string("token") == TeamTable.token(1), "\(shown.text)")

            let again = try await send(service, push("ann", shop + #", "dedupe_key": "order""#))
            #expect(again.items().map { $0.string("result") } == ["duplicate", "duplicate"])
            let call = try await send(
                service, push("ann", shop + #", "push_type": "voip", "topic": "com.example.shop.voip""#))
            #expect(call["devices"] == .integer(1), "\(call.text)")
            let silent = try await send(service, push("ben", shop, aps: #"{"content-available": 1}"#))
            #expect(silent["devices"] == .integer(1), "\(silent.text)")
            #expect(try await waiting(service) == 4)
        }
    }

    @Test func `users whose ids only look the same get their own pushes`() async throws {
        table.change {
            $0.users["\u{E9}"] = [RecipientDevice(TeamTable.token(5))]
            $0.users["e\u{301}"] = [RecipientDevice(TeamTable.token(6))]
        }
        try await RunningService.with(apps: table.apps()) { service in
            let answer = try await send(service, "[\(push("\u{E9}", shop)), \(push("e\u{301}", shop))]")
            let ids = answer.items().compactMap { $0.string("id").flatMap(UUID.init(uuidString:)) }
            let jobs = try await service.queue.jobs(ids, app: "shop")
            #expect(jobs.map(\.target) == [.device(TeamTable.token(5)), .device(TeamTable.token(6))], "\(answer.text)")
        }
    }

    @Test func `a user without a device of this kind is an answer and no error`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            for body in [
                push("nobody", shop),
                push("ben", shop + #", "push_type": "voip", "topic": "com.example.shop.voip""#),
            ] {
                let answer = try await send(service, body)
                #expect(answer.status == 200 && answer["devices"] == .integer(0), "\(answer.text)")
                #expect(answer.items().isEmpty)
            }
        }
    }

    @Test func `what cannot be sent to a user is refused, and nothing is stored`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            for (body, status, code) in [
                (push("rich", shop), 422, "too_many_devices"), (push("wrong", shop), 422, "invalid_user"),
                (push("rubbish", shop), 422, "recipients_wrong"),
                (push("ann", #""app": "news""#), 400, "no_recipients"),
                (push("ann", shop + #", "token": "\#(TeamTable.token(1))""#), 400, "invalid_value"),
                (push("ann", shop + #", "registered_at": "2026-01-01T00:00:00Z""#), 400, "invalid_value"),
                (push("a\\u0000b", shop), 400, "invalid_value"), (push("", shop), 400, "invalid_value"),
                (
                    push("ann", shop + #", "dedupe_key": "\#(String(repeating: "k", count: 257))""#), 400,
                    "invalid_value"
                ),
                ("[\(push("ben", shop)), \(push("rich", shop))]", 422, "too_many_devices"),
            ] {
                let answer = try await send(service, body)
                #expect(answer.status == status && answer.string("code") == code, "\(body): \(answer.text)")
            }
            let waits = try await send(service, push("ann", shop), query: "?wait=1s")
            #expect(waits.status == 400 && waits.string("field") == "wait", "\(waits.text)")
            #expect(try await waiting(service) == 0)
        }
    }

    @Test func `a null user is no user`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let answer = try await send(
                service, #"{"user": null, "app": "shop", "payload": {"aps": {"alert": "Hello"}}}"#)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try await waiting(service) == 0)
        }
    }

    @Test func `a target that is null is none, in every form of the body`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let toUser = push("ben", shop + #", "token": null, "channel": null"#)
            for (body, type) in [(toUser, "application/json"), ("[\(toUser)]", "application/json"), (toUser, lines)] {
                let answer = try await send(service, body, type: type)
                #expect(answer.status == 202, "\(answer.text)")
                #expect(answer.lines.first?["devices"] == .integer(1), "\(answer.text)")
            }
            let target = #""user": null, "token": "\#(TeamTable.token(1))""#
            let toToken = #"{\#(target), \#(shop), "payload": {"aps": {"badge": 1}}}"#
            let one = try await send(service, toToken)
            #expect(one.status == 202 && one.string("id") != nil, "\(one.text)")
            let several = try await send(service, "[\(toToken)]")
            #expect(several["devices"] == nil && several.items().first?["index"] == nil, "\(several.text)")
        }
    }

    @Test func `a table that is down answers 503, and the next request later goes through`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            table.change { $0.failure = QueueError(.unreachable, "postgres://secret is down") }
            for body in [push("ann", shop), "[\(push("ann", shop))]"] {
                let answer = try await send(service, body)
                #expect(answer.status == 503 && answer.string("code") == "recipients_unavailable", "\(answer.text)")
                #expect(!answer.text.contains("secret") && answer.headers["retry-after"] != nil)
            }
            let stream = try await send(service, push("ann", shop) + "\n", type: lines)
            #expect(stream.text.contains("recipients_unavailable"), "\(stream.text)")
            #expect(try await waiting(service) == 0)
        }
    }

    @Test func `an idempotency key holds for the request, whatever devices the user has later`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let header = [("idempotency-key", "order-1")]
            let body = push("ann", shop)
            let first = try await send(service, body, header)
            for devices in [[RecipientDevice(TeamTable.token(9))], []] {
                table.change { $0.users["ann"] = devices }
                let again = try await send(service, body, header)
                #expect(again.status == 202 && again.headers["idempotency-replayed"] == "true", "\(again.text)")
                #expect(again["devices"] == .integer(2))
                #expect(again.items().map { $0.string("id") } == first.items().map { $0.string("id") })
            }
            table.change { $0.failure = QueueError(.unreachable, "down") }
            let down = try await send(service, body, header)
            #expect(down.status == 202 && down["devices"] == .integer(2), "\(down.text)")
            let other = try await send(service, push("ben", shop), header)
            #expect([422, 503].contains(other.status), "\(other.text)")
            #expect(try await waiting(service) == 2)
        }
    }

    @Test func `an array mixes users and tokens, all or none`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let token = #"{"token": "\#(TeamTable.token(7))", "app": "shop", "payload": {"aps": {"alert": "x"}}}"#
            let answer = try await send(service, "[\(push("ann", shop)), \(token), \(push("nobody", shop))]")
            #expect(answer.status == 202 && answer["devices"] == .integer(3), "\(answer.text)")
            #expect(answer.items().map { $0["index"] } == [.integer(0), .integer(0), .integer(1)])
            let checked = try await send(service, "[\(push("hundred", shop))]", query: "?validate_only=true")
            #expect(checked.status == 200 && checked["devices"] == .integer(100), "\(checked.text)")
            let many = Array(repeating: push("hundred", shop), count: 51).joined(separator: ",")
            let tooMany = try await send(service, "[\(many)]")
            #expect(tooMany.status == 422 && tooMany.string("code") == "too_many_devices", "\(tooMany.text)")
            #expect(try await waiting(service) == 3)
        }
    }

    @Test(arguments: ["", "?validate_only=true"])
    func `each line of a stream is answered with its devices`(query: String) async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let body = [
                push("ann", shop), push("nobody", shop), push("wrong", shop), push("hundred", shop), push("ben", shop),
            ].joined(separator: "\n")
            let answer = try await send(service, body, query: query, type: lines)
            let values = answer.text.split(separator: "\n").compactMap { PushJSONValue(json: Array($0.utf8)) }
            #expect(values.count == 5, "\(answer.text)")
            #expect(values.map { $0["devices"] } == [.integer(2), .integer(0), nil, .integer(100), .integer(1)])
            let name = query.isEmpty ? "queued" : "valid"
            #expect(values.map { $0.string("result") } == [name, "no_device", "invalid", name, name])
            #expect(try await waiting(service) == (query.isEmpty ? 103 : 0))
        }
    }
}
