import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Requests whose form another program on the way could understand in another way, and bodies that don't arrive whole.
@Suite struct RequestFormTests {
    private func answer(
        to request: String, _ service: RunningService, finishes: Bool = false
    ) async throws -> HTTPAnswer {
        let connection = try await HTTPConnection.open(port: service.port)
        defer { connection.close() }
        try await connection.send(request)
        if finishes { try await connection.finishSending() }
        return await connection.answer()
    }

    @Test func `two hosts are refused, in the fields and in the address`() async throws {
        try await RunningService.with { service in
            for (line, fields) in [
                ("GET /livez", "host: localhost\r\nhost: localhost\r\n"),
                ("GET /livez", "host: localhost\r\nhost: evil.example\r\n"),
                ("GET http://evil.example/livez", "host: localhost\r\n"),
                ("GET http://localhost@evil.example/livez", "host: localhost\r\n"),
                ("GET http://evil.example?x=/livez", "host: localhost\r\n"),
                ("GET http://localhost:1/livez", "host: localhost\r\n"),
            ] {
                let answer = try await answer(to: "\(line) HTTP/1.1\r\n\(fields)\r\n", service)
                #expect(answer.status == 400 && answer.string("code") == "several_hosts", "\(line) \(answer.text)")
            }
            for host in ["localhost", "LOCALHOST:80"] {
                let request = "GET http://\(host)/livez HTTP/1.1\r\nhost: \(host.lowercased())\r\n\r\n"
                #expect(try await answer(to: request, service).status == 200)
            }
            // Without a field, the host of the address counts, as for every request.
            let alone = try await answer(to: "GET http://evil.example/livez HTTP/1.1\r\n\r\n", service)
            #expect(alone.status == 421 || alone.status == 400, "\(alone.status)")
        }
    }

    @Test func `a coded body is refused, not read as if it were plain`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for coding in ["gzip", "GZIP", "identity, gzip", "br"] {
                let refused = try await service.ask(
                    "POST", "/v1/notifications", push(), key: key, headers: [("content-encoding", coding)])
                #expect(refused.status == 415 && refused.string("code") == "content_encoding")
                #expect(refused.headers["accept-encoding"] == "identity")
            }
            let plain = try await service.ask(
                "POST", "/v1/notifications", push(), key: key, headers: [("content-encoding", "identity")])
            #expect(plain.status == 202)
        }
    }

    @Test(arguments: [
        "application/json", "application/x-ndjson",
    ])
    func `a body that can't be read is the client's mistake`(type: String) async throws {
        let log = CapturedLog()
        try await RunningService.with(logger: log.logger) { service in
            let key = try await service.key()
            let head =
                "POST /v1/notifications HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                + "content-type: \(type)\r\n"
            let gzip = try await answer(to: head + "transfer-encoding: gzip\r\n\r\n{}", service, finishes: true)
            #expect(gzip.status == 400, "\(gzip.status) \(gzip.text)")
            let isStream = type == "application/x-ndjson"
            let chunk = try await answer(to: head + "transfer-encoding: chunked\r\n\r\nx\r\n{}\r\n", service)
            let short = try await answer(to: head + "content-length: 100\r\n\r\n{}", service, finishes: true)
            for (answer, hasLength) in [(chunk, false), (short, true)] {
                // The status of a stream without a length is sent before its body is read.
                if isStream {
                    #expect(
                        answer.status == (hasLength ? 400 : 202) && answer.text.contains("broken_body"),
                        "\(answer.text)")
                } else {
                    #expect(answer.status == 400 && answer.string("code") == "broken_body", "\(answer.text)")
                }
            }
            #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
        }
        #expect(!log.lines.contains { $0.contains("A request failed") })
    }
}
