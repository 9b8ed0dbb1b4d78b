import APNSVocabulary
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Campaigns whose lines are the devices of an audience.
@Suite(.timeLimit(.minutes(10))) struct AudienceTests: CampaignTesting {
    private let table = TeamTable()
    private let body = #"{"name": "Sale", "audience": "vip", "payload": {"aps": {"alert": "Hello"}}}"#

    /// Devices with every third id.
    private func fill(_ count: Int) {
        table.change { $0.vip = (1...count).map { AudienceDevice(Int64($0 * 3), TeamTable.token($0)) } }
    }

    private func created(_ service: RunningService, _ key: String) async throws -> UUID {
        let made = try await service.ask("POST", "/v1/campaigns", body, key: key)
        #expect(made.status == 201 && made.string("audience") == "vip", "\(made.text)")
        let id = try #require(made.string("id"))
        let started = try await service.ask("POST", "/v1/campaigns/\(id)/start", "{}", key: key)
        #expect(started.status == 200 && started["open"] == .bool(true), "\(started.text)")
        return try #require(UUID(uuidString: id))
    }

    private func campaign(_ id: UUID, _ service: RunningService) async throws -> QueueCampaign {
        try #require(try await service.queue.campaign(id, app: "shop"))
    }

    /// Waits until a campaign is as wanted.
    private func wait(
        _ id: UUID, _ service: RunningService, until isReached: (QueueCampaign) -> Bool
    ) async throws -> QueueCampaign {
        while true {
            let now = try await campaign(id, service)
            if isReached(now) { return now }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func `the devices of an audience become lines with their ids, each once, and the campaign closes`()
        async throws
    {
        fill(2500)
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            let id = try await created(service, key)
            let full = try await wait(id, service) { !$0.isOpen }
            #expect(full.counts.lines == 2500 && full.counts.refused == 0 && full.lastLine == 7500)
            try await deliver(service)
            let ended = try await wait(id, service) { $0.state == .finished }
            #expect(ended.counts.accepted == 2500)
            let report = try await service.ask("GET", "/v1/campaigns/\(id)/report?limit=2", key: key)
            #expect(report.text.contains(#""line":3"#) && report.text.contains(TeamTable.token(1)), "\(report.text)")
        }
    }

    @Test func `pushes to users and to an audience have the topic of the app's certificate, too`() async throws {
        fill(2)
        table.change { $0.users["ann"] = [RecipientDevice(TeamTable.token(8))] }
        let topic: @Sendable (AppSettings, () -> PushType) -> String? = { _, type in "com.example.\(type().rawValue)" }
        try await RunningService.with(apps: table.apps { $0.topic = nil }, defaultTopic: topic) { service in
            let key = try await service.key()
            let user = #"{"user": "ann", "payload": {"aps": {"content-available": 1}}}"#
            for (body, type) in [
                (user, "application/json"), ("[\(user)]", "application/json"), (user, lines),
            ] {
                let posted = try await service.ask("POST", "/v1/notifications", body, key: key, type: type)
                #expect(posted.status == 202, "\(posted.text)")
            }
            let uploaded = try await service.ask("POST", "/v1/campaigns?name=Sale", user, key: key, type: lines)
            #expect(uploaded["upload", "accepted"] == 1, "\(uploaded.text)")
            let audience = try await created(service, key)
            _ = try await wait(audience, service) { !$0.isOpen }
            var pushes = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 10, lease: .seconds(60), apps: ["shop": 10])
            ).map(\.push)
            for id in [try #require(uploaded.string("id").flatMap(UUID.init(uuidString:))), audience] {
                for line in try await service.queue.lines(QueueCampaignLineQuery(id, app: "shop")) {
                    if case .job(let job) = line.content { pushes.append(job.push) }
                }
            }
            let details = pushes.compactMap { PushDetails(encoded: $0) }
            #expect(details.allSatisfy { $0.topic == nil })
            #expect(
                details.filter { $0.user == "ann" }.map(\.defaultTopic)
                    == .init(repeating: "com.example.background", count: 4))
            #expect(
                details.filter { $0.user == nil }.map(\.defaultTopic) == ["com.example.alert", "com.example.alert"])
        }
    }

    @Test func `a registration in the future counts as unknown, for a user and in an audience`() async throws {
        let times = [QueueTime.now + .seconds(86_400), QueueTime(milliseconds: -63_000_000_000_000)]
        table.change {
            $0.vip = zip(1..., times).map { AudienceDevice(Int64($0), TeamTable.token($0), registered: $1) }
            $0.users["ann"] = zip(1..., times).map { RecipientDevice(TeamTable.token($0), registered: $1) }
        }
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            let id = try await created(service, key)
            #expect(try await wait(id, service) { !$0.isOpen }.counts.refused == 0)
            let user = #"{"user": "ann", "payload": {"aps": {"content-available": 1}}}"#
            #expect(try await service.ask("POST", "/v1/notifications", user, key: key)["devices"] == 2)
            let pushes = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 10, lease: .seconds(60), apps: ["shop": 10])
            ).map(\.push)
            #expect(pushes.count >= 2 && pushes.allSatisfy { PushDetails(encoded: $0)?.registeredAt == nil })
        }
    }

    @Test func `an app whose table is slow does not hold up the audiences of others`() async throws {
        fill(2)
        let (slow, asked) = (TeamTable(), Watched(0))
        slow.change {
            $0.beforePage = {
                asked.change { $0 += 1 }
                try? await Task.sleep(for: .seconds(100_000))
            }
        }
        var apps = table.apps()
        apps["news"] = RunningService.app("news") {
            $0.recipients = Recipients(
                slow, address: "slow", RecipientQueries(ofUser: "SELECT", audiences: ["vip": "SELECT"]))
        }
        try await RunningService.with(apps: apps) { service in
            let key = try await service.key(["shop", "news"])
            for app in ["news", "shop"] {
                let body = body.replacing("{\"name\"", with: "{\"app\": \"\(app)\", \"name\"")
                let made = try await service.ask("POST", "/v1/campaigns", body, key: key)
                let id = try #require(made.string("id").flatMap { UUID(uuidString: $0) })
                #expect(try await service.ask("POST", "/v1/campaigns/\(id)/start", "{}", key: key).status == 200)
                if app == "news" {
                    try await asked.wait(for: "the slow table is asked") { $0 > 0 }
                } else {
                    #expect(try await wait(id, service) { !$0.isOpen }.counts.lines == 2)
                }
            }
        }
    }

    @Test func `a draft takes no devices, and lines cannot be added to it`() async throws {
        fill(3)
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", body, key: key)
            let id = try #require(made.string("id"))
            let added = try await service.ask("POST", "/v1/campaigns/\(id)/lines", line(1), key: key, type: lines)
            #expect(added.status == 422 && added.string("code") == "has_audience", "\(added.text)")
            let open = try await service.ask("POST", "/v1/campaigns/\(id)/start?open=true", "{}", key: key)
            #expect(open.status == 422 && open.string("field") == "open", "\(open.text)")
            let closed = try await service.ask("POST", "/v1/campaigns/\(id)/close", "{}", key: key)
            #expect(closed.status == 422 && closed.string("code") == "has_audience", "\(closed.text)")
            var filler = AudienceFiller(service.service.api.parts)
            #expect(await !filler.step())
            #expect(try await campaign(#require(UUID(uuidString: id)), service).counts.lines == 0)
        }
    }

    @Test func `an audience can be counted, and a wrong one is refused`() async throws {
        fill(42)
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key(["shop", "news"])
            let shop = body.replacing("{\"name\"", with: "{\"app\": \"shop\", \"name\"")
            let counted = try await service.ask("POST", "/v1/campaigns?count=true", shop, key: key)
            #expect(counted.status == 200 && counted["count"] == .integer(42), "\(counted.text)")
            #expect(try await service.queue.campaigns(app: "shop", after: nil, limit: 10).items.isEmpty)
            for (query, wrong, status, code) in [
                ("", shop.replacing("vip", with: "vib"), 422, "unknown_audience"),
                ("", shop.replacing("shop", with: "news"), 422, "unknown_audience"),
                ("", #"{"app": "shop", "name": "Sale", "audience": "vip"}"#, 400, "missing_member"),
                ("", shop.replacing("Hello", with: "Hello {{name}}"), 422, "placeholder_without_value"),
                ("", shop.replacing(#""alert": "Hello""#, with: #""badge": "3""#), 422, "payload_refused"),
                ("?count=true", #"{"app": "shop", "name": "Sale", "payload": {"aps": {}}}"#, 400, "invalid_value"),
            ] {
                let answer = try await service.ask("POST", "/v1/campaigns\(query)", wrong, key: key)
                #expect(answer.status == status && answer.string("code") == code, "\(wrong): \(answer.text)")
            }
            let both = try await service.ask(
                "POST", "/v1/campaigns?app=shop&name=Sale&audience=vip", line(1), key: key, type: lines)
            #expect(both.status == 400 && both.string("field") == "audience", "\(both.text)")
        }
    }

    @Test func `a placeholder is refused, whose default everyone would get in silence`() async throws {
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            for (text, words) in [
                ("Hi {{name|there}}", "{{name|there}}, so everyone would get the default."),
                ("Hi {{name|there}}, {{code}}", "{{code}}, {{name|there}}."),
                (
                    "{{token|a}} {{registered_at|b}}",
                    "{{token|a}}, {{registered_at|b}}, so everyone would get the default."
                ),
            ] {
                for query in ["", "?count=true"] {
                    let wrong = body.replacing("Hello", with: text)
                    let answer = try await service.ask("POST", "/v1/campaigns" + query, wrong, key: key)
                    #expect(
                        answer.status == 422 && answer.string("code") == "placeholder_without_value", "\(answer.text)")
                    #expect(answer.string("detail") == "No device of an audience has a value for \(words)")
                    #expect(answer.string("field") == "/payload", "\(answer.text)")
                    #expect(answer.string("remedy")?.contains("without placeholders, or upload lines") == true)
                }
            }
            #expect(try await service.queue.campaigns(app: "shop", after: nil, limit: 10).items.isEmpty)
        }
    }

    /// What an audience's query returns, and what the campaign says about it.
    static let mistakes: [(words: String, query: @Sendable (Int64) -> [AudienceDevice])] = [
        ("after 2", { _ in [AudienceDevice(1, TeamTable.token(1)), AudienceDevice(2, TeamTable.token(2))] }),
        ("the id 4 after 5", { _ in [AudienceDevice(5, TeamTable.token(1)), AudienceDevice(4, TeamTable.token(2))] }),
        ("the id 5 after 5", { _ in [AudienceDevice(5, TeamTable.token(1)), AudienceDevice(5, TeamTable.token(2))] }),
        ("the id 0", { _ in [AudienceDevice(0, TeamTable.token(1))] }),
        ("NULL", { _ in [AudienceDevice(nil, TeamTable.token(1))] }),
        ("isn't a device token", { after in after > 0 ? [] : [AudienceDevice(1, "hello")] }),
        ("must not be above", { _ in [AudienceDevice(.max, TeamTable.token(1))] }),
    ]

    @Test(arguments: 0..<7) func `a wrong query pauses the campaign with a sentence`(number: Int) async throws {
        let mistake = Self.mistakes[number]
        table.change { $0.broken = mistake.query }
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            let id = try await created(service, key)
            _ = try await wait(id, service) { $0.state == .paused }
            let shown = try await service.ask("GET", "/v1/campaigns/\(id)", key: key)
            #expect(shown.string("problem")?.contains(mistake.words) == true, "\(shown.text)")
            table.change { $0.broken = nil }
            fill(4)
            let resumed = try await service.ask("POST", "/v1/campaigns/\(id)/resume", "{}", key: key)
            #expect(resumed.status == 200 && resumed["problem"] == nil, "\(resumed.text)")
            #expect(try await wait(id, service) { !$0.isOpen }.counts.refused == 0)
        }
    }

    @Test func `why a campaign was paused is removed after its end, and with its app`() async throws {
        table.change { $0.broken = { _ in [AudienceDevice(nil, TeamTable.token(1))] } }
        try await RunningService.with(apps: table.apps()) { service in
            let (key, queue) = (try await service.key(), service.queue)
            func noted() async throws -> [UUID] {
                try await queue.records(kind: CampaignRecords.mistakes.kind).compactMap {
                    UUID(uuidString: String($0.key.suffix(36)))
                }
            }
            var ids: [UUID] = []
            for _ in 0..<2 {
                if let last = ids.last { _ = try await queue.changeCampaign(last, app: "shop", .cancel) }
                ids.append(try await created(service, key))
                _ = try await wait(ids[ids.count - 1], service) { $0.state == .paused }
                // What was noted before is removed before the campaign is paused.
                #expect(try await noted() == [ids[ids.count - 1]])
            }
            _ = try await DeviceData(queue, []).erase(app: "shop")
            #expect(try await noted().isEmpty)
        }
    }

    @Test func `a device without a token is a refused line, and stops no campaign`() async throws {
        fill(5)
        table.change {
            $0.vip[1].token = nil
            $0.vip[4].token = nil
        }
        try await RunningService.with(apps: table.apps()) { service in
            let key = try await service.key()
            let id = try await created(service, key)
            let full = try await wait(id, service) { !$0.isOpen }
            #expect(full.counts.lines == 3 && full.counts.refused == 2 && full.lastLine == 15)
            try await deliver(service)
            #expect(try await wait(id, service) { $0.state == .finished }.counts.accepted == 3)
            let report = try await service.ask("GET", "/v1/campaigns/\(id)/report?only=failures", key: key)
            #expect(report.text.contains(#""line":6"#) && report.text.contains(#""line":15"#), "\(report.text)")
            #expect(report.text.contains("no_token") && !report.text.contains(#""line":3,"#), "\(report.text)")
        }
    }

    @Test func `while the table is down, the campaign waits and then continues`() async throws {
        fill(5)
        table.change { $0.failure = QueueError(.unreachable, "down") }
        try await RunningService.with(apps: table.apps()) { service in
            let id = try await created(service, try await service.key())
            var filler = AudienceFiller(service.service.api.parts)
            #expect(await !filler.step())
            #expect(try await campaign(id, service).state == .running)
            table.change { $0.failure = nil }
            #expect(try await wait(id, service) { !$0.isOpen }.counts.lines == 5)
        }
    }

    @Test func `fillers of several workers add each device once`() async throws {
        fill(3000)
        try await RunningService.with(apps: table.apps()) { service in
            let id = try await created(service, try await service.key())
            let parts = service.service.api.parts
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        var filler = AudienceFiller(parts)
                        while await filler.step() {}
                    }
                }
            }
            let full = try await wait(id, service) { !$0.isOpen }
            #expect(full.counts.lines == 3000 && full.counts.refused == 0)
        }
    }

    @Test func `a filler that is killed between pages continues after the last line`() async throws {
        fill(2500)
        // No part of it runs: each step is a process of its own, which ends behind it.
        try await RunningService.with(apps: RunningService.apps) { service in
            let app = table.apps()
            let parts = service.idleParts(of: app)
            var new = NewQueueCampaign("Sale", app: "shop")
            var settings = CampaignSettings()
            settings.audience = "vip"
            settings.payload = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
            new.settings = settings.encoded
            guard case .created(let campaign) = try await service.queue.createCampaign(new) else { return }
            _ = try await service.queue.changeCampaign(campaign.id, app: "shop", .start(closes: false))
            for count in [1000, 2000, 2500] {
                var filler = AudienceFiller(parts)
                #expect(await filler.step())
                #expect(try await self.campaign(campaign.id, service).counts.lines == count)
            }
            // A token may change between two pages, and its line stays.
            table.change { $0.vip[10].token = TeamTable.token(9999) }
            var filler = AudienceFiller(parts)
            #expect(await !filler.step())
            let full = try await self.campaign(campaign.id, service)
            #expect(!full.isOpen && full.counts.lines == 2500)
        }
    }
}
