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
            let length = OpenAPIDocument.bytes.count
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
                #expect(path != "/v1/openapi.json" || answer.body == OpenAPIDocument.bytes)
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

    // MARK: Bodies that never end

    @Test func `a body that nobody reads stays with the client`() async throws {
        try await RunningService.with({ $0.limits.readingTime = .milliseconds(500) }) { service in
            let connection = try await HTTPConnection.open(port: service.port, reads: false)
            // Answers fill the sockets, then the next request waits with its body.
            let request = "GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000000\r\n\r\n"
            try await connection.send(String(repeating: Self.document, count: 100) + request)
            var (sent, most) = (0, 0)
            let part = String(repeating: "x", count: 50_000)
            while sent < 100_000_000, (try? await connection.send(part)) != nil {
                sent += part.utf8.count
                most = max(most, used(service))
            }
            #expect(sent < 100_000_000)
            #expect(most <= OpenAPIDocument.bytes.count + (512 << 10))
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
                try await connection.send(
                    "POST /v1/notifications HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(one)\r\n"
                        + "content-type: application/json\r\ncontent-length: 2000000\r\n\r\n\(part)")
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

    @Test func `memory is free again when its connections are gone`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for _ in 0..<10 {
                let connection = try await HTTPConnection.open(port: service.port)
                try await connection.send(
                    "POST /v1/notifications HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                        + "content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{   ")
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

    @Test func `a large array of numbers is refused at the first one`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = "[" + String(repeating: "0,", count: 4_000_000) + "0]"
            let answer = try await service.ask("POST", "/v1/notifications", body, key: key)
            #expect(answer.status == 400 && answer.string("field") == "/0", "\(answer.text)")
            // What comes behind was not read.
            let broken = try await service.ask("POST", "/v1/notifications", "[0, }", key: key)
            #expect(broken.string("code") == "wrong_type" && broken.string("field") == "/0")
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
