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
                $0.add(
                    WebhookReports.failure(failure, Array("{}".utf8), Self.secret, isGivenUp: false, at: .now),
                    of: .start)
            }
            let day = DeliveryCounts.day(1, before: .now)
            try await DeliveryCounts(day: day, types: [Self.secret: ["delivered": 1]]).store(service.queue)
            #expect(try await service.ask("GET", "/v1/delivery", key: hidden).text.contains(Self.secret))
            _ = try await service.ask("DELETE", "/v1/gone-tokens/\(token)", key: hidden)
            _ = try await service.ask("POST", "/v1/notifications/cancel", "{}", key: hidden)
            let foreign = Foreign(
                push: id, campaign: campaign,
                key: try #require(try await service.service.keys.list().first { $0.apps == ["shop"] }).id,
                cursors: try await cursors(service, key: hidden))
            let operations = try operations()
            let before = try await counts(service)
            var generator = SeededGenerator(seed: seed)
            var requests = operations.shuffled(using: &generator).flatMap { everyValue(of: $0, foreign, &generator) }
            requests += (0..<250).map { _ in anything(of: operations, foreign, &generator) }
            for each in requests {
                let answer = try await service.ask(each.method, each.path, each.body, key: own, type: each.type)
                let said = Comment(rawValue: "\(each.method) \(each.path)")
                #expect(answer.status < 500 || answer.status == 503, said)
                // A request that isn't looked at shows nothing.
                #expect(![401, 405, 429].contains(answer.status), said)
                // What the request itself says may come back in a refusal.
                if answer.status < 400 {
                    #expect(!answer.text.contains(Self.secret), said)
                    // An answer to ids names them.
                    #expect(!answer.text.contains(id) || each.body?.contains(id) == true, said)
                    #expect(!answer.text.contains("\"shop\""), said)
                    #expect(!answer.text.contains(foreign.key), said)
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
        let paths = [
            "/v1/results", "/v1/results?order=newest&limit=1", "/v1/audit?limit=1", "/v1/gone-tokens?limit=1",
            "/v1/notifications?limit=1", "/v1/notifications?collapse_id=\(Self.secret)&limit=1",
            "/v1/dead-letters?limit=1",
            "/v1/campaigns?limit=1",
        ]
        for path in paths {
            if let next = try await service.ask("GET", path, key: key).string("next") { cursors.append(next) }
        }
        return cursors
    }

    /// What the other app has.
    private struct Foreign {
        var push: String
        var campaign: String
        var key: String
        var cursors: [String]
    }

    private struct Operation {
        var method: String
        var path: String
        var query: [String]
        /// The type of its body; `nil` if it has none.
        var type: String?
    }

    private struct Request {
        var method: String
        var path: String
        var body: String?
        var type: String
    }

    /// All operations of the OpenAPI document that need a key, so a new one is asked without a change here.
    private func operations() throws -> [Operation] {
        let document = try #require(PushJSONValue(json: WebPage.service.document.bytes))
        func members(_ value: PushJSONValue?) -> [String: PushJSONValue] {
            guard case .object(let members)? = value else { return [:] }
            return members
        }
        func queryName(_ parameter: PushJSONValue) -> String? {
            let place = parameter.string("$ref")?.split(separator: "/").dropFirst()
            let value = place.map { $0.reduce(document) { $0[String($1)] ?? .null } } ?? parameter
            return value.string("in") == "query" ? value.string("name") : nil
        }
        let all = members(document["paths"]).sorted { $0.key < $1.key }.flatMap { path, methods in
            members(methods).sorted { $0.key < $1.key }.filter { $0.value["security"] != .array([]) }.map {
                method, value in
                var parameters: [PushJSONValue] = []
                if case .array(let items)? = value["parameters"] { parameters = items }
                let types = members(value["requestBody"]?["content"]).keys.sorted()
                return Operation(
                    method: method.uppercased(), path: path, query: parameters.compactMap(queryName), type: types.first)
            }
        }
        // A stream of events doesn't end. `AccessTests` asks for that of another app.
        let operations = all.filter { $0.path != "/v1/results/events" }
        #expect(operations.count == all.count - 1)
        return operations
    }

    /// What a parameter may be, so that it asks for something of the other app. Each parameter of the document must be here.
    private func values(of name: String, _ foreign: Foreign) -> [String] {
        switch name {
        case "app": return ["shop", "news", "*", "none"]
        case "ids": return [foreign.push]
        case "campaign": return [foreign.campaign]
        case "token": return [DeviceToken.sampleHex]
        case "collapse_id", "dedupe_key", "reason": return [Self.secret]
        case "outcome": return ["rejected", "accepted", "not_sent"]
        case "state": return ["waiting", "finished", "held"]
        case "after": return foreign.cursors
        case "before": return foreign.cursors + ["2090-01-01T00:00:00Z"]
        case "since", "starts_at": return ["2020-01-01T00:00:00Z"]
        case "due_before", "expires_at": return ["2090-01-01T00:00:00Z"]
        case "order": return ["newest", "oldest"]
        case "by": return ["reason", "app", "minute"]
        case "limit", "from": return ["1", "100"]
        case "days": return ["1", "366"]
        case "only": return ["failures"]
        case "answers": return ["all", "refused"]
        case "alerts", "history", "open", "start", "unfilled", "count", "validate_only": return ["true"]
        case "wait": return ["1ms"]
        case "name", "audience", "token_column": return ["own"]
        case "payload": return ["%7B%22aps%22%3A%7B%7D%7D"]
        case "topic": return ["com.example.shop"]
        case "push_type": return ["alert"]
        case "priority": return ["5"]
        case "queue_priority": return ["high"]
        case "expires": return ["1h"]
        case "rate": return ["1"]
        default:
            Issue.record("The parameter \(name) has no values in this test. Add some that ask for another app.")
            return []
        }
    }

    private func bodies(_ foreign: Foreign) -> [String] {
        [
            "{}", #"{"app": "shop"}"#, #"{"app": "shop", "token": "\#(DeviceToken.sampleHex)"}"#,
            #"{"app": "shop", "dry_run": true}"#, #"{"app": "shop", "ids": ["\#(foreign.push)"]}"#,
            #"{"ids": ["\#(foreign.push)"]}"#, #"{"rate": 1}"#, push(#""app": "shop""#),
        ]
    }

    private func request(
        _ operation: Operation, _ query: [String], body: String?, _ foreign: Foreign
    ) -> Request {
        let id =
            operation.path.hasPrefix("/v1/campaigns")
            ? foreign.campaign : operation.path.hasPrefix("/v1/keys") ? foreign.key : foreign.push
        var path = operation.path
        for (name, value) in [("id", id), ("token", DeviceToken.sampleHex), ("app", "shop"), ("name", "shop")] {
            path = path.replacing("{\(name)}", with: value)
        }
        #expect(!path.contains("{"), "A variable part of \(path) has no value in this test.")
        return Request(
            method: operation.method, path: path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
            body: operation.type == nil ? nil : body, type: operation.type ?? "application/json")
    }

    /// Requests with each body, and with each value of each parameter.
    private func everyValue(
        of operation: Operation, _ foreign: Foreign, _ generator: inout SeededGenerator
    ) -> [Request] {
        let bodies = bodies(foreign)
        var requests = (operation.type == nil ? ["{}"] : bodies).map { request(operation, [], body: $0, foreign) }
        for name in operation.query {
            for value in values(of: name, foreign) {
                let body = bodies.randomElement(using: &generator)
                requests.append(request(operation, ["\(name)=\(value)"], body: body, foreign))
            }
        }
        return requests
    }

    /// A request of any operation, with some of its parameters together.
    private func anything(
        of operations: [Operation], _ foreign: Foreign, _ generator: inout SeededGenerator
    ) -> Request {
        let operation = operations[Int.random(in: 0..<operations.count, using: &generator)]
        var query: [String] = []
        for name in operation.query where !generator.oneIn(2) {
            guard let value = values(of: name, foreign).randomElement(using: &generator) else { continue }
            query.append("\(name)=\(value)")
        }
        return request(operation, query, body: bodies(foreign).randomElement(using: &generator), foreign)
    }
}
