import Foundation
import PushDelivery
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite(.timeLimit(.minutes(10))) struct CampaignLineTests: CampaignTesting {
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

    @Test func `a campaign whose placeholder is misspelt does not start, unless it is meant`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let payload = "%7B%22aps%22:%7B%22alert%22:%22Hi%20%7B%7Bnmae%7Cthere%7D%7D%22%7D%7D"
            let body = line(1, #""vars": {"name": "Ann"}"#)
            let path = "/v1/campaigns?name=Sale&payload=\(payload)"
            let made = try await service.ask("POST", path, body, key: key, type: lines)
            #expect(made.status == 422 && made.string("code") == "placeholder_without_value", "\(made.text)")
            let words =
                "No line has a value for {{nmae|there}}, so everyone would get the default. Did you mean {{name|there}}? "
                + "Nothing was sent."
            #expect(made.string("detail") == words && made["accepted"] == 1, "\(made.text)")
            let start = "/v1/campaigns/\(try #require(made.string("campaign")))/start"
            #expect(made.string("remedy")?.hasSuffix("POST \(start)?unfilled=true.") == true, "\(made.text)")
            let again = try await service.ask("POST", start, "{}", key: key)
            #expect(again.status == 422 && again.string("detail") == words, "\(again.text)")
            #expect(try await service.queue.counts()["shop"]?.held == 1)
            let meant = try await service.ask("POST", start + "?unfilled=true", "{}", key: key)
            #expect(meant.status == 200 && meant.string("state") == "running", "\(meant.text)")
            let known = try await service.ask("POST", path + "&unfilled=true", body, key: key, type: lines)
            #expect(known.status == 201 && known.string("state") == "running", "\(known.text)")
            let kind = CampaignRecords.unfilled.kind
            #expect(try await service.queue.records(kind: kind, after: nil, limit: 9).isEmpty)
        }
    }

    @Test func `a later upload can lack the value that an earlier one had`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hi {{name|there}}"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            let first = line(1, #""vars": {"name": "Ann"}"#)
            _ = try await service.ask("POST", path + "/lines", first, key: key, type: lines)
            let second = line(2, #""vars": {"nmae": "Ben"}"#)
            _ = try await service.ask("POST", path + "/lines?from=2", second, key: key, type: lines)
            #expect(try await service.ask("POST", path + "/start", "{}", key: key).status == 200)
        }
    }

    @Test func `a placeholder that all uploads lack keeps the draft, whichever shows the name that is meant`()
        async throws
    {
        try await RunningService.with { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hi {{nmae|there}}"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            _ = try await service.ask("POST", path + "/lines", line(1, #""vars": {}"#), key: key, type: lines)
            let second = line(2, #""vars": {"name": "Ben"}"#)
            _ = try await service.ask("POST", path + "/lines?from=2", second, key: key, type: lines)
            #expect(try await service.ask("POST", path + "/start", "{}", key: key).status == 422)
        }
    }

    @Test func `a later upload can have the value that an earlier one lacked`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hi {{nmae|there}}"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))"
            let first = line(1, #""vars": {"name": "Ann"}"#)
            _ = try await service.ask("POST", path + "/lines", first, key: key, type: lines)
            #expect(try await service.ask("POST", path + "/start", "{}", key: key).status == 422)
            let second = line(2, #""vars": {"nmae": "Ben"}"#)
            _ = try await service.ask("POST", path + "/lines?from=2", second, key: key, type: lines)
            #expect(try await service.ask("POST", path + "/start", "{}", key: key).status == 200)
        }
    }

    @Test func `records of campaigns that are no drafts any more are forgotten`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let new = #"{"name": "Sale", "payload": {"aps": {"alert": "Hi {{nmae|there}}"}}}"#
            for _ in 0..<3 {
                let made = try await service.ask("POST", "/v1/campaigns", new, key: key)
                let path = "/v1/campaigns/\(try #require(made.string("id")))"
                let body = line(1, #""vars": {"name": "Ann"}"#)
                _ = try await service.ask("POST", path + "/lines", body, key: key, type: lines)
                _ = try await service.ask("POST", path + "/cancel", "{}", key: key)
            }
            let kind = CampaignRecords.unfilled.kind
            #expect(try await service.queue.records(kind: kind, after: nil, limit: 9).count == 1)
        }
    }

    @Test(arguments: ["", " \n\n", "token,name\n"])
    func `a request without lines leaves no campaign behind`(body: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for query in ["", "&start=false"] {
                let type = body.hasPrefix("token") ? "text/csv" : lines
                let answer = try await service.ask(
                    "POST", "/v1/campaigns?name=Sale\(query)", body, key: key, type: type)
                let code = answer.string("code") ?? ""
                #expect(answer.status == 422 && ["no_lines", "invalid_lines"].contains(code), "\(answer.text)")
                #expect(answer.string("campaign") == nil, "\(answer.text)")
            }
            let wrong = try await service.ask(
                "POST", "/v1/campaigns?name=Sale", #"{"results": [{"token": "ab"}]}"#, key: key, type: lines)
            #expect(wrong.string("code") == "invalid_lines", "\(wrong.text)")
            #expect(try await service.queue.campaigns(app: "shop", after: nil, limit: 9).items.isEmpty)
        }
    }

    @Test func `a list that begins with more gone tokens than are kept is accepted, and so is its repetition`()
        async throws
    {
        let app = RunningService.app("shop") { $0.gone = .refuse }
        try await RunningService.with(apps: ["shop": app]) { service in
            let key = try await service.key()
            let now = try await service.queue.now()
            try await service.queue.recordGone([GoneToken(token(1), since: now)], app: "shop")
            let gone = QueueCampaign.maximumRefused + 600
            let text = String(repeating: token(1) + "\n", count: gone)
            let body = "token\n" + text + (2...4).map { token($0) + "\n" }.joined()
            let path = "/v1/campaigns?name=Sale&payload=%7B%22aps%22:%7B%22alert%22:%22Hi%22%7D%7D"
            for status in [201, 200] {
                let answer = try await service.ask(
                    "POST", path, body, key: key, type: "text/csv", headers: [("idempotency-key", "sale")])
                #expect(answer.status == status && answer.string("state") == "running", "\(answer.text.prefix(500))")
                #expect(answer["upload", status == 201 ? "accepted" : "repeated"] != 0)
            }
            let campaign = try #require(
                try await service.queue.campaigns(app: "shop", after: nil, limit: 9).items.first)
            #expect(campaign.counts.lines == 3 && campaign.counts.refused <= QueueCampaign.maximumRefused)
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

    /// As `pushsend batch` refuses it before the first line.
    @Test(
        arguments: [
            (#"{"aps": {"alert": "x", "badge": "3"}}"#, "The badge is a string, not a number.", "payload/aps/badge"),
            (#"{"aps": {"alert": "Hi {{name|you}}", "badge": "3"}}"#, "The badge is a string", "payload/aps/badge"),
            (
                #"{"aps": {"alert": "\#(String(repeating: "x", count: 4100))"}}"#,
                "The payload is 4122 bytes, 26 more than the limit", "payload"
            ),
        ])
    func `a payload that no line could send is refused with the campaign`(
        payload: String, words: String, field: String
    ) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "x", "payload": \#(payload)}"#, key: key)
            let query = try #require(payload.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let uploaded = try await service.ask(
                "POST", "/v1/campaigns?name=x&payload=\(query)", line(1, ""), key: key, type: lines)
            for (answer, prefix) in [(made, "/"), (uploaded, "")] {
                #expect(answer.status == 422 && answer.string("code") == "payload_refused", "\(answer.text)")
                #expect(answer.string("detail")?.hasPrefix(words) == true, "\(answer.text)")
                #expect(answer.string("field") == prefix + field, "\(answer.text)")
            }
            #expect(uploaded["line"] == nil && made["line"] == 1)
            #expect(try await service.queue.campaigns(app: "shop", after: nil, limit: 10).items.isEmpty)
        }
    }

    @Test func `what is doubtful in the payload of a campaign is said, as for a push`() async throws {
        try await RunningService.with { service in
            let body = #"{"name": "x", "payload": {"aps": {"alert": "Hi {{name|you}}", "sond": "default"}}}"#
            let made = try await service.ask("POST", "/v1/campaigns", body, key: try await service.key())
            #expect(made.status == 201, "\(made.text)")
            let warning = try #require(made.items("warnings").first)
            #expect(warning.string("field") == "/payload/aps/sond" && warning.string("severity") == "warning")
        }
    }

    @Test(arguments: [
        // A line may have its own topic.
        #"{"name": "x", "payload": {"aps": {"timestamp": 1, "event": "update", "content-state": {}}}}"#,
        // A value decides what it is.
        #"{"name": "x", "payload": {"aps": {"alert": "x", "badge": "{{badge:number|1}}"}}}"#,
        #"{"name": "x", "payload": {"aps": {"alert": "x"}, "d": "\#(String(repeating: "{{a|}}", count: 400))"}}"#,
    ])
    func `a payload that some line could send is taken`(body: String) async throws {
        try await RunningService.with { service in
            let made = try await service.ask("POST", "/v1/campaigns", body, key: try await service.key())
            #expect(made.status == 201, "\(made.text)")
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

    @Test func `what is no object among the lines of an array is refused alone`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            let body = #"[[1], 5, \#(line(3)), "x", {"results": [{}]}]"#
            let answer = try await service.ask("POST", path, body, key: key)
            #expect(answer.status == 200 && answer["upload", "accepted"] == 1, "\(answer.text)")
            #expect(refusals(answer).map { $0["line"] } == [1, 2, 4, 5], "\(answer.text)")
        }
    }

    @Test(arguments: [
        (#"{"count": 1, "results": [{"token": "ab"}]}"#, "jq -c '.results[]'"),
        ("{\n  \"results\": [\n    {\"token\": \"ab\"}\n  ]\n}", "jq -c '.results[]'"),
        ("{\n  \"token\": \"ab\"\n}", "Each JSON object must be on one line"),
        (#"[{"token": "ab"}]"#, "jq -c '.[]'"), ("[\n{\"token\": \"ab\"}\n]", "jq -c '.[]'"),
    ])
    func `a list in one JSON value is answered as pushsend batch does`(body: String, words: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            for end in ["", "\n", "\r\n \n"] {
                let answer = try await service.ask("POST", path, body + end, key: key, type: lines)
                #expect(answer.status == 422 && answer.string("code") == "invalid_lines", "\(answer.text)")
                #expect(answer.string("detail")?.contains(words) == true, "\(answer.text)")
            }
            // With other lines behind it, such a first line is one that is wrong.
            let mixed = try await service.ask("POST", path, "[1]\n\(line(1))\n", key: key, type: lines)
            #expect(mixed["upload", "accepted"] == 1 && mixed["upload", "refused"] == 1, "\(mixed.text)")
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
