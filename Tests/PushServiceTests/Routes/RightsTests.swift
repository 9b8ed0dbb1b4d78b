import APNSVocabulary
import Foundation
import HTTPTypes
import PushHTTP
import PushJSON
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// A key that may not see an app gets nothing of it, whatever it asks.
@Suite struct RightsTests {
    /// What only the hidden app has. An answer must not contain it.
    private static let secret = "hidden-7f3a"

    @Test(arguments: 1...3) func `no filter, cursor, statistic, entry or export shows another app`(seed: UInt64)
        async throws
    {
        try await RunningService.with(webhooks: ["shop": try webhook(), "news": try webhook()]) { service in
            let (hidden, own) = (try await service.key(["shop"]), try await service.key(["news"]))
            let token = DeviceToken.sampleHex
            let more = #""collapse_id": "\#(Self.secret)", "dedupe_key": "\#(Self.secret)""#
            let sent = try await service.ask("POST", "/v1/notifications", push(more, title: Self.secret), key: hidden)
            let id = try #require(sent.string("id"))
            let campaign = try #require(
                try await service.ask("POST", "/v1/campaigns", #"{"name": "\#(Self.secret)"}"#, key: hidden).string(
                    "id"))
            try await service.deliver(QueueJobOutcome(.rejected, reason: Self.secret))
            let uuid = try #require(UUID(uuidString: id))
            let failure = try #require(try await service.queue.jobs([uuid], app: "shop").first)
            try await WebhookReports.change("shop", service.queue) {
                $0.add(WebhookReports.failure(failure, Array("{}".utf8), Self.secret, isGivenUp: false, at: .now))
            }
            let day = DeliveryCounts.day(1, before: .now)
            try await DeliveryCounts(day: day, types: [Self.secret: ["delivered": 1]]).store(service.queue)
            #expect(try await service.ask("GET", "/v1/delivery", key: hidden).text.contains(Self.secret))
            _ = try await service.ask("DELETE", "/v1/gone-tokens/\(token)", key: hidden)
            _ = try await service.ask("POST", "/v1/notifications/cancel", "{}", key: hidden)
            let cursors = try await cursors(service, key: hidden)
            let before = try await counts(service)
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<250 {
                let (method, path, body) = request(id, campaign, cursors, &generator)
                let answer = try await service.ask(method, path, body, key: own)
                #expect(answer.status < 500 || answer.status == 503, "\(method) \(path)")
                // What the request itself says may come back in a refusal.
                if answer.status < 400 {
                    #expect(!answer.text.contains(Self.secret), "\(method) \(path)")
                    // An answer to ids names them.
                    #expect(!answer.text.contains(id) || body?.contains(id) == true, "\(method) \(path)")
                    #expect(!answer.text.contains("\"shop\""), "\(method) \(path)")
                }
            }
            #expect(try await counts(service) == before)
            #expect(try await service.ask("GET", "/v1/notifications/\(id)", key: hidden).status == 200)
        }
    }

    private func webhook() throws -> WebhookSettings {
        // Nothing listens there.
        var settings = WebhookSettings(
            url: "http://localhost:1/hook",
            secrets: [try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))])
        settings.allowedHosts = ["localhost"]
        return settings
    }

    private func counts(_ service: RunningService) async throws -> [String] {
        let counts = try await service.queue.counts()["shop"]
        let audit = try await service.queue.audit(of: ["shop"], before: nil, limit: 1000).count
        return ["\(String(describing: counts))", "\(audit)"]
    }

    /// Cursors of the hidden app's lists.
    private func cursors(_ service: RunningService, key: String) async throws -> [String] {
        var cursors = ["r1", "0", "1", "99999999", "@shop", "5@shop", "x", "1.2.3"]
        for path in ["/v1/results", "/v1/results?order=newest&limit=1", "/v1/audit?limit=1", "/v1/gone-tokens"] {
            if let next = try await service.ask("GET", path, key: key).string("next") { cursors.append(next) }
        }
        return cursors
    }

    /// A request of any route, with parameters that it has.
    private func request(
        _ id: String, _ campaign: String, _ cursors: [String], _ generator: inout SeededGenerator
    ) -> (method: String, path: String, body: String?) {
        // A stream of events does not end, and a login is of another key.
        let routes = ServiceAPI.routes.routes.filter { $0.scope != nil && !$0.path.hasSuffix("/events") }
        let route = routes[Int.random(in: 0..<routes.count, using: &generator)]
        var path = route.path
        let isOfCampaign = path.hasPrefix("/v1/campaigns")
        for (name, value) in [
            ("id", isOfCampaign ? campaign : id), ("token", DeviceToken.sampleHex), ("app", "shop"), ("name", "shop"),
        ] {
            path = path.replacing("{\(name)}", with: value)
        }
        let values: [String: [String]] = [
            "app": ["shop", "news", "*", "none"], "ids": [id], "token": [DeviceToken.sampleHex],
            "collapse_id": [Self.secret], "dedupe_key": [Self.secret], "reason": [Self.secret],
            "outcome": ["rejected", "accepted", "not_sent"], "state": ["waiting", "finished", "held"],
            "after": cursors, "before": cursors + ["2090-01-01T00:00:00Z"], "since": ["2020-01-01T00:00:00Z"],
            "order": ["newest", "oldest"], "by": ["reason", "app", "minute"], "limit": ["1", "100"],
            "days": ["1", "366"], "history": ["true"], "only": ["failures"], "due_before": ["2090-01-01T00:00:00Z"],
            "open": ["true"],
            "campaign": [campaign],
        ]
        var query: [String] = []
        for name in route.query where !generator.oneIn(2) {
            guard let some = values[name] else { continue }
            query.append("\(name)=\(some[Int.random(in: 0..<some.count, using: &generator)])")
        }
        let bodies = [
            "{}", #"{"app": "shop"}"#, #"{"app": "shop", "token": "\#(DeviceToken.sampleHex)"}"#,
            #"{"app": "shop", "dry_run": true}"#, #"{"app": "shop", "ids": ["\#(id)"]}"#, #"{"ids": ["\#(id)"]}"#,
            #"{"rate": 1}"#, push(#""app": "shop""#),
        ]
        let hasBody = route.method == .post || route.method == .patch
        return (
            route.method.rawValue, path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
            hasBody ? bodies[Int.random(in: 0..<bodies.count, using: &generator)] : nil
        )
    }
}
