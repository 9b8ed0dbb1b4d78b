import Foundation
import PushDelivery
import PushHTTP
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite(.timeLimit(.minutes(10))) struct CampaignKeyTests: CampaignTesting {
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
            let audit = try await service.ask("GET", "/v1/audit", key: key).items()
            #expect(audit.map { $0.string("action") } == ["campaign.start", "campaign.create"])
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

    private func draft(_ numbers: ClosedRange<Int>, _ key: String, _ service: RunningService) async throws -> HTTPAnswer
    {
        try await service.ask(
            "POST", "/v1/campaigns?name=Sale&start=false", numbers.map { line($0) }.joined(separator: "\n"),
            key: key, type: lines, headers: [("idempotency-key", "sale-1")])
    }

    @Test func `a draft takes only the lines of its request, and knows it again with others behind them`() async throws
    {
        try await RunningService.with { service in
            let key = try await service.key()
            func ask(_ numbers: ClosedRange<Int>) async throws -> HTTPAnswer { try await draft(numbers, key, service) }
            let made = try await ask(1...5)
            #expect(made.status == 201, "\(made.text)")
            for other in [1...6, 1...4] {
                #expect(try await ask(other).string("code") == "idempotency_conflict", "\(other)")
            }
            #expect(try await service.queue.counts()["shop"]?.held == 5)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines?from=6"
            #expect(try await service.ask("POST", path, line(6), key: key, type: lines).status == 200)
            let again = try await ask(1...5)
            #expect(again.status == 201 && again.string("id") == made.string("id"), "\(again.text)")
            #expect(try await ask(1...6).string("code") == "idempotency_conflict")
        }
    }

    @Test func `an upload that is repeated after a cancel gets to know of it`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func ask(_ numbers: ClosedRange<Int>) async throws -> HTTPAnswer { try await draft(numbers, key, service) }
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
}
