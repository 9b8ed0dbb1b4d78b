import NIOCore
import PushHTTP
import PushJSON
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Clients that ask for more than they read or send, in small: with low limits, and real sockets.
@Suite struct AttackTests {
    private static let document = "GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"

    /// How many requests were answered with 200.
    private func answered(_ service: RunningService) -> Int { service.service.metrics.snapshot.requests[200] ?? 0 }

    private func used(_ service: RunningService) -> Int { service.service.api.parts.memory.used }

    /// Many answers to others: the service had the time for more answers, if it wanted to give them.
    private func pass(_ service: RunningService) async throws {
        let connection = try await HTTPConnection.open(port: service.port)
        defer { connection.close() }
        for _ in 0..<100 { #expect(try await connection.ask("GET", "/livez", key: nil).status == 200) }
    }

    // MARK: Answers that nobody reads

    @Test func `a client that reads nothing gets no more than one answer into the memory`() async throws {
        try await RunningService.with { service in
            var connections: [HTTPConnection] = []
            defer { for connection in connections { connection.close() } }
            for _ in 0..<4 {
                let connection = try await HTTPConnection.open(port: service.port, reads: false)
                connections.append(connection)
                let requests = String(repeating: Self.document, count: 1000)
                Task { try? await connection.send(requests) }
            }
            while answered(service) < 4 { await Task.yield() }
            try await pass(service)
            let length = WebPage.service.document.bytes.count
            // Besides one answer, the sockets hold some, and one read of requests waits.
            #expect(answered(service) - 100 < 4 * 100)
            #expect(used(service) <= 4 * (length + (64 << 10) + 4096))
            let key = try await service.key()
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 202)
        }
    }

    @Test func `requests that wait for a reader are all answered, in order`() async throws {
        try await RunningService.with { service in
            let connection = try await HTTPConnection.open(port: service.port, reads: false)
            defer { connection.close() }
            let paths = (0..<200).map { $0.isMultiple(of: 10) ? "/v1/openapi.json" : $0 % 2 == 0 ? "/livez" : "/none" }
            let all = paths.map { "GET \($0) HTTP/1.1\r\nhost: localhost\r\n\r\n" }.joined()
            // In parts that end anywhere.
            var rest = Substring(all)
            while !rest.isEmpty {
                try await connection.send(String(rest.prefix(701)))
                rest = rest.dropFirst(701)
            }
            try await connection.beginReading()
            for path in paths {
                let answer = await connection.answer()
                #expect(answer.status == (path == "/none" ? 401 : 200))
                #expect(path != "/v1/openapi.json" || answer.body == WebPage.service.document.bytes)
            }
        }
    }

    @Test func `requests in one segment with bodies and without are answered, also when the client ends its side`()
        async throws
    {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            let head = "host: localhost\r\nauthorization: bearer \(key)\r\ncontent-type: application/json\r\n"
            let body = "\n\n" + push() + "\r\n\r\n"
            let chunked = "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            let request =
                "POST /v1/notifications HTTP/1.1\r\n\(head)content-length: \(body.utf8.count)\r\n\r\n\(body)"
                + "POST /v1/notifications HTTP/1.1\r\n\(head)transfer-encoding: chunked\r\n\r\n\(chunked)"
                + "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n"
            try await connection.send(String(repeating: request, count: 20))
            try await connection.finishSending()
            for _ in 0..<20 {
                for status in [202, 202, 200] { #expect(await connection.answer().status == status) }
            }
            #expect(try await service.queue.counts()["shop"]?.waiting == 40)
        }
    }

