import PushJSON
import PushQueue
import Testing

@testable import PushService

/// The shortest way through the service.
@Suite struct ThinPathTests {
    @Test func `a push is handed in, waits, is delivered, and shows its outcome`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let posted = try await service.ask("POST", "/v1/notifications", push(), key: key)
            #expect(posted.status == 202)
            #expect(posted.string("result") == "queued")
            let id = try #require(posted.string("id"))

            let waiting = try await service.ask("GET", "/v1/notifications/\(id)", key: key)
            #expect(waiting.status == 200)
            #expect(waiting.string("state") == "waiting" && waiting.string("app") == "shop")

            try await service.deliver()
            let finished = try await service.ask("GET", "/v1/notifications/\(id)?history=true", key: key)
            #expect(finished.string("state") == "finished")
            #expect(finished.string("outcome", "kind") == "accepted")
            #expect(finished.items("history").compactMap { $0.string("event") } == ["queued", "started", "finished"])
        }
    }

    @Test func `the payload goes into the queue byte for byte`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let payload = #"{ "aps" :{"alert":"\u00e9  1.0"}, "n": 1.50e1 }"#
            let body = #"{"payload": \#(payload), "token": "\#(String(repeating: "ab", count: 32))"}"#
            #expect(try await service.ask("POST", "/v1/notifications", body, key: key).status == 202)
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 1, lease: .seconds(60), apps: ["shop": 1]))
            #expect(jobs.first.map { String(decoding: $0.payload, as: UTF8.self) } == payload)
        }
    }
}
