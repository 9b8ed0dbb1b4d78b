import Foundation
import NIOConcurrencyHelpers
import PushDelivery
import PushJSON
import PushProvider
import PushQueue
import PushQueuePostgres
import TestSupport
import Testing

@testable import PushService

/// What is shown of Apple's delivery counts: the API and its explanations, the metrics, and the status.
@Suite struct DeliveryListTests {
    private static func day(_ back: Int) -> String { DeliveryCounts.day(back, before: .now) }

    @Test func `the counts stand beside what was accepted, with why they differ`() async throws {
        let ground = try await DeliveryGround()
        let apps = ground.apps()
        try await RunningService.with(apps: apps.settings(), { $0.metrics = .init(port: 0) }) { service in
            let key = try await service.key(["shop"], [.read])
            _ = try await service.ask(
                "POST", "/v1/notifications", "[\(push()), \(push()), \(push())]", key: service.key())
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 3, lease: .seconds(60), apps: ["shop": 3]))
            _ = try await service.queue.start(jobs.map(\.lease))
            for (job, type) in zip(jobs, ["alert", "alert", "broadcast"]) {
                var completion = QueueJobCompletion(job.lease, .accepted)
                completion.pushType = type
                _ = try await service.queue.complete([completion])
            }
            let today = Self.day(0)
            func items() async throws -> [PushJSONValue] {
                let answer = try await service.ask("GET", "/v1/delivery?days=7", key: key)
                guard case .array(let items)? = PushJSONValue(json: Array(answer.text.utf8))?["items"] else {
                    return []
                }
                return items
            }
            let before = try await items()
            #expect(before.count == 1 && before[0]["accepted"] == .integer(2) && before[0]["counts"] == nil)
            #expect(before[0].string("explanation")?.contains("weren't imported") == true)

            for (counts, difference, words) in [
                (["delivered": 2], 0, "fit"), (["delivered": 1, "stored": 2], 1, "fit"),
                (["delivered": 9], 7, "7 more"), (["discarded": 1], -1, "1 fewer"),
            ] {
                try await DeliveryCounts(day: today, types: ["alert": counts]).store(service.queue)
                let found = try await items()
                #expect(found.count == 1 && found[0]["difference"] == .integer(difference), "\(found)")
                #expect(found[0].string("explanation")?.contains(words) == true, "\(found)")
            }
            // A day on which the service sent nothing, and a push that an earlier version has counted.
            try await DeliveryCounts(day: Self.day(3), types: ["alert": ["delivered": 5]]).store(service.queue)
            _ = try await service.ask("POST", "/v1/notifications", push(), key: service.key())
            try await service.deliver()
            let both = try await items()
            #expect(both.count == 2 && both[0]["accepted"] == nil && both[1]["accepted"] == .integer(0), "\(both)")
            #expect(both[0].string("explanation")?.contains("didn't count") == true)

            let port = try #require(await service.service.metricsPort)
            let connection = try await HTTPConnection.open(port: port)
            defer { connection.close() }
            let untold = try await connection.ask("GET", "/metrics", key: nil).text
            #expect(!untold.contains("pushserve_delivery"), "Nothing was imported yet.")
            var state = DeliveryImportState()
            (state.failure, state.imported) = ("Apple refused the token.", .now)
            (state.newest, state.earlier) = (["discarded": 1], ["delivered": 5])
            _ = try await service.queue.store(
                state.encoded, kind: DeliveryImportState.kind, key: "shop", ifVersion: nil)
            #expect(try await service.ask("GET", "/v1/status", key: key).text.contains("Apple refused the token."))
            let text = try await connection.ask("GET", "/metrics", key: nil).text
            for line in [
                #"pushserve_delivery_import_up{app="shop"} 0"#,
                #"pushserve_delivery_day_pushes{app="shop",state="discarded"} 1"#,
                #"pushserve_delivery_discarded_ratio{app="shop",period="day"} 1.0"#,
                #"pushserve_delivery_discarded_ratio{app="shop",period="month"} 0.0"#,
            ] {
                #expect(text.contains(line + "\n"), "\(line)\n\(text)")
            }
            let reasons = try await service.ask("GET", "/v1/statistics", key: key).text
            #expect(reasons.contains(#""count":4"#) && !reasons.contains("alert"), "Statistics show no push types.")
            let other = try await service.key(["news"], [.read])
            #expect(try await service.ask("GET", "/v1/delivery?app=shop", key: other).status == 404)
            #expect(try await service.ask("GET", "/v1/delivery", key: service.key(["shop"], [.send])).status == 403)
            #expect(try await service.ask("GET", "/v1/delivery?days=0", key: key).status == 400)
            #expect(try await service.ask("GET", "/v1/delivery?days=367", key: key).status == 400)
        }
        await ground.queue.close()
    }

    @Test func `complete days are judged only`() async throws {
        let ground = try await DeliveryGround()
        ground.export.set(
            "alert,Discarded,\(Self.day(1)),1000", "alert,Discarded,\(Self.day(2)),10", "voip,New,\(Self.day(2)),30",
            "alert,Delivered,\(Self.day(3)),70", "voip,Discarded,\(Self.day(9)),7")
        await ground.imports().round()
        let state = try await ground.state()
        #expect(state.newest == ["discarded": 10, "other": 30])
        #expect(state.earlier == ["delivered": 70, "discarded": 7])
        #expect(state.isCurrent(.now) && !state.isCurrent(.now + .seconds(4 * 86_400)))
        await ground.queue.close()
    }

    @Test(arguments: [
        (PushEnvironment.sandbox, "com.example.shop", "cannot be compared", nil),
        (.production, "com.example.shop", "other apps of this service", 7),
        (.production, "com.example.other", "your team's other senders,", 7),
    ])
    func `the explanation knows the sandbox and apps that share a bundle id`(
        environment: PushEnvironment, other: String, words: String, difference: Int?
    ) async throws {
        let apps = ["shop", "second"].map { name in
            RunningService.app(name) {
                $0.environment = environment
                if name == "second" { $0.topic = other + ".voip" }
                $0.deliveryCounts = DeliveryCountSource(
                    tokenFile: "t", teamID: "TEAM123456", bundleID: name == "shop" ? "com.example.shop" : other)
            }
        }
        try await RunningService.with(apps: Dictionary(uniqueKeysWithValues: apps.map { ($0.name, $0) })) { service in
            try await DeliveryCounts(day: Self.day(1), types: ["alert": ["delivered": 7]]).store(service.queue)
            let answer = try await service.ask("GET", "/v1/delivery?days=366", key: service.key(["shop"], [.read]))
            guard case .array(let items)? = PushJSONValue(json: Array(answer.text.utf8))?["items"] else {
                Issue.record("\(answer.text)")
                return
            }
            #expect(items[0].string("explanation")?.contains(words) == true, "\(items)")
            #expect(items[0]["difference"] == difference.map(PushJSONValue.integer))
        }
    }

    @Test func `pushes to another bundle id are not among Apple's counts`() {
        var app = RunningService.app("shop")
        #expect(app.mayPush(besides: "com.example.shop"), "Without a list, a push can name any topic.")
        app.allowedTopics = ["com.example.shop", "com.example.shop.voip"]
        #expect(!app.mayPush(besides: "com.example.shop"))
        app.allowedTopics.append("com.example.other.voip")
        #expect(app.mayPush(besides: "com.example.shop") && app.pushes(to: "com.example.other"))
    }
}