    @Test func `an answer that has left holds nothing`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let campaign = try await service.ask(
                "POST", "/v1/campaigns?name=Sale", push(), key: key, type: "application/x-ndjson")
            let report = "/v1/campaigns/\(try #require(campaign.string("campaign") ?? campaign.string("id")))/report"
            for _ in 0..<60 {
                // More than the share of a key, one after the other.
                for _ in 0..<4 {
                    let lines = try await service.ask(
                        "POST", "/v1/notifications", push(), key: key, type: "application/x-ndjson")
                    #expect(lines.status == 202 || lines.status == 200, "\(lines.text)")
                }
                #expect(try await service.ask("GET", report, key: key).status == 200)
                let events = try await HTTPConnection.open(port: service.port)
                try await events.send(
                    "GET /v1/results/events HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n")
                #expect(await events.read(until: "retry: 1000\n\n").contains("text/event-stream"))
                events.close()
            }
            while used(service) > 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    @Test func `requests behind bodies wait for their turn and are all answered in order`() async throws {
        try await RunningService.with { service in
            let ends = String(repeating: "\n", count: 64 << 10)
            let head = "GET /livez HTTP/1.1\r\nhost: localhost\r\n"
            let chunk = "\(String(ends.utf8.count, radix: 16))\r\n\(ends)\r\n0\r\nx: y\r\n\r\n"
            let requests =
                "\(head)content-length: \(ends.utf8.count)\r\n\r\n\(ends)" + Self.document
                + "\(head)transfer-encoding: chunked\r\n\r\n\(chunk)GET /none HTTP/1.1\r\nhost: localhost\r\n\r\n"
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            for _ in 0..<4 {
                try await connection.send(requests)
                #expect(await connection.answer().status == 200)
                #expect(await connection.answer().body == WebPage.service.document.bytes)
                #expect(await connection.answer().status == 200)
                #expect(await connection.answer().status == 401)
            }
            // Nobody reads these answers: the requests behind the first bodies aren't answered.
            let silent = try await HTTPConnection.open(port: service.port, reads: false)
            defer { silent.close() }
            let document = "GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n"
            let pair =
                "\(document)content-length: 4\r\n\r\n\n\n\n\n"
                + "\(document)transfer-encoding: chunked\r\n\r\n4\r\n\n\n\n\n\r\n0\r\n\r\n"
            let before = answered(service)
            Task { try? await silent.send(String(repeating: pair, count: 500)) }
            while answered(service) == before { await Task.yield() }
            try await pass(service)
            #expect(answered(service) - before - 100 < 100)
        }
    }

    // MARK: Bodies that never end

    @Test func `a body that nobody reads stays with the client`() async throws {
        try await RunningService.with({ $0.limits.readingTime = .milliseconds(500) }) { service in
            let connection = try await HTTPConnection.open(port: service.port, reads: false)
            // Answers fill the sockets, then the next request waits with its body.
            let request = "GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000000\r\n\r\n"
            try await connection.send(String(repeating: Self.document, count: 100) + request)
            var (sent, maximum) = (0, 0)
            let part = String(repeating: "x", count: 50_000)
            while sent < 100_000_000, (try? await connection.send(part)) != nil {
                sent += part.utf8.count
                maximum = max(maximum, used(service))
            }
            #expect(sent < 100_000_000)
            #expect(maximum <= WebPage.service.document.bytes.count + (512 << 10))
        }
    }

