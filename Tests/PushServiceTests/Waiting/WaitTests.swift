import PushHTTP
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite struct WaitTests {
    @Test func `a request that waits gets the outcome`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            async let answer = service.ask("POST", "/v1/notifications?wait=60s", push(), key: key)
            var delivered = 0
            while delivered == 0 {
                delivered = try await service.deliver(QueueJobOutcome(.rejected, reason: "BadDeviceToken"))
                await Task.yield()
            }
            let got = try await answer
            #expect(got.status == 200, "\(got.text)")
            #expect(got["notification", "outcome"]?.string("reason") == "BadDeviceToken")
            #expect(got.string("result") == "queued")
        }
    }

    @Test func `without an outcome in time the answer is that of any push`() async throws {
        try await RunningService.with { service in
            let answer = try await service.ask(
                "POST", "/v1/notifications?wait=20ms", push(), key: try await service.key())
            #expect(answer.status == 202 && answer["notification"] == nil && answer.string("id") != nil)
        }
    }

    @Test func `a duplicate whose outcome is there is answered at once`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            _ = try await service.ask("POST", "/v1/notifications", push(#""dedupe_key": "a""#), key: key)
            try await service.deliver()
            let answer = try await service.ask(
                "POST", "/v1/notifications?wait=60s", push(#""dedupe_key": "a""#), key: key)
            #expect(answer.status == 200 && answer.string("result") == "duplicate")
            #expect(answer["notification", "outcome"]?.string("kind") == "accepted")
        }
    }

    @Test(arguments: ["10", "-1s", "61s", "1e3s", "", "x"])
    func `a time to wait that is wrong is refused`(time: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let answer = try await service.ask("POST", "/v1/notifications?wait=\(time)", push(), key: key)
            #expect(answer.status == 400 && answer.string("field") == "wait")
            #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
        }
    }

    @Test func `a push that cannot wait is refused before it is stored`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            var reservations: [AnswersInProgress.Reservation] = []
            let answers = service.service.api.parts.answers
            for number in 0..<AnswersInProgress.Kind.wait.maximum {
                reservations.append(try answers.reserve(.wait, for: .key("\(number % 2)")))
            }
            let refused = try await service.ask("POST", "/v1/notifications?wait=10s", push(), key: key)
            #expect(refused.status == 429 && refused.string("code") == "too_many_waiting")
            #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
            reservations = []
            #expect(try await service.ask("POST", "/v1/notifications?wait=1ms", push(), key: key).status == 202)
        }
    }

    @Test func `a stored push that waits at the end of the service is answered as stored`() async throws {
        let service = try await RunningService.start()
        let key = try await service.key()
        async let answer = service.ask("POST", "/v1/notifications?wait=60s", push(), key: key)
        while try await service.queue.counts()["shop"]?.waiting != 1 { await Task.yield() }
        try await service.stop()
        let got = try await answer
        #expect(got.status == 202 && got.string("result") == "queued", "\(got.status) \(got.text)")
    }
}
