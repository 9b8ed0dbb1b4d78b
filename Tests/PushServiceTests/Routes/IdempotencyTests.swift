import PushDelivery
import PushJSON
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushService

@Suite struct IdempotencyTests {
    private let header = [("idempotency-key", "order-17")]

    @Test func `the same request gets the same answer, and is not carried out again`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for body in [push(), "[\(push()), \(push(title: "Two"))]"] {
                let header = [("idempotency-key", "key of \(body.count)")]
                let first = try await service.ask("POST", "/v1/notifications", body, key: key, headers: header)
                let before = try await service.queue.counts()["shop"]?.waiting
                let second = try await service.ask("POST", "/v1/notifications", body, key: key, headers: header)
                #expect(first.status == 202 && second.status == 202)
                #expect(first.body == second.body)
                #expect(
                    first.headers["idempotency-replayed"] == nil && second.headers["idempotency-replayed"] == "true")
                #expect(try await service.queue.counts()["shop"]?.waiting == before)
            }
        }
    }

    @Test func `another request with the same key is refused`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            _ = try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header)
            let other = try await service.ask(
                "POST", "/v1/notifications", push(title: "Other"), key: key, headers: header)
            #expect(other.status == 422 && other.string("code") == "idempotency_conflict")
            let broken = try await service.ask("POST", "/v1/notifications", push(#""x": 1"#), key: key, headers: header)
            #expect(broken.status == 422 && broken.string("code") == "idempotency_conflict")
        }
    }

    @Test func `a key that is too long is refused, also if the push is only checked`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let header = [("idempotency-key", String(repeating: "k", count: 256))]
            for path in ["/v1/notifications", "/v1/notifications?validate_only=true"] {
                let answer = try await service.ask("POST", path, push(), key: key, headers: header)
                #expect(answer.status == 400 && answer.string("field") == "idempotency-key", "\(path)")
            }
        }
    }

    @Test func `a key holds for one app`() async throws {
        try await RunningService.with { service in
            let (shop, news) = (try await service.key(["shop"]), try await service.key(["news"]))
            let first = try await service.ask("POST", "/v1/notifications", push(), key: shop, headers: header)
            let second = try await service.ask(
                "POST", "/v1/notifications", push(title: "Other"), key: news, headers: header)
            #expect(first.status == 202 && second.status == 202 && first.string("id") != second.string("id"))
        }
    }

    @Test func `a request that is being answered is in conflict`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let digest = try Replay.digest(of: Array(push().utf8), app: nil)
            let same = QueueIdempotencyKey("order-17", digest: digest)
            guard
                case .reserved(let reservation) = try await service.queue.reserve(
                    same, app: "shop", lasting: .seconds(3600))
            else {
                Issue.record("The key is in use.")
                return
            }
            let early = try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header)
            #expect(early.status == 409 && early.string("code") == "idempotency_in_progress")
            #expect(early.headers["retry-after"] == "1")
            try await service.queue.release(same, app: "shop", reservation: reservation)
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header).status == 202)
        }
    }

    @Test func `a refused request does not use the key up`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let refused = try await service.ask(
                "POST", "/v1/notifications", push(#""x": 1"#), key: key, headers: header)
            #expect(refused.status == 400)
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header).status == 202)
        }
    }

    @Test func `what was accepted is replayed, also if it would be refused now`() async throws {
        let apps = ["shop": RunningService.app("shop") { $0.gone = .refuse }]
        try await RunningService.with(apps: apps) { service in
            let key = try await service.key()
            let first = try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header)
            try await service.queue.recordGone([GoneToken(DeviceToken.sampleHex, since: .now)], app: "shop")
            let second = try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header)
            #expect(second.status == 202 && second.string("id") == first.string("id"))
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 422)
        }
    }

    @Test func `a check is not answered with what was accepted before`() async throws {
        let apps = ["shop": RunningService.app("shop") { $0.gone = .refuse }]
        try await RunningService.with(apps: apps) { service in
            let key = try await service.key()
            _ = try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header)
            try await service.queue.recordGone([GoneToken(DeviceToken.sampleHex, since: .now)], app: "shop")
            let check = try await service.ask(
                "POST", "/v1/notifications?validate_only=true", push(), key: key, headers: header)
            #expect(check.status == 422 && check.string("code") == "token_gone")
        }
    }

    @Test func `an empty or long key is refused, and a stream has none`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for text in ["", String(repeating: "x", count: 256)] {
                let answer = try await service.ask(
                    "POST", "/v1/notifications", push(), key: key, headers: [("idempotency-key", text)])
                #expect(answer.status == 400)
            }
            let stream = try await service.ask(
                "POST", "/v1/notifications", push(), key: key, type: "application/x-ndjson", headers: header)
            #expect(stream.status == 400 && stream.string("code") == "idempotency_of_stream")
        }
    }

    @Test func `many of the same request at once are carried out once`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        try await service.ask(
                            "POST", "/v1/notifications", push(), key: key, headers: [("idempotency-key", "same")])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 202 || $0.status == 409 })
            #expect(Set(answers.compactMap { $0.string("id") }).count == 1)
            #expect(try await service.queue.counts()["shop"]?.waiting == 1)
        }
    }

    @Test func `a repeated request gets its answer, also when the queue is full`() async throws {
        try await RunningService.with({ $0.limits.queueDepth = 1 }) { service in
            let key = try await service.key()
            let first = try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header)
            let second = try await service.ask("POST", "/v1/notifications", push(), key: key, headers: header)
            #expect(first.status == 202 && second.status == 202 && first.body == second.body)
            let other = try await service.ask("POST", "/v1/notifications", push(title: "Two"), key: key)
            #expect(other.status == 503 && other.string("code") == "queue_full")
        }
    }
}