    @Test func `unfinished bodies of one key fill half of the memory, and others are served`() async throws {
        try await RunningService.with({ $0.limits.memory = 32 << 20 }) { service in
            let (one, other) = (try await service.key(), try await service.key())
            var connections: [HTTPConnection] = []
            defer { for connection in connections { connection.close() } }
            let part = "{" + String(repeating: " ", count: 1_900_000)
            for _ in 0..<24 {
                let connection = try await HTTPConnection.open(port: service.port)
                connections.append(connection)
                try await connection.begin(
                    "/v1/notifications", part, key: one, length: 2_000_000, type: "application/json")
            }
            // Eight have room.
            let refused = Watched(0)
            for connection in connections {
                Task {
                    let answer = await connection.answer()
                    if answer.status == 429, answer.string("code") == "memory_full" { refused.change { $0 += 1 } }
                }
            }
            try await refused.wait(for: "the refusals") { $0 >= 16 }
            #expect(used(service) <= 32 << 20)
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: other).status == 202)
        }
    }

    @Test func `small requests are answered while others fill the memory`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let memory = service.service.api.parts.memory
            let maximum = ServiceLimits().memory
            let shares: [SharedLimit.Holder: Int] = [
                .address("192.0.2.1"): maximum / 4, .address("192.0.2.2"): maximum / 4, .key("other"): maximum / 2,
            ]
            let full = shares.keys.map { memory.reservation(for: $0) }
            for reservation in full { try reservation.set(shares[reservation.holder, default: 0]) }
            #expect(memory.used == maximum)
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            for _ in 0..<3 {
                #expect(try await service.ask("GET", "/livez", key: nil).status == 200)
                #expect(try await connection.ask("POST", "/v1/notifications", push(), key: key).status == 202)
            }
            let large = push(title: String(repeating: "x", count: 3000))
            let refused = try await connection.ask("POST", "/v1/notifications", large, key: key)
            #expect(refused.status == 503 && refused.string("code") == "memory_full", "\(refused.text)")
            withExtendedLifetime(full) {}
        }
    }

    @Test func `memory is free again when its connections are gone`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for _ in 0..<10 {
                let connection = try await HTTPConnection.open(port: service.port)
                try await connection.begin(
                    "/v1/notifications", "{   ", key: key, length: 1_000_000, type: "application/json")
                try await connection.send(Self.document)
                connection.close()
            }
            for _ in 0..<10 {
                #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 202)
            }
            while used(service) > 0 { await Task.yield() }
        }
    }

    // MARK: Work

    @Test func `a large array of numbers is refused as soon as it has too many entries`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = "[" + String(repeating: "0,", count: 4_000_000) + "0]"
            let answer = try await service.ask("POST", "/v1/notifications", body, key: key)
            #expect(answer.status == 400 && answer.string("code") == "array_size", "\(answer.text)")
            // What comes behind was not read.
            let many = "[" + Array(repeating: "{}", count: 1001).joined(separator: ",") + "}"
            #expect(try await service.ask("POST", "/v1/notifications", many, key: key).string("code") == "array_size")
        }
    }

    @Test(arguments: ["/v1/notifications", "/v1/campaigns", "/v1/dead-letters/redrive"])
    func `a body with too many values is refused`(path: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = #"{"payload": ["# + String(repeating: "0,", count: ServiceLimits.jsonValues) + "}"
            let answer = try await service.ask("POST", path, body, key: key)
            #expect(answer.status == 413 && answer.string("code") == "too_many_values", "\(answer.text)")
        }
    }

    @Test func `campaigns of a key wait until the key may work`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let holder = SharedLimit.Holder.key(String(key.split(separator: "_")[1]))
            let turns = service.service.api.parts.turns
            let maximum = SharedLimit.half(of: max(System.coreCount, 2))
            let (working, isOver, answered) = (Watched(0), Watched(false), Watched([Int]()))
            for _ in 0..<maximum {
                Task {
                    try await turns.run(for: holder) {
                        working.change { $0 += 1 }
                        try await isOver.wait(for: "the end of the work") { $0 }
                    }
                }
            }
            try await working.wait(for: "the work") { $0 == maximum }
            let large = #"{"name": "Sale""# + String(repeating: " ", count: 40_000) + "}"
            Task {
                let answer = try await service.ask("POST", "/v1/campaigns", large, key: key)
                answered.change { $0.append(answer.status) }
            }
            Task {
                let answer = try await service.ask(
                    "POST", "/v1/campaigns?name=Sale&start=false", push(), key: key, type: "application/x-ndjson")
                answered.change { $0.append(answer.status) }
            }
            // There is much time for both.
            try await pass(service)
            #expect(answered.value.isEmpty)
            isOver.change { $0 = true }
            let statuses = try await answered.wait(for: "the answers") { $0.count == 2 }
            #expect(statuses == [201, 201])
        }
    }

    // MARK: Shares

    @Test func `readers of events of one key leave half for the others`() async throws {
        try await RunningService.with { service in
            let (one, other) = (try await service.key(), try await service.key())
            var connections: [HTTPConnection] = []
            defer { for connection in connections { connection.close() } }
            func read(_ key: String) async throws -> String {
                let connection = try await HTTPConnection.open(port: service.port)
                connections.append(connection)
                try await connection.send(
                    "GET /v1/results/events HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n")
                return await connection.read(until: "\r\n\r\n")
            }
            for _ in 0..<50 { #expect(try await read(one).hasPrefix("HTTP/1.1 200")) }
            #expect(try await read(one).hasPrefix("HTTP/1.1 429"))
            #expect(try await read(other).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `idle connections without a key make room, and one with a key stays`() async throws {
        try await RunningService.with({ $0.limits.connections = 20 }) { service in
            let key = try await service.key()
            let mine = try await HTTPConnection.open(port: service.port)
            defer { mine.close() }
            #expect(try await mine.ask("GET", "/v1/status", key: key).status == 200)
            var idle: [HTTPConnection] = []
            for number in 0..<80 {
                let connection = try await HTTPConnection.open(port: service.port)
                idle.append(connection)
                // Half of a head, or nothing.
                if number.isMultiple(of: 2) { try? await connection.send("GET /livez HT") }
                if number.isMultiple(of: 10) {
                    #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 202)
                }
            }
            for connection in idle.prefix(50) { #expect(await connection.readToEnd().isEmpty) }
            #expect(try await mine.ask("GET", "/v1/status", key: key).status == 200)
            for connection in idle { connection.close() }
        }
    }

    @Test func `a key has half of the connections`() async throws {
        try await RunningService.with({ $0.limits.connections = 8 }) { service in
            let (one, other) = (try await service.key(), try await service.key())
            var connections: [HTTPConnection] = []
            defer { for connection in connections { connection.close() } }
            for number in 0..<5 {
                let connection = try await HTTPConnection.open(port: service.port)
                connections.append(connection)
                let answer = try await connection.ask("GET", "/v1/status", key: one)
                #expect(answer.status == (number < 4 ? 200 : 429))
                #expect(number < 4 || answer.string("code") == "too_many_connections")
            }
            #expect(try await service.ask("GET", "/v1/status", key: other).status == 200)
        }
    }
}
