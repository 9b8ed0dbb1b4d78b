import Foundation
import PushDelivery
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite(.timeLimit(.minutes(5))) struct CampaignTests {
    private let lines = "application/x-ndjson"

    private func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private func line(_ number: Int, _ more: String = #""payload": {"aps": {"alert": "Hello"}}"#) -> String {
        #"{"token": "\#(token(number))"\#(more.isEmpty ? "" : ", " + more)}"#
    }

    private func refusals(_ answer: HTTPAnswer) -> [PushJSONValue] {
        guard case .array(let items)? = answer["upload", "refusals"] else { return [] }
        return items
    }

    /// Releases and completes lines until none waits, as the delivery does.
    private func deliver(_ service: RunningService) async throws {
        repeat {
            for campaign in try await service.queue.activeCampaigns() {
                _ = try await service.queue.advanceCampaign(campaign.id, app: campaign.app, ahead: 1000, limit: 1000)
            }
        } while try await service.deliver() > 0
    }

    @Test func `one request makes a campaign, takes its lines, and starts it`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = (1...1200).map { line($0, #""ref": \#($0), "payload": {"aps": {"alert": "Hello"}}"#) } + ["{"]
            let made = try await service.ask(
                "POST", "/v1/campaigns?name=Summer%20sale&rate=500", body.joined(separator: "\n"), key: key, type: lines
            )
            #expect(made.status == 201 && made.string("state") == "running" && made.string("name") == "Summer sale")
            #expect(made["upload", "accepted"] == 1200 && made["upload", "refused"] == 1)
            #expect(made["rate"] == 500 && made["open"] == false && made["next_line"] == 1202)
            let refusal = try #require(refusals(made).first)
            #expect(refusal["line"] == 1201 && refusal.string("detail")?.contains("not JSON") == true)
            #expect(try await service.queue.counts()["shop"]?.held == 1200)
        }
    }

    @Test func `a campaign with an unknown push type has a warning`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "New", "push_type": "hologram"}"#, key: key)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.items("warnings").map { $0.string("rule") } == ["push-type-unknown"])
            let usual = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "Usual", "push_type": "accessory"}"#, key: key)
            #expect(usual.status == 201 && usual["warnings"] == nil, "\(usual.text)")
            let wrong = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "Wrong", "push_type": "two words"}"#, key: key)
            #expect(wrong.status == 400 && wrong.string("field") == "/push_type", "\(wrong.text)")
        }
    }

    @Test func `a campaign is made, filled, started, paused, resumed and finished`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hello {{name}}"}}, "collapse_id": "sale"}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            #expect(made.status == 201 && made.string("state") == "draft")
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            let body = (1...3).map { line($0, #""vars": {"name": "Ann \#($0)"}"#) } + [line(4, "")]
            let filled = try await service.ask(
                "POST", path + "/lines", body.joined(separator: "\n"), key: key, type: lines)
            #expect(filled.status == 200 && filled["upload", "accepted"] == 3)
            #expect(refusals(filled)[0].string("detail")?.contains("needs \"name\"") == true)

            for step in ["start", "pause", "pause", "resume"] {
                #expect(try await service.ask("POST", path + "/" + step, "{}", key: key).status == 200, "\(step)")
            }
            _ = try await service.queue.advanceCampaign(
                try #require(UUID(uuidString: made.string("id") ?? "")), app: "shop", ahead: 10, limit: 10)
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 10, lease: .seconds(60), apps: ["shop": 10]))
            #expect(
                jobs.map { $0.variables.map { String(decoding: $0, as: UTF8.self) } }
                    == (1...3).map { #"{"name":"Ann \#($0)"}"# })
            #expect(jobs.allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains("{{name}}") })
            #expect(jobs.allSatisfy { PushDetails(encoded: $0.push)?.collapseID == "sale" })
            _ = try await service.queue.start(jobs.map(\.lease))
            _ = try await service.queue.complete(jobs.map { QueueJobCompletion($0.lease, .accepted) })
            let ended = try await service.ask("GET", path, key: key)
            #expect(ended.string("state") == "finished" && ended["lines", "accepted"] == 3)
            #expect(ended["outcomes"] == [["kind": "accepted", "count": 3]])
            let late = try await service.ask("POST", path + "/pause", "{}", key: key)
            #expect(late.status == 409 && late.string("code") == "campaign_state")
        }
    }

    @Test func `an upload that broke off goes on, and a range that comes twice doubles nothing`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            // The connection breaks in the middle of a line.
            let connection = try await HTTPConnection.open(port: service.port)
            let whole = (1...600).map { line($0) + "\n" }.joined()
            try await connection.send(
                "POST \(path)/lines HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                    + "content-type: application/x-ndjson\r\ncontent-length: 10000000\r\n\r\n\(whole){\"token\": \"ab")
            while try await service.queue.counts()["shop"]?.held != 600 { await Task.yield() }
            connection.close()
            let state = try await service.ask("GET", path, key: key)
            #expect(state["next_line"] == 601)
            let rest = (590...700).map { line($0) }.joined(separator: "\n")
            let added = try await service.ask("POST", path + "/lines?from=590", rest, key: key, type: lines)
            #expect(added["upload", "repeated"] == 11 && added["upload", "accepted"] == 100)
            #expect(added["lines", "total"] == 700 && added["next_line"] == 701)
        }
    }

    @Test func `the same request with the same key makes one campaign`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = (1...5).map { line($0) }.joined(separator: "\n")
            func ask(_ name: String) async throws -> HTTPAnswer {
                try await service.ask(
                    "POST", "/v1/campaigns?name=\(name)", body, key: key, type: lines,
                    headers: [("idempotency-key", "sale-1")])
            }
            let (first, second) = (try await ask("Sale"), try await ask("Sale"))
            #expect(first.status == 201 && second.status == 200 && first.string("id") == second.string("id"))
            #expect(try await service.queue.counts()["shop"]?.held == 5)
            #expect(try await ask("Other").string("code") == "idempotency_conflict")
        }
    }

    @Test func `another request with the same key is refused, and nothing of it is sent`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func ask(_ body: [String], _ query: String = "", _ name: String = "sale-1") async throws -> HTTPAnswer {
                try await service.ask(
                    "POST", "/v1/campaigns?name=Sale\(query)", body.joined(separator: "\n"), key: key, type: lines,
                    headers: [("idempotency-key", name)])
            }
            let body = (1...5).map { line($0) } + [#"{"token": "zz"}"#]
            #expect(try await ask(body, "&rate=5").status == 201)
            let others = [
                (1...5).map { line($0 + 10) } + [#"{"token": "zz"}"#], Array(body[..<5]), body + [line(6)],
                Array(body[1...]), Array(body[..<5]) + [#"{"token": "yy"}"#],
                Array(body[..<2]) + [""] + Array(body[3...]),
            ]
            for other in others {
                let answer = try await ask(other, "&rate=5")
                #expect(answer.status == 422 && answer.string("code") == "idempotency_conflict", "\(other)")
            }
            #expect(try await ask([], "&rate=5").string("code") == "no_lines")
            for query in ["", "&rate=6", "&rate=5&start=false"] {
                #expect(try await ask(body, query).string("code") == "idempotency_conflict", "\(query)")
            }
            let made = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "Sale", "rate": 5}"#, key: key,
                headers: [("idempotency-key", "sale-1")])
            #expect(made.string("code") == "idempotency_conflict")
            // A change of the rate does not make another request of the same one.
            let again = try await ask(body, "&rate=5")
            let path = "/v1/campaigns/\(try #require(again.string("id")))"
            #expect(try await service.ask("PATCH", path, #"{"rate": null}"#, key: key).status == 200)
            #expect(try await ask(body, "&rate=5").status == 200)
            #expect(try await service.queue.counts()["shop"]?.held == 5)
            #expect(try await service.queue.campaigns(app: "shop", after: nil, limit: 10).items.count == 1)
        }
    }

    @Test func `an upload that is repeated after a cancel gets to know of it`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func ask(_ numbers: ClosedRange<Int>) async throws -> HTTPAnswer {
                try await service.ask(
                    "POST", "/v1/campaigns?name=Sale&start=false", numbers.map { line($0) }.joined(separator: "\n"),
                    key: key, type: lines, headers: [("idempotency-key", "sale-1")])
            }
            let made = try await ask(1...5)
            let id = try #require(UUID(uuidString: made.string("id") ?? ""))
            #expect(try await service.ask("POST", "/v1/campaigns/\(id)/cancel", "{}", key: key).status == 200)
            for state in ["cancelling", "cancelled"] {
                let again = try await ask(1...6)
                #expect(again.status == 409 && again.string("code") == "campaign_closed", "\(again.text)")
                #expect(again.string("detail")?.contains(state) == true && again["next_line"] == 6)
                _ = try await service.queue.advanceCampaign(id, app: "shop", ahead: 10, limit: 10)
            }
        }
    }

    @Test func `lines for a closed campaign are told why it is closed`() {
        let (day, end) = (QueueTime(milliseconds: 86_400_000), QueueTime(milliseconds: 172_800_000))
        var campaign = QueueCampaign(id: UUID(), app: "shop", name: "Sale", created: day)
        func answer(_ state: QueueCampaignState, isWhole: Bool = true, at now: QueueTime? = nil) -> APIProblem {
            LineUpload.closed(campaign, state, isWhole: isWhole, now: now ?? end)
        }
        #expect(answer(.finished).code == "idempotency_conflict")
        #expect(answer(.running).code == "idempotency_conflict")
        #expect(answer(.running, isWhole: false).code == "campaign_closed")
        for state in [QueueCampaignState.cancelling, .cancelled] { #expect(answer(state).code == "campaign_closed") }
        campaign.expires = end
        #expect(answer(.paused, at: day).code == "idempotency_conflict")
        #expect(answer(.paused).code == "campaign_closed" && answer(.paused).detail.contains("has expired"))
        // It had all lines, and ended before it could expire.
        campaign.ended = day
        #expect(answer(.finished).code == "idempotency_conflict")
        campaign.ended = end
        #expect(answer(.finished).code == "campaign_closed")
    }

    @Test func `the answer to too many refused lines says of which limit`() {
        let (campaign, app) = (LineUpload.tooManyRefused(.ofCampaign), LineUpload.tooManyRefused(.ofApp))
        #expect(campaign.code == "too_many_refused" && app.code == "too_many_refused")
        #expect(campaign.detail.contains("100000") && app.detail.contains("500000"))
        #expect(campaign.remedy != app.remedy)
    }

    @Test(arguments: [0, 10]) func `two uploads at once with one key do not mix`(common: Int) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            /// Sends the beginning of a body, and waits until it is stored. Returns what sends the rest.
            func begin(_ first: [String], stored: Int) async throws -> HTTPConnection {
                let connection = try await HTTPConnection.open(port: service.port)
                let text = first.map { $0 + "\n" }.joined()
                try await connection.send(
                    "POST /v1/campaigns?name=Sale HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                        + "idempotency-key: sale-1\r\ncontent-type: application/x-ndjson\r\n"
                        + "transfer-encoding: chunked\r\n\r\n\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
                while try await service.queue.counts()["shop"]?.held != stored { await Task.yield() }
                return connection
            }
            let shared = (1...20).map { line($0) }
            let slow = try await begin(shared, stored: 20)
            // Another file, or one that begins in the same way and has more lines.
            let other = Array(shared[..<common]) + (1...20).map { line($0 + 100) }
            let refused = try await service.ask(
                "POST", "/v1/campaigns?name=Sale", other.joined(separator: "\n"), key: key, type: lines,
                headers: [("idempotency-key", "sale-1")])
            #expect(refused.status == 422 && refused.string("code") == "idempotency_conflict")
            let longer = try await service.ask(
                "POST", "/v1/campaigns?name=Sale", (shared + [line(21)]).joined(separator: "\n"), key: key, type: lines,
                headers: [("idempotency-key", "sale-1")])
            #expect(longer.status == 201 && longer["upload", "repeated"] == 20)
            try await slow.send("0\r\n\r\n")
            let first = await slow.answer()
            #expect(first.status == 422 && first.string("code") == "idempotency_conflict")
            slow.close()
            #expect(try await service.queue.counts()["shop"]?.held == 21, "exactly the lines of the one with 201")
        }
    }

    @Test func `another line of the same number is refused, and the answer says from where to continue`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            let body = (1...5).map { line($0) }.joined(separator: "\n")
            #expect(try await service.ask("POST", path, body, key: key, type: lines)["upload", "accepted"] == 5)
            let other = (6...10).map { line($0) }.joined(separator: "\n")
            let refused = try await service.ask("POST", path, other, key: key, type: lines)
            #expect(refused.status == 422 && refused.string("code") == "line_changed")
            #expect(refused["next_line"] == 6 && refused.string("remedy")?.contains("from=6") == true)
            #expect(try await service.ask("POST", path + "?from=6", other, key: key, type: lines).status == 200)
            // The same lines are known also after the campaign was closed.
            let start = path.replacing("/lines", with: "/start")
            #expect(try await service.ask("POST", start, "{}", key: key).status == 200)
            let late = try await service.ask("POST", path, body, key: key, type: lines)
            #expect(late.status == 200 && late["upload", "repeated"] == 5)
            #expect(try await service.ask("POST", path, other, key: key, type: lines).string("code") == "line_changed")
            // The header of a CSV file counts, because it says what its values mean.
            let csv = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "CSV", "payload": {"aps": {"alert": "x"}}}"#, key: key)
            let csvPath = "/v1/campaigns/\(try #require(csv.string("id")))/lines"
            for (header, status) in [("ref", 200), ("ref", 200), ("name", 422)] {
                let answer = try await service.ask(
                    "POST", csvPath, "token,\(header)\n\(token(1)),17\n", key: key, type: "text/csv")
                #expect(answer.status == status, "\(header): \(answer.text)")
            }
        }
    }

    @Test func `the key of a campaign of an earlier version is known`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            var old = NewQueueCampaign("Sale", app: "shop", settings: CampaignSettings().encoded)
            old.key = "sale-1"
            guard case .created(let campaign) = try await service.queue.createCampaign(old) else { return }
            _ = try await service.queue.addLines(
                [QueueCampaignLine(1, .job(NewQueueJob(to: .device(token(1)), payload: [1])))], to: campaign.id,
                app: "shop")
            let answer = try await service.ask(
                "POST", "/v1/campaigns?name=Sale&rate=5", line(1), key: key, type: lines,
                headers: [("idempotency-key", "sale-1")])
            #expect(answer.status == 201 && answer["upload", "repeated"] == 1)
        }
    }

    @Test func `an app can have too many campaigns that have not ended`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for _ in 0..<QueueCampaign.mostUnfinished {
                _ = try await service.queue.createCampaign(NewQueueCampaign("Sale", app: "shop"))
            }
            let answer = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            #expect(answer.status == 429 && answer.string("code") == "too_many_campaigns")
            let list = try await service.ask("GET", "/v1/campaigns?limit=1000", key: key)
            #expect(list.items("items").count == 100 && list.string("next") != nil)
            let first = try await service.ask("GET", "/v1/campaigns?limit=25", key: key)
            let next = try #require(first.string("next"))
            let second = try await service.ask("GET", "/v1/campaigns?limit=75&after=\(next)", key: key)
            #expect(first.items().count == 25 && first.items() + second.items() == list.items())
            #expect(second.string("next") == list.string("next"))
        }
    }

    @Test func `a list of campaigns needs memory for their settings`() async throws {
        try await RunningService.with({ $0.limits.memory = 4 << 20 }) { service in
            let key = try await service.key()
            #expect(try await service.ask("GET", "/v1/campaigns?limit=100", key: key).string("code") == "memory_full")
            #expect(try await service.ask("GET", "/v1/campaigns?limit=5", key: key).status == 200)
        }
    }

    @Test func `an upload names misspelt placeholders`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hi {{nmae|there}}"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            let csv = try await service.ask("POST", path, "token,name\n\(token(1)),Ann\n", key: key, type: "text/csv")
            #expect(csv.status == 422 && csv.string("detail")?.contains("{{name|there}}") == true, "\(csv.text)")
            let json = try await service.ask("POST", path, line(1, #""vars": {"name": "Ann"}"#), key: key, type: lines)
            #expect(json["upload", "accepted"] == 1, "\(json.text)")
            #expect(json.text.contains("Did you mean {{name|there}}?"), "\(json.text)")
        }
    }

    @Test func `CSV goes in as pushsend batch takes it`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hi {{name}}", "badge": "{{points:number|0}}"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            let header = "token;ref;name;points\n"
            let first = try await service.ask(
                "POST", path + "/lines", header + "\(token(1));17;\"Ann; Lee\";120\n", key: key, type: "text/csv")
            #expect(first["upload", "accepted"] == 1 && first["next_line"] == 3)
            let second = try await service.ask(
                "POST", path + "/lines?from=3", header + "\(token(2));18;Ben;\n", key: key, type: "text/csv")
            #expect(second["upload", "accepted"] == 1 && second["next_line"] == 4)
            #expect(try await service.ask("POST", path + "/start", "{}", key: key).status == 200)
            try await deliver(service)
            let report = try await service.ask("GET", path + "/report", key: key)
            #expect(report.lines.map { $0["line"] } == [2, 3] && report.lines.map { $0["ref"] } == ["17", "18"])
        }
    }

    @Test func `the report has each line, and can begin anywhere and have only failures`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = (1...4).map { line($0) } + [#"{"token": "zz"}"#] + (6...1100).map { line($0) }
            let made = try await service.ask(
                "POST", "/v1/campaigns?name=Sale", body.joined(separator: "\n"), key: key, type: lines)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/report"
            let id = try #require(UUID(uuidString: made.string("id") ?? ""))
            _ = try await service.queue.advanceCampaign(id, app: "shop", ahead: 3, limit: 3)
            try await service.deliver(QueueJobOutcome(.rejected, reason: "BadDeviceToken"), limit: 2)
            try await deliver(service)
            let all = try await service.ask("GET", path, key: key)
            #expect(all.headers["content-type"] == "application/x-ndjson" && all.lines.count == 1100)
            #expect(all.lines[0].string("reason") == "BadDeviceToken" && all.lines[0].string("token") == token(1))
            #expect(
                all.lines[0].string("apns_id") == all.lines[0].string("id")
                    && all.lines[3].string("outcome") == "accepted")
            let failures = try await service.ask("GET", path + "?only=failures", key: key)
            #expect(failures.lines.map { $0["line"] } == [1, 2, 5])
            #expect(
                failures.lines[2].string("outcome") == "not_sent" && failures.lines[2].string("reason") == "invalid")
            let part = try await service.ask("GET", path + "?after=2&limit=2", key: key)
            #expect(part.lines.map { $0["line"] } == [3, 4])
        }
    }

    @Test func `a campaign that is wrong for all lines is refused before the first one`() async throws {
        try await RunningService.with(apps: [
            "shop": RunningService.app("shop") { $0.allowedTopics = ["com.example.shop"] }
        ]) {
            service in
            let key = try await service.key()
            let cases: [(String, String, Int)] = [
                (#"{}"#, "missing_member", 400), (#"{"name": "x", "rate": 0}"#, "invalid_value", 400),
                (#"{"name": "x", "rate": "fast"}"#, "invalid_value", 400),
                (#"{"name": "x", "topic": "com.other"}"#, "topic_not_allowed", 400),
                (#"{"name": "x", "expires": "soon"}"#, "invalid_value", 400),
                (#"{"name": "x", "payload": {"aps": {"alert": "{{name"}}}"#, "payload_refused", 422),
                (#"{"name": "x", "payloads": {}}"#, "unknown_member", 400),
                (#"{"name": "x", "app": "news"}"#, "unknown_app", 404),
            ]
            for (body, code, status) in cases {
                let answer = try await service.ask("POST", "/v1/campaigns", body, key: key)
                #expect(answer.string("code") == code && answer.status == status, "\(body): \(answer.text)")
            }
            #expect(
                try await service.ask("POST", "/v1/campaigns?name=x", "x", key: key, type: "text/plain").status == 415)
            let query = try await service.ask("POST", "/v1/campaigns?name=x&payload=%7B", "", key: key, type: lines)
            #expect(query.status == 400 && query.string("field") == "payload")
            let unnamed = try await service.ask("POST", "/v1/campaigns?rate=5", "", key: key, type: lines)
            #expect(unnamed.string("field") == "name" && unnamed["line"] == nil)
            #expect(unnamed.string("remedy") == "Add it to the address: ?name=Sale")
            #expect(try await service.queue.campaigns(app: "shop", after: nil, limit: 10).items.isEmpty)
        }
    }

    @Test func `lines that break a rule are refused with the rule, and a wrong file ends the upload`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            let bad = [
                line(1, #""payload": {"aps": {"badge": "3"}}"#),
                line(2, #""payload": {"aps": {"alert": "x"}}, "apns_id": "x""#),
                line(3, #""payload": {"aps": {"alert": "x"}}, "expires": 1000000000"#), line(4),
                line(5, #""payload": {"aps": {"alert": "x"}}, "collapse_id": "\#(String(repeating: "c", count: 65))""#),
            ]
            let answer = try await service.ask("POST", path, bad.joined(separator: "\n"), key: key, type: lines)
            #expect(answer["upload", "accepted"] == 1 && answer["upload", "refused"] == 4)
            let refused = (0..<4).map { refusals(answer)[$0] }
            #expect(
                refused.map { $0.string("code") }
                    == ["payload_refused", "invalid_line", "expires_too_early", "payload_refused"])
            #expect(refused.map { $0.string("field") } == ["payload.aps.badge", nil, "expires", "collapse_id"])
            #expect(refused[0].string("detail")?.hasSuffix("]") == true, "the rule")

            let other = try await service.ask("POST", "/v1/campaigns", #"{"name": "Wrong"}"#, key: key)
            let wrong = (1...3000).map { line($0, "") }.joined(separator: "\n")
            let ended = try await service.ask(
                "POST", "/v1/campaigns/\(try #require(other.string("id")))/lines", wrong, key: key, type: lines)
            #expect(ended.status == 422 && ended.string("code") == "all_lines_refused")
            #expect(try await service.queue.campaigns(app: "shop", after: nil, limit: 1).items[0].counts.refused < 2000)
        }
    }

    @Test func `a line whose values do not fit the payload is refused, and the value is named`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let places = String(repeating: "{{a|}}", count: 400)
            let new =
                #"{"name": "x", "payload": {"aps": {"alert": "x", "badge": "{{b:number|1}}"}, "d": "\#(places)"}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            let long = String(repeating: "y", count: 60_000)
            let body = [line(1, #""vars": {"a": "\#(long)"}"#), line(2, #""vars": {"b": "zz"}"#), line(3, "")]
            let answer = try await service.ask("POST", path, body.joined(separator: "\n"), key: key, type: lines)
            #expect(answer["upload", "accepted"] == 1 && answer["upload", "refused"] == 2, "\(answer.text)")
            #expect(refusals(answer).map { $0.string("field") } == ["vars.a", "vars.b"])
            let large = #"{"name": "x", "payload": {"aps": {"alert": "x"}, "d": "\#(places)\#(places)"}}"#
            #expect(try await service.ask("POST", "/v1/campaigns", large, key: key).status == 422)
        }
    }

    @Test func `each scope may do its part`() async throws {
        try await RunningService.with { service in
            let (send, read) = (try await service.key(["shop"], [.send]), try await service.key(["shop"], [.read]))
            let (cancel, other) = (try await service.key(["shop"], [.cancel]), try await service.key(["news"]))
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: send)
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            #expect(try await service.ask("GET", path, key: send).status == 403)
            #expect(try await service.ask("GET", path, key: read).status == 200)
            #expect(try await service.ask("POST", path + "/lines", line(1), key: read, type: lines).status == 403)
            #expect(try await service.ask("PATCH", path, #"{"rate": 5}"#, key: read).status == 403)
            #expect(try await service.ask("POST", path + "/cancel", "{}", key: send).status == 403)
            for (method, suffix) in [("GET", ""), ("GET", "/report"), ("POST", "/start"), ("POST", "/cancel")] {
                let body = method == "POST" ? "{}" : nil
                #expect(try await service.ask(method, path + suffix, body, key: other).status == 404, "\(suffix)")
            }
            #expect(try await service.ask("POST", path + "/cancel", "{}", key: cancel).status == 200)
            let late = try await service.ask("POST", path + "/lines", line(1), key: send, type: lines)
            #expect(late.status == 409 && late.string("code") == "campaign_closed")
        }
    }

    @Test func `the rate can be changed, and taken away`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale", "rate": 2.5}"#, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            #expect(made["rate"] == 2.5)
            #expect(try await service.ask("PATCH", path, #"{"rate": 40}"#, key: key)["rate"] == 40)
            #expect(try await service.ask("PATCH", path, #"{"rate": null}"#, key: key)["rate"] == .null)
            #expect(try await service.ask("PATCH", path, "{}", key: key).status == 400)
            let list = try await service.ask("GET", "/v1/campaigns", key: key)
            #expect(list.items("items").map { $0.string("name") } == ["Sale"])
        }
    }

    @Test func `a full queue ends an upload, which says what it has`() async throws {
        try await RunningService.with({ $0.limits.queueDepth = 500 }) { service in
            let key = try await service.key()
            let body = (1...1200).map { line($0) }.joined(separator: "\n")
            let answer = try await service.ask("POST", "/v1/campaigns?name=Sale", body, key: key, type: lines)
            #expect(answer.status == 503 && answer.string("code") == "queue_full")
            #expect(answer["next_line"] == .integer((try await service.queue.counts()["shop"]?.held ?? 0) + 1))
            #expect(answer.string("campaign") != nil)
        }
    }
}
