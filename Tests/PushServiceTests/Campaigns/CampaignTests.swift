import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PushDelivery
import PushHTTP
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite(.timeLimit(.minutes(10))) struct CampaignTests: CampaignTesting {
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
            #expect(refusal["line"] == 1201 && refusal.string("detail")?.contains("isn't JSON") == true)
            #expect(try await service.queue.counts()["shop"]?.held == 1200)
        }
    }

    @Test func `a campaign with an unknown push type, or one that expires too late, has a warning`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "New", "push_type": "hologram"}"#, key: key)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.items("warnings").map { $0.string("rule") } == ["push-type-unknown"])
            let usual = try await service.ask(
                "POST", "/v1/campaigns", #"{"name": "Usual", "push_type": "accessory"}"#, key: key)
            #expect(usual.status == 201 && usual["warnings"] == nil, "\(usual.text)")
            let far = try await service.ask("POST", "/v1/campaigns", #"{"name": "Far", "expires": "400d"}"#, key: key)
            #expect(far.items("warnings").map { $0.string("rule") } == ["expiration-far"], "\(far.text)")
            #expect(far.items("warnings").first?.string("field") == "/expires")
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
            try await connection.begin("\(path)/lines", "\(whole){\"token\": \"ab", key: key, length: 10_000_000)
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

    @Test func `an app can have too many campaigns that have not ended`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for _ in 0..<QueueCampaign.maximumUnfinished {
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

    @Test func `a revoked key ends its report`() async throws {
        try await RunningService.with { service in
            let (text, key) = try await service.service.keys.create(apps: ["shop"], scopes: [.admin])
            let made = try await service.ask("POST", "/v1/campaigns?name=Sale", line(1), key: text, type: lines)
            let (parts, id) = (service.service.api.parts, try #require(made.string("id")))
            var request = APIRequest(
                parts: parts, key: key, parameters: ["id": id], query: [:],
                source: Request(
                    head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil),
                    body: RequestBody(buffer: ByteBuffer())),
                client: nil, memory: parts.memory.reservation(for: .address("")),
                deadline: parts.answers.deadline(in: .seconds(1)), bodyBytes: 0)
            request.checkKey = { throw APIProblem.stopping }
            let report = try await CampaignReport.answer(request)
            await #expect(throws: APIProblem.self) { try await report.body.write(Discarding()) }
        }
    }

    private struct Discarding: ResponseBodyWriter {
        mutating func write(_ buffer: ByteBuffer) {}
        consuming func finish(_ trailingHeaders: HTTPFields?) {}
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
}
