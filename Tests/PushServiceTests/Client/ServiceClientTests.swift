import NIOCore
import PushDelivery
import PushJSON
import PushPlatform
import PushProvider
import PushQueue
import PushServiceClient
import QueueConformance
import Testing

@testable import PushService

/// The Swift client against a real service.
@Suite(.timeLimit(.minutes(10))) struct ServiceClientTests {
    private let token = String(repeating: "0f", count: 32)

    private func with(_ body: @Sendable (ServiceClient, RunningService) async throws -> Void) async throws {
        try await RunningService.with { service in
            let key = try await service.service.keys.create(apps: ["shop"], scopes: [.send, .read, .cancel]).text
            try await body(ServiceClient(address: "http://127.0.0.1:\(service.port)/", key: key), service)
        }
    }

    @Test func `a push is queued once for each idempotency key`() async throws {
        try await with { client, service in
            var push = ServicePush(to: token, payload: .alert(title: "Hello"))
            push.collapseID = "greeting \"1\""
            push.expiry = .after(.seconds(3600))
            let first = try await client.send(push, idempotencyKey: "order-1")
            let second = try await client.send(push, idempotencyKey: "order-1")
            #expect(first == second)
            #expect(first.result == .queued)
            let job = try #require(try await client.job(first.id))
            #expect(job.state == "waiting")
            #expect(job.token == token)
            #expect(job.outcome == nil)
            let value1 = try await service.queue.jobs(QueueJobQuery(app: "shop"))
            #expect(value1.items.count == 1)
        }
    }

    @Test func `a push has the push type of its payload, and what is useful only at once gets one attempt`()
        async throws
    {
        try await with { client, service in
            let call = try PushPayload.voip(custom: ["call": "42"])
            let error = await #expect(throws: PushServiceError.self) {
                try await client.send(ServicePush(to: token, payload: call))
            }
            #expect(
                error?.status == 422 && error?.description.contains(".voip") == true, "\(String(describing: error))")
            func details(_ push: ServicePush) async throws -> PushDetails? {
                let id = try await client.send(push).id
                return try await service.queue.job(id).flatMap { PushDetails(encoded: $0.push) }
            }
            var push = ServicePush(to: token, payload: call)
            push.topic = "com.example.shop.voip"
            var stored = try await details(push)
            #expect(stored?.pushType == .voip && stored?.once == false)
            push = ServicePush(to: token, payload: try .pushToTalk(custom: [:]))
            push.topic = "com.example.shop.voip-ptt"
            stored = try await details(push)
            #expect(stored?.pushType == .pushtotalk && stored?.once == true)
        }
    }

    @Test func `a redirect is not followed: the key goes to no other server`() async throws {
        let receiver = WebhookReceiver(location: "/elsewhere")
        receiver.answer([302, 307])
        try await receiver.run { port in
            let client = ServiceClient(address: "http://127.0.0.1:\(port)", key: "secret")
            for status in [302, 307] {
                let error = await #expect(throws: PushServiceError.self) { _ = try await client.results() }
                #expect(error?.status == status)
            }
        }
        #expect(receiver.messages.count == 2)
    }

    @Test func `an array is queued as a whole, or not at all`() async throws {
        try await with { client, service in
            let good = ServicePush(to: token, payload: .alert(title: "Hello"))
            let bad = ServicePush(to: "no token", payload: .alert(title: "Hello"))
            let value2 = try await client.send([good, good])
            #expect(value2.count == 2)
            let error = await #expect(throws: PushServiceError.self) { try await client.send([good, bad]) }
            #expect(error?.field?.hasPrefix("/1/token") == true)
            let value3 = try await service.queue.jobs(QueueJobQuery(app: "shop"))
            #expect(value3.items.count == 2)
        }
    }

    @Test func `an outcome is read after a cursor`() async throws {
        try await with { client, service in
            let queued = try await client.send(ServicePush(to: token, payload: .alert(title: "Hello")))
            let before = try await client.results()
            #expect(before.items.isEmpty)
            let claimed = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 1, lease: .seconds(60), apps: ["shop": 1]))
            _ = try await service.queue.start(claimed.map(\.lease))
            let outcome = QueueJobOutcome(.rejected, reason: "BadDeviceToken")
            _ = try await service.queue.complete(claimed.map { QueueJobCompletion($0.lease, outcome) })
            let after = try await client.results(after: before.next)
            #expect(after.items.map(\.id) == [queued.id])
            #expect(after.items.first?.outcome?.kind == .rejected)
            #expect(after.items.first?.outcome?.reason == "BadDeviceToken")
            #expect(after.items.first?.finishedAt != nil)
        }
    }

    @Test func `what waits can be cancelled once`() async throws {
        try await with { client, service in
            let queued = try await client.send(ServicePush(to: token, payload: .alert(title: "Hello")))
            #expect(try await client.cancel(queued.id))
            let value4 = try await client.job(queued.id)
            #expect(value4?.outcome?.kind == .notSent)
            await #expect(throws: PushServiceError.self) { try await client.cancel(UUID()) }
            let value5 = try await client.job(UUID())
            #expect(value5 == nil)
            let uncertain = try await service.queue.add([.sample().with { $0.policy = .atLeastOnce }])
            for job in try await service.queue.startAll() {
                var retry = QueueJobRetry(job.lease, due: .after(.seconds(60)), reason: "connection_lost")
                retry.mayHaveArrived = true
                #expect(try await service.queue.retry([retry]) == [.done])
            }
            #expect(try await client.cancel(uncertain[0]) == false)
        }
    }

    @Test func `an error says what the service said`() async throws {
        try await RunningService.with { service in
            let client = ServiceClient(address: "http://127.0.0.1:\(service.port)", key: "psk_wrong")
            let error = await #expect(throws: PushServiceError.self) { try await client.results() }
            #expect(error?.status == 401)
            #expect(error?.description.contains("psk_wrong") == false)
        }
    }

    @Test func `a campaign is made, filled in pieces, started, and reported`() async throws {
        try await with { client, service in
            var new = NewPushServiceCampaign("Sale", payload: #"{"aps":{"alert":"Hello {{name}}"}}"#)
            new.rate = 1000
            let campaign = try await client.makeCampaign(new, idempotencyKey: "sale")
            #expect(campaign.state == "draft" && campaign.rate == 1000)
            #expect(try await client.makeCampaign(new, idempotencyKey: "sale").id == campaign.id)
            let text = (1...3).map { #"{"token":"\#(token)","name":"Ann \#($0)"}"# + "\n" }.joined() + "x\n"
            let pieces = AsyncStream { continuation in
                for byte in text.utf8 { continuation.yield(ByteBuffer(bytes: [byte])) }
                continuation.finish()
            }
            let filled = try await client.addLines(pieces, to: campaign.id)
            #expect(filled.upload?.accepted == 3 && filled.upload?.refusals.first?.line == 4 && filled.nextLine == 5)
            #expect(try await client.startCampaign(campaign.id).state == "running")
            #expect(try await client.pauseCampaign(campaign.id).state == "paused")
            #expect(try await client.setRate(nil, ofCampaign: campaign.id).rate == nil)
            #expect(try await client.resumeCampaign(campaign.id).isOpen == false)
            _ = try await service.queue.advanceCampaign(campaign.id, app: "shop", ahead: 10, limit: 10)
            try await service.deliver()
            #expect(try await client.campaign(campaign.id)?.state == "finished")
            #expect(
                try await client.report(ofCampaign: campaign.id).map(\.outcome) == [
                    "accepted", "accepted", "accepted", "not_sent",
                ])
            #expect(try await client.report(ofCampaign: campaign.id, onlyFailures: true).map(\.line) == [4])
            let error = await #expect(throws: PushServiceError.self) { try await client.cancelCampaign(campaign.id) }
            #expect(error?.status == 409)
            #expect(try await client.campaign(UUID()) == nil)
        }
    }

    @Test func `a line of a report has where the report continues after it`() throws {
        let lines = [#"{"line":1}"#, #"{"line":1,"after":2199023255553}"#].map { Data($0.utf8) }
        let read = try lines.map { try JSONDecoder().decode(PushServiceCampaignLine.self, from: $0) }
        #expect(read.map { $0.after ?? $0.line } == [1, 2_199_023_255_553])
    }
}
