import PushJSON
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// What holds for all requests.
@Suite struct HTTPRuleTests {
    @Test func `a method that a path does not have is answered with those that it has`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for (method, path, allow) in [
                ("PUT", "/v1/notifications", "POST, GET, HEAD, DELETE"), ("PATCH", "/v1/status", "GET, HEAD"),
                ("HEAD", "/v1/notifications/cancel", "POST"), ("GET", "/v1/notifications/cancel", "POST"),
                ("OPTIONS", "/v1/results", "GET, HEAD"), ("POST", "/livez", "GET, HEAD"),
            ] {
                let answer = try await service.ask(method, path, key: key)
                #expect(answer.status == 405 && answer.headers["allow"] == allow, "\(method) \(path) \(answer.headers)")
            }
            #expect(try await service.ask("GET", "/v1/nothing", key: key).status == 404)
        }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let get = try await service.ask("GET", "/v1/gone-tokens", key: key)
            let head = try await service.ask("HEAD", "/v1/gone-tokens", key: key)
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.headers["content-length"] == get.headers["content-length"])
        }
    }

    @Test func `an unknown query parameter is refused, and the known one is proposed`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let answer = try await service.ask("POST", "/v1/notifications?validateOnly=true", push(), key: key)
            #expect(answer.status == 400 && answer.string("code") == "unknown_parameter")
            #expect(answer.string("remedy")?.contains("\"validate_only\"") == true)
            #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
        }
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    func `a write needs a content type that a page cannot send`(type: String) async throws {
        try await RunningService.with { service in
            let answer = try await service.ask(
                "POST", "/v1/notifications", push(), key: try await service.key(), type: type)
            #expect(answer.status == 415)
        }
    }

    @Test func `a program needs no content type for a write without a body, a page does`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func pause(_ headers: String) async throws -> HTTPAnswer {
                let connection = try await HTTPConnection.open(port: service.port)
                defer { connection.close() }
                try await connection.send(
                    "POST /v1/apps/shop/pause HTTP/1.1\r\nhost: localhost\r\n\(headers)content-length: 0\r\n\r\n")
                return await connection.answer()
            }
            // The service of this test knows no app to pause.
            #expect(try await pause("authorization: bearer \(key)\r\n").status == 404)
            let login = try await service.ask("POST", "/v1/session", "{\"key\":\"\(key)\"}", key: nil)
            let cookie = login.headers["set-cookie"]?.split(separator: ";").first ?? ""
            let csrf = login.string("csrf") ?? ""
            let answer = try await pause("cookie: \(cookie)\r\nx-csrf-token: \(csrf)\r\n")
            #expect(answer.status == 415, "\(answer.text)")
        }
    }

    @Test func `other hosts and origins are refused`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            #expect(
                try await service.ask("GET", "/v1/status", key: key, headers: [("host", "evil.example")]).status == 421)
            #expect(
                try await service.ask("GET", "/v1/status", key: key, headers: [("origin", "http://evil.example")])
                    .status == 403)
            #expect(
                try await service.ask("GET", "/v1/status", key: key, headers: [("host", "127.0.0.1:8080")]).status
                    == 200)
        }
    }

    // MARK: Sizes and speeds

    @Test func `a body that is too long is refused`() async throws {
        try await RunningService.with({ $0.limits.bodyBytes = 1000 }) { service in
            let key = try await service.key()
            let answer = try await service.ask(
                "POST", "/v1/notifications", push(title: String(repeating: "x", count: 2000)), key: key)
            #expect(answer.status == 413 && answer.string("code") == "body_too_large")
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 202)
        }
    }

    @Test func `a head that does not come in time closes the connection`() async throws {
        try await RunningService.with({ $0.limits.headTime = .milliseconds(200) }) { service in
            let connection = try await HTTPConnection.open(port: service.port)
            try? await connection.send("GET /livez HTTP/1.1\r\nhost: loc")
            #expect(await connection.readToEnd().isEmpty)
        }
    }

    @Test func `a body that does not come in time closes the connection`() async throws {
        try await RunningService.with({ $0.limits.bodyTime = .milliseconds(200) }) { service in
            let key = try await service.key()
            for type in ["application/json", "application/x-ndjson"] {
                let connection = try await HTTPConnection.open(port: service.port)
                try await connection.send(
                    "POST /v1/notifications HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                        + "content-type: \(type)\r\ncontent-length: 100\r\n\r\n{")
                #expect(await !connection.readToEnd().contains("queued"))
            }
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 202)
        }
    }

    @Test func `a client that does not read its answer is let go`() async throws {
        try await RunningService.with({ $0.limits.readingTime = .milliseconds(200) }) { service in
            let key = try await service.key()
            // A short line with a long answer.
            let lines = String(repeating: "{\n", count: 2000)
            let connection = try await HTTPConnection.open(port: service.port, reads: false)
            try await connection.begin("/v1/notifications?validate_only=true", key: key, length: 1_000_000_000)
            // The service stops reading when its answers are not read. Then the connection ends, and so does the sending.
            var count = 0
            while (try? await connection.send(lines)) != nil { count += 1 }
            #expect(count > 0)
        }
    }

    @Test func `a head or trailers with too many fields are refused`() async throws {
        try await RunningService.with { service in
            func fields(_ count: Int) -> String { (1...count).map { "a\($0): b\r\n" }.joined() }
            let head = "GET /livez HTTP/1.1\r\nhost: localhost\r\n"
            for (text, status) in [("\(fields(99))\r\n", 200), (fields(100), 400)] {
                let connection = try await HTTPConnection.open(port: service.port)
                try await connection.send(head + text)
                let answer = await connection.answer()
                #expect(answer.status == status && (status == 200 || answer.string("code") == "headers_too_long"))
                connection.close()
            }
            let connection = try await HTTPConnection.open(port: service.port)
            try await connection.send("\(head)transfer-encoding: chunked\r\n\r\n0\r\n\(fields(200))")
            // Otherwise, only the deadline of the head would end it, which is ten minutes in tests.
            _ = await connection.readToEnd()
        }
    }

    @Test func `HTTP 1.0 gets no chunks, and its connection ends, as after CONNECT`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let old = try await HTTPConnection.open(port: service.port)
            try await old.send(
                "POST /v1/notifications?validate_only=true HTTP/1.0\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                    + "content-type: application/x-ndjson\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n{}\n")
            let text = await old.readToEnd()
            #expect(text.hasPrefix("HTTP/1.0 422 ") && text.contains("\"invalid\""), "\(text)")
            #expect(!text.contains("transfer-encoding") && !text.contains("100 Continue"), "\(text)")
            let other = try await HTTPConnection.open(port: service.port)
            try await other.send("CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\nGET /livez HTTP/1.1\r\n")
            let answer = await other.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 4") && answer.lowercased().contains("connection: close"), "\(answer)")
        }
    }

    @Test func `a body behind the answer ends`() async throws {
        try await RunningService.with({ $0.limits.bodyBytes = 100_000 }) { service in
            let connection = try await HTTPConnection.open(port: service.port)
            try await connection.send(
                "POST /v1/notifications HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                    + "content-length: 1000000000000\r\n\r\n")
            #expect(await connection.answer().status == 401)
            var sent = 0
            while sent < 200_000_000, (try? await connection.send(String(repeating: "x", count: 50_000))) != nil {
                sent += 50_000
            }
            #expect(sent < 200_000_000)
        }
    }

    @Test func `no more connections are served than the limit allows`() async throws {
        try await RunningService.with({ $0.limits.connections = 2 }) { service in
            // Connections without a key would make room.
            let (one, other) = (try await service.key(), try await service.key())
            let first = try await HTTPConnection.open(port: service.port)
            #expect(try await first.ask("GET", "/v1/status", key: one).status == 200)
            let second = try await HTTPConnection.open(port: service.port)
            defer { second.close() }
            #expect(try await second.ask("GET", "/v1/status", key: other).status == 200)
            let third = try await HTTPConnection.open(port: service.port)
            defer { third.close() }
            let isAnswered = Watched(false)
            let waiting = Task {
                let answer = try await third.ask("GET", "/livez", key: nil)
                isAnswered.change { $0 = true }
                return answer.status
            }
            // The service has much time to answer it, if it wanted to.
            // Both are asked again and again: one that is idle for long is closed, and makes room for the third.
            for _ in 0..<100 {
                for connection in [first, second] {
                    #expect(try await connection.ask("GET", "/livez", key: nil).status == 200)
                }
            }
            #expect(!isAnswered.value)
            first.close()
            #expect(try await waiting.value == 200)
        }
    }

    @Test func `a client that sends Expect: 100-continue gets 100 before it sends its body`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            for _ in 0..<2 {
                try await connection.send(
                    "POST /v1/notifications HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                        + "content-type: application/json\r\ncontent-length: \(push().utf8.count)\r\n"
                        + "expect: 100-continue\r\n\r\n")
                #expect(await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue"))
                try await connection.send(push())
                #expect(await connection.answer().status == 202)
            }
        }
    }

    @Test func `requests that are sent before the answers are all answered`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            let request = "GET /v1/status HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n"
            try await connection.send(String(repeating: request, count: 10))
            for _ in 0..<10 { #expect(await connection.answer().status == 200) }
        }
    }

    @Test func `an address that is none is said with a remedy`() async throws {
        await #expect {
            _ = try await RunningService.start(apps: RunningService.apps, { $0.listen.host = "300.300.300.300" })
        } throws: { error in
            (error as? ServiceStartError)?.description.contains("\"listen\"") == true
        }
    }

    @Test func `a connection stays open for the next request`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            for _ in 0..<20 {
                #expect(try await connection.ask("POST", "/v1/notifications", push(), key: key).status == 202)
                #expect(try await connection.ask("POST", "/v1/notifications", "{", key: key).status == 400)
            }
        }
    }

    @Test func `slow clients do not keep others waiting`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            var slow: [HTTPConnection] = []
            for _ in 0..<100 {
                let connection = try await HTTPConnection.open(port: service.port)
                try await connection.send("POST /v1/notifications HTTP/1.1\r\nhost: localhost\r\n")
                slow.append(connection)
            }
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 202)
            for connection in slow { connection.close() }
        }
    }

    @Test func `many at once are all taken in`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let connection = try await HTTPConnection.open(port: service.port)
                        defer { connection.close() }
                        for _ in 0..<20 {
                            let answer = try await connection.ask("POST", "/v1/notifications", push(), key: key)
                            #expect(answer.status == 202)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.queue.counts()["shop"]?.waiting == 1000)
        }
    }

    // MARK: Limits

    @Test func `a key that asks for too much has to wait`() async throws {
        // One request at once; the next one is possible after 1000 s.
        try await RunningService.with({ $0.limits.ratePerKey = 0.001 }) { service in
            let (one, other) = (try await service.key(), try await service.key())
            let array = "[" + (0..<500).map { _ in push() }.joined(separator: ",") + "]"
            let statuses = [
                try await service.ask("POST", "/v1/notifications", push(), key: one).status,
                try await service.ask("POST", "/v1/notifications", array, key: one).status,
                try await service.ask("POST", "/v1/notifications", array, key: one).status,
            ]
            #expect(statuses == [202, 429, 429])
            // An array is possible at any rate.
            let full = try await service.key()
            for status in [202, 429] {
                #expect(try await service.ask("POST", "/v1/notifications", array, key: full).status == status)
            }
            let refused = try await service.ask("POST", "/v1/notifications", array, key: one)
            #expect(refused.status == 429 && refused.headers["retry-after"].flatMap { Int($0) } ?? 0 >= 1)
            // Each key has its own rate.
            #expect(try await service.ask("GET", "/v1/status", key: other).status == 200)
        }
    }

    @Test func `one app of several gets half of the queue`() async throws {
        try await RunningService.with({ $0.limits.queueDepth = 4 }) { service in
            let key = try await service.key(["shop", "news"])
            func post(_ count: Int, _ app: String) async throws -> HTTPAnswer {
                let pushes = Array(repeating: push(), count: count).joined(separator: ",")
                return try await service.ask("POST", "/v1/notifications?app=\(app)", "[\(pushes)]", key: key)
            }
            #expect(try await post(3, "shop").string("code") == "queue_full")
            #expect(try await post(2, "shop").status == 202)
            #expect(try await post(1, "shop").string("detail")?.contains("The app shop has 2 unfinished") == true)
            #expect(try await post(2, "news").status == 202)
            #expect(try await post(1, "news").string("detail")?.contains("The queue has 4 unfinished") == true)
        }
    }

    @Test func `a full queue takes nothing in`() async throws {
        try await RunningService.with(apps: ["shop": RunningService.app("shop")], { $0.limits.queueDepth = 3 }) {
            service in
            let key = try await service.key()
            #expect(
                try await service.ask("POST", "/v1/notifications", "[\(push()), \(push())]", key: key).status == 202)
            let answer = try await service.ask("POST", "/v1/notifications", "[\(push()), \(push())]", key: key)
            #expect(answer.status == 503 && answer.string("code") == "queue_full")
            #expect(answer.headers["retry-after"] != nil)
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 202)
            #expect(try await service.ask("POST", "/v1/notifications", push(), key: key).status == 503)
        }
    }

    @Test func `a port in use is said with a remedy`() async throws {
        try await RunningService.with { service in
            await #expect {
                _ = try await RunningService.start(apps: RunningService.apps, { $0.listen.port = service.port })
            } throws: { error in
                (error as? ServiceStartError)?.code == .portInUse
            }
        }
    }

    @Test func `TLS is served with the files, and nothing without it`() async throws {
        let set = try CertificateSet.shared()
        let files = APIConfiguration.TLSFiles(certificate: set.path("server.pem"), key: set.path("server.key"))
        try await RunningService.with({ $0.tls = files }) { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port, trusting: set.path("ca.pem"))
            defer { connection.close() }
            #expect(try await connection.ask("POST", "/v1/notifications", push(), key: key).status == 202)
            #expect(
                try await connection.ask("GET", "/v1/status", key: key, headers: [("origin", "https://localhost")])
                    .status
                    == 200)
            let plain = try await HTTPConnection.open(port: service.port)
            try? await plain.send("GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n")
            #expect(await !plain.readToEnd().contains("HTTP/1.1"))
        }
    }

    @Test func `files for TLS that cannot be used are said by name`() async throws {
        await #expect {
            _ = try await RunningService.start(
                apps: RunningService.apps, { $0.tls = .init(certificate: "/nowhere/cert.pem", key: "/nowhere/key.pem") }
            )
        } throws: { error in
            (error as? ServiceStartError)?.description.contains("/nowhere/cert.pem") == true
        }
    }
}
