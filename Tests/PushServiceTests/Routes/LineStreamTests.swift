import Foundation
import NIOConcurrencyHelpers
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite struct LineStreamTests {
    @Test func `each line is answered, and a bad one does not end the others`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let lines = [
                push(), "{", "", push(#""x": 1"#), push(title: "Two"), push(#""expires_at": "2001-01-01T00:00:00Z""#),
            ]
            let answer = try await service.ask(
                "POST", "/v1/notifications", lines.joined(separator: "\n"), key: key, type: "application/x-ndjson")
            #expect(answer.status == 202 && answer.headers["content-type"] == "application/x-ndjson")
            #expect(answer.lines.map { $0["line"] } == [1, 2, 4, 5, 6].map { .integer($0) })
            #expect(answer.lines.map { $0.string("result") } == ["queued", "invalid", "invalid", "queued", "invalid"])
            #expect(answer.lines[2]["problem"]?["line"] == .integer(4))
            #expect(answer.lines[2]["problem"]?.string("field") == "/x")
            #expect(try await service.queue.counts()["shop"]?.waiting == 2)
        }
    }

    @Test func `a line is answered before the next one is sent`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.begin("/v1/notifications", key: key)
            for number in 1...3 {
                let line = push() + "\n"
                try await connection.send("\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n")
                _ = await connection.read(until: "\"line\":\(number)")
                #expect(try await service.queue.counts()["shop"]?.waiting == number)
            }
            try await connection.send("0\r\n\r\n")
            #expect(await connection.read(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        }
    }

    @Test func `lines of several apps go to their apps`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop", "news"])
            let lines = (0..<10).map { push("\"app\": \"\($0 % 2 == 0 ? "shop" : "news")\"") } + [push()]
            let answer = try await service.ask(
                "POST", "/v1/notifications", lines.joined(separator: "\r\n"), key: key, type: "application/x-ndjson")
            #expect(answer.lines.count == 11 && answer.lines.last?["problem"]?.string("code") == "app_missing")
            let counts = try await service.queue.counts()
            #expect(counts["shop"]?.waiting == 5 && counts["news"]?.waiting == 5)
        }
    }

    @Test func `a long line is refused, and thousands of lines are taken`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let long = push(title: String(repeating: "x", count: 300_000))
            let lines = [long] + (0..<3000).map { push("\"dedupe_key\": \"\($0)\"") } + [push("\"dedupe_key\": \"7\"")]
            let answer = try await service.ask(
                "POST", "/v1/notifications", lines.joined(separator: "\n"), key: key, type: "application/x-ndjson")
            #expect(answer.lines.count == 3002)
            #expect(answer.lines.first?["problem"]?.string("code") == "line_too_long")
            #expect(answer.lines.last?.string("result") == "duplicate")
            #expect(answer.lines.last?.string("id") == answer.lines[8].string("id"))
            #expect(try await service.queue.counts()["shop"]?.waiting == 3000)
        }
    }

    @Test func `a stream stops when the queue is full, and says so`() async throws {
        try await RunningService.with({ $0.limits.queueDepth = 0 }) { service in
            let key = try await service.key()
            let answer = try await service.ask(
                "POST", "/v1/notifications", push(), key: key, type: "application/x-ndjson")
            #expect(answer.lines.last?.string("result") == "stopped")
            #expect(answer.lines.last?["problem"]?.string("code") == "queue_full")
        }
    }

    @Test func `a stream is slowed down to the rate of its key, and not refused`() async throws {
        try await RunningService.with({ $0.limits.ratePerKey = 50 }) { service in
            let key = try await service.key()
            let lines = (0..<80).map { _ in push() }.joined(separator: "\n")
            let answer = try await service.ask(
                "POST", "/v1/notifications", lines, key: key, type: "application/x-ndjson")
            let stored = answer.lines.filter { $0["line"] != nil }
            #expect(stored.count == 80 && stored.allSatisfy { $0.string("result") == "queued" })
        }
    }

    @Test func `a stream that is slowed down is told so, once`() async throws {
        // The request itself takes one of five places. The time stands still until the stream asked for the others.
        let (begin, reads) = (ContinuousClock.now, NIOLockedValueBox(0))
        let clock: @Sendable () -> ContinuousClock.Instant = {
            let read = reads.withLockedValue { reads in
                reads += 1
                return reads
            }
            return begin + .seconds(60 * max(0, read - 5))
        }
        try await RunningService.with(rateClock: clock, { $0.limits.ratePerKey = 5 }) { service in
            let answer = try await service.ask(
                "POST", "/v1/notifications?answers=refused", (0..<8).map { _ in push() }.joined(separator: "\n"),
                key: try await service.key(), type: "application/x-ndjson")
            #expect(answer.lines.map { $0.string("result") } == ["slowed", "done"])
            #expect(answer.lines.first?["limit"] == .integer(5))
            #expect(answer.lines.first?.string("detail")?.contains("rate_per_key") == true)
            #expect(answer.lines.last?["slowed_seconds"] != nil)
            #expect(answer.lines.last?["lines"] == ["queued": 8])
        }
    }

    // MARK: The status

    @Test func `the status is no success if nothing is accepted`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let bad = push(#""x": 1"#)
            for (lines, query, status) in [
                ([bad], "", 422), ([bad, "{", bad], "", 422), ([bad], "?answers=refused", 422),
                ([bad], "?validate_only=true", 422), (Array(repeating: bad, count: 900), "", 422),
                ([bad, push()], "", 202), ([bad, push()], "?validate_only=true", 202),
                // After 1,000 refused lines, the status is sent without waiting for more.
                (Array(repeating: bad, count: 1600), "", 202),
            ] {
                let answer = try await service.ask(
                    "POST", "/v1/notifications\(query)", lines.joined(separator: "\n"), key: key,
                    type: "application/x-ndjson")
                #expect(answer.status == status, "\(lines.count) \(query)")
                #expect(answer.headers["content-type"] == "application/x-ndjson")
                #expect(answer.lines.count { $0["line"] != nil } == lines.count)
            }
            #expect(try await service.queue.counts()["shop"]?.waiting == 1)
        }
    }

    @Test func `a body without a push is no success`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for body in ["", "\n \r\n", nil] {
                for query in ["", "?answers=refused"] {
                    let connection = try await HTTPConnection.open(port: service.port)
                    defer { connection.close() }
                    let answer = try await connection.ask(
                        "POST", "/v1/notifications\(query)", body, key: key, type: "application/x-ndjson")
                    #expect(answer.status == 422 && answer.string("code") == "no_lines", "\(answer.text)")
                }
            }
        }
    }

    @Test func `a stream that stops before its first push has the status of the reason`() async throws {
        try await RunningService.with({ $0.limits.queueDepth = 0 }) { service in
            let key = try await service.key()
            let answer = try await service.ask(
                "POST", "/v1/notifications", "{\n" + push(), key: key, type: "application/x-ndjson")
            #expect(answer.status == 503 && answer.headers["retry-after"] == "5")
            #expect(answer.lines.map { $0.string("result") } == ["invalid", "stopped"])
        }
    }

    @Test func `a refused line of a conversation is answered at once`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.begin("/v1/notifications", "2\r\n{\n\r\n", key: key)
            #expect(await connection.read(until: "\"line\":1").contains("HTTP/1.1 202"))
        }
    }

    @Test func `a client that states a length and waits for the answer to a refused line gets it`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            let last = push() + "\n"
            try await connection.begin("/v1/notifications", "{\n", key: key, length: 4 + last.utf8.count)
            #expect(await connection.read(until: "\"line\":1").contains("HTTP/1.1 202"))
            try await connection.send("{\n")
            _ = await connection.read(until: "\"line\":2")
            try await connection.send(last)
            #expect(await connection.read(until: "0\r\n\r\n").contains("\"result\":\"queued\""))
        }
    }

    // MARK: Commits

    /// One line in each chunk.
    private func chunks(_ count: Int) -> String {
        (0..<count).map { _ in
            let line = push() + "\n"
            return "\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n"
        }.joined()
    }

    private func commits(_ service: RunningService) -> Int {
        let latencies = service.service.metrics.snapshot.latencies
        return latencies[.init(app: "shop", phase: .store)]?.counts.reduce(0, +) ?? 0
    }

    @Test func `lines in chunks of their own share commits`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.begin("/v1/notifications", chunks(1), key: key)
            _ = await connection.read(until: "\"line\":1")
            try await connection.send(chunks(400) + "0\r\n\r\n")
            let rest = await connection.read(until: "\r\n0\r\n\r\n")
            let numbers = rest.matches(of: /"line":(\d+)/).compactMap { Int($0.output.1) }
            #expect(numbers == Array(2...401))
            #expect(try await service.queue.counts()["shop"]?.waiting == 401)
            #expect(commits(service) < 100)
        }
    }

    @Test func `lines of a campaign in chunks of their own share commits`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let text = try #require(made.string("id"))
            let id = try #require(UUID(uuidString: text))
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.begin("/v1/campaigns/\(text)/lines", chunks(1), key: key)
            // From then on, the upload reads.
            while try await service.queue.campaign(id, app: "shop")?.counts.lines != 1 { await Task.yield() }
            try await connection.send(chunks(400) + "0\r\n\r\n")
            let answer = await connection.answer()
            #expect(answer.status == 200 && answer["upload", "accepted"] == .integer(401), "\(answer.text)")
            #expect(commits(service) < 100)
        }
    }

    @Test func `the end of the service ends a stream between two lines`() async throws {
        let service = try await RunningService.start()
        let key = try await service.key()
        let connection = try await HTTPConnection.open(port: service.port)
        defer { connection.close() }
        try await connection.begin("/v1/notifications", "\(push())\n", key: key, length: 10_000_000)
        #expect(await connection.read(until: "\n").contains("HTTP/1.1 202"))
        async let stopped: Void = service.stop()
        // Lines are sent until the service has noticed its end.
        let answers = Task { await connection.read(until: "stopping") }
        let sending = Task {
            while !Task.isCancelled, (try? await connection.send(push() + "\n")) != nil { await Task.yield() }
        }
        #expect(await answers.value.contains("\"result\":\"stopped\""))
        sending.cancel()
        connection.close()
        try await stopped
    }

    @Test func `what is stored before a stream stops is answered`() async throws {
        try await RunningService.with({ $0.limits.queueDepth = 8 }) { service in
            let key = try await service.key(["shop", "news"])
            let lines = (0..<9).map { push("\"app\": \"\($0 < 4 ? "shop" : "news")\"") }.joined(separator: "\n")
            let answer = try await service.ask(
                "POST", "/v1/notifications", lines, key: key, type: "application/x-ndjson")
            #expect(answer.lines.last?["problem"]?.string("code") == "queue_full")
            let counts = try await service.queue.counts()
            let stored = (counts["shop"]?.waiting ?? 0) + (counts["news"]?.waiting ?? 0)
            #expect(stored > 0 && answer.lines.count { $0.string("result") == "queued" } == stored)
        }
    }

    @Test func `on request only the refused lines are answered, with a summary`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let lines = (0..<700).map { $0 == 600 ? "{" : push("\"dedupe_key\": \"\(min($0, 650))\"") }
            let answer = try await service.ask(
                "POST", "/v1/notifications?answers=refused", lines.joined(separator: "\n"), key: key,
                type: "application/x-ndjson")
            #expect(answer.lines.count == 2 && answer.lines[0]["line"] == .integer(601))
            #expect(answer.lines[1].string("result") == "done")
            #expect(answer.lines[1]["lines"] == ["duplicate": 49, "invalid": 1, "queued": 650])
            let wrong = try await service.ask(
                "POST", "/v1/notifications?answers=none", "", key: key, type: "application/x-ndjson")
            #expect(wrong.status == 400 && wrong.string("field") == "answers")
            let array = try await service.ask("POST", "/v1/notifications?answers=refused", "[\(push())]", key: key)
            #expect(array.status == 400 && array.string("field") == "answers", "\(array.text)")
            let all = try await service.ask("POST", "/v1/notifications?answers=all", "[\(push())]", key: key)
            #expect(all.status == 202, "\(all.text)")
        }
    }

    /// Begins a stream, and sends a line.
    private func begin(_ service: RunningService, _ key: String) async throws -> HTTPConnection {
        let connection = try await HTTPConnection.open(port: service.port)
        try await connection.begin("/v1/notifications", "\(push())\n", key: key, length: 10_000_000)
        #expect(await connection.read(until: "\"queued\"").contains("HTTP/1.1 202"))
        return connection
    }

    @Test func `a revoked key ends its streams`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await begin(service, key)
            defer { connection.close() }
            #expect(try await service.service.keys.revoke(String(key.split(separator: "_")[1])))
            try await connection.send(push() + "\n")
            #expect(await connection.read(until: "}\n").contains("no_access"))
            #expect(try await service.queue.counts()["shop"]?.waiting == 1)
        }
    }

    @Test func `the end of the service ends a stream that has nothing to send`() async throws {
        let service = try await RunningService.start()
        let connection = try await begin(service, try await service.key())
        defer { connection.close() }
        async let stopped: Void = service.stop()
        #expect(await connection.read(until: "stopping").contains("\"result\":\"stopped\""))
        connection.close()
        try await stopped
    }
}
