import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import Testing

@testable import PushService

/// Lines of campaigns to users, whose devices are in the team's own table.
@Suite(.timeLimit(.minutes(5))) struct CampaignUserTests: CampaignTesting {
    private let table = TeamTable()
    private let payload = "%7B%22aps%22:%7B%22alert%22:%22Hi%20%7B%7Bname%7Cthere%7D%7D%22%7D%7D"

    init() {
        table.change {
            $0.users["ann"] = [
                RecipientDevice(TeamTable.token(1), registered: QueueTime(milliseconds: 1_700_000_000_000)),
                RecipientDevice(TeamTable.token(2)), RecipientDevice(TeamTable.token(2)),
                RecipientDevice(TeamTable.token(3), kind: "voip"),
            ]
            $0.users["ben"] = [RecipientDevice(TeamTable.token(4))]
            $0.users["rich"] = (1...101).map { RecipientDevice(TeamTable.token($0)) }
        }
    }

    private func upload(
        _ service: RunningService, _ body: [String], type: String = "application/x-ndjson", query: String = "",
        _ headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        try await service.ask(
            "POST", "/v1/campaigns?name=Sale&app=shop&payload=\(payload)\(query)", body.joined(separator: "\n"),
            key: try await service.key(["shop", "news"]), type: type, headers: headers)
    }

    private func records(_ answer: HTTPAnswer, _ service: RunningService) async throws -> [QueueJobRecord] {
        let id = try #require(answer.string("id").flatMap(UUID.init(uuidString:)))
        return try await service.queue.lines(QueueCampaignLineQuery(id, app: "shop")).compactMap { line in
            if case .job(let job) = line.content { job } else { nil }
        }
    }

    @Test func `a line to a user becomes a push for each device of the kind, which is checked before it is sent`()
        async throws
    {
        try await RunningService.with(apps: table.apps()) { service in
            let body = [
                #"{"user": "ann", "vars": {"name": "Ann"}, "ref": 7}"#, #"{"token": "\#(TeamTable.token(9))"}"#,
                #"{"user": "ben", "payload": {"aps": {"content-available": 1}}}"#,
            ]
            let made = try await upload(service, body)
            #expect(made.status == 201 && made["upload", "accepted"] == 3 && made["next_line"] == 4, "\(made.text)")
            #expect(made["lines", "total"] == 4)
            let jobs = try await records(made, service)
            #expect(jobs.map(\.target) == [1, 9, 4, 2].map { .device(TeamTable.token($0)) })
            let details = jobs.compactMap { PushDetails(encoded: $0.push) }
            #expect(details.map(\.user) == ["ann", nil, "ben", "ann"])
            #expect(details.map { $0.registeredAt == nil } == [false, true, true, true])
            #expect(details.map { $0.reference.map { String(decoding: $0, as: UTF8.self) } } == ["7", nil, nil, "7"])

            let path = "/v1/campaigns/\(made.string("id") ?? "")/report"
            let report = try await service.ask("GET", path, key: service.key())
            let lines = report.text.split(separator: "\n").compactMap { PushJSONValue(json: Array($0.utf8)) }
            #expect(lines.map { $0["line"] } == [1, 2, 3, 1], "\(report.text)")
            let after = QueueCampaignLine.kept(1, 1)
            #expect(lines.map { $0["after"] } == [nil, nil, nil, .integer(after)])
            #expect(try await service.ask("GET", "\(path)?after=\(after)", key: service.key()).text.isEmpty)
            let shown = try await service.ask(
                "GET", "/v1/notifications/\(lines.last?.string("id") ?? "")", key: service.key())
            #expect(shown["line"] == 1 && shown.string("user") == "ann", "\(shown.text)")
        }
    }

    @Test(arguments: ["user\nann\nben\n", "user,name\nann,Ann\nben,Ben\n", "USER;name\nann;Ann\nben;Ben\n"])
    func `a CSV file can have users in the place of tokens`(csv: String) async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let made = try await upload(service, [csv], type: "text/csv")
            #expect(made.status == 201 && made["upload", "accepted"] == 2, "\(made.text)")
            #expect(try await records(made, service).count == 3)
        }
    }

    @Test func `a column or member called user beside a token is a value, if the payload has it`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hello {{user}}"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            let token = TeamTable.token(9)
            let csv = try await service.ask("POST", path, "token,user\n\(token),ann\n", key: key, type: "text/csv")
            #expect(csv["upload", "accepted"] == 1, "\(csv.text)")
            let json = [#"{"token": "\#(token)", "user": "ann"}"#, #"{"user": "ann"}"#].joined(separator: "\n")
            let added = try await service.ask("POST", path + "?from=10", json, key: key, type: lines)
            #expect(added["upload", "accepted"] == 2 && added["lines", "total"] == 4, "\(added.text)")
            let users = try await service.ask(
                "POST", path + "?from=20", "user\nann\n", key: key, type: "text/csv")
            #expect(users["upload", "accepted"] == 1 && users["lines", "total"] == 6, "\(users.text)")
        }
    }

    @Test func `the same upload again adds nothing, whatever devices the users have by then`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let header = [("idempotency-key", "sale-1")]
            let body = [#"{"user": "ann"}"#, #"{"user": "nobody"}"#, #"{"user": "ben"}"#]
            let first = try await upload(service, body, header)
            #expect(first.status == 201 && first["lines", "total"] == 3, "\(first.text)")
            table.change {
                $0.users["ann"] = (2...6).map { RecipientDevice(TeamTable.token($0)) }
                $0.users["ben"] = []
                $0.users["nobody"] = [RecipientDevice(TeamTable.token(8))]
            }
            let again = try await upload(service, body, header)
            #expect(again.status == 200 && again.string("id") == first.string("id"), "\(again.text)")
            #expect(again["lines", "total"] == 3 && again["upload", "repeated"] == 3, "\(again.text)")
            let other = try await upload(service, body + [#"{"user": "nobody"}"#], header)
            #expect(other.string("code") == "idempotency_conflict", "\(other.text)")
        }
    }

    @Test func `users that cannot get a push are refused with their line, and the others are sent`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let body = [
                #"{"user": "nobody"}"#, #"{"user": "wrong"}"#, #"{"user": "rich"}"#, #"{"user": ""}"#, #"{"user": 42}"#,
                #"{"user": "a\u0007"}"#, #"{"user": "ann", "registered_at": "2026-01-01T00:00:00Z"}"#,
                #"{"user": "ann", "token": "\#(TeamTable.token(9))"}"#, #"{"user": null}"#, #"{"user": "ben"}"#,
            ]
            let made = try await upload(service, body)
            #expect(made.status == 201 && made["upload", "accepted"] == 1, "\(made.text)")
            let codes = refusals(made).map { $0.string("code") }
            #expect(
                codes == [
                    "no_device", "invalid_user", "too_many_devices", "invalid_value", "invalid_line", "invalid_value",
                    "invalid_value", "invalid_line", "invalid_line",
                ], "\(made.text)")
            #expect(try await records(made, service).map(\.target) == [.device(TeamTable.token(4))])
        }
        try await RunningService.with { service in
            let none = try await upload(service, [#"{"user": "ann"}"#])
            #expect(refusals(none).first?.string("code") == "no_recipients", "\(none.text)")
        }
    }

    @Test func `many users without a device do not end an upload`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let body = (1...LineUpload.enough + 50).map { #"{"user": "nobody \#($0)"}"# } + [#"{"user": "ben"}"#]
            let made = try await upload(service, body)
            #expect(made.status == 201 && made["upload", "accepted"] == 1, "\(made.text)")
        }
    }

    @Test func `a table that is down ends the upload with 503, and it continues where it stopped`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hello"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            _ = try await service.ask("POST", path, #"{"user": "ben"}"#, key: key, type: lines)
            table.change { $0.failure = QueueError(.unreachable, "postgres://secret is down") }
            let down = try await service.ask("POST", path + "?from=2", #"{"user": "ann"}"#, key: key, type: lines)
            #expect(down.status == 503 && down.string("code") == "recipients_unavailable", "\(down.text)")
            #expect(down["next_line"] == 2 && !down.text.contains("secret"), "\(down.text)")
            #expect(try await service.queue.counts()["shop"]?.held == 1)
        }
    }

    @Test func `the pushes of lines to users count against the memory for clients until they are stored`() async throws
    {
        table.change {
            $0.users["most"] = (1...100).map { RecipientDevice(TeamTable.token($0)) }
            $0.users["some"] = (1...20).map { RecipientDevice(TeamTable.token($0)) }
        }
        try await RunningService.with(apps: table.apps(), { $0.limits.memory = 4 << 20 }) { service in
            // A key gets 2 MiB. A group of 50 users with 100 devices each would hold 5 MiB.
            let full = try await upload(service, Array(repeating: #"{"user": "most"}"#, count: 50))
            #expect(full.status == 429 && full.string("code") == "memory_full", "\(full.text)")
            // Two groups that together would hold more than that.
            let made = try await upload(service, Array(repeating: #"{"user": "some"}"#, count: 100))
            #expect(made.status == 201 && made["lines", "total"] == 2000, "\(made.text)")
        }
    }
}
