import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// The built program with a mock: from HTTP to APNs, and through a kill.
@Suite struct ServiceTests {
    private static let token = String(repeating: "5f3ad1c07b9e4286", count: 4)
    private let ground: Ground
    private let mock: MockServer

    init() async throws {
        ground = try Ground()
        mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        try ground.configure(for: mock)
    }

    private func curl(_ url: String, _ key: String, _ body: String? = nil) async throws -> [String: Any] {
        var words = ["curl", "-sS", "--max-time", "600", "--noproxy", "*", "-H", "authorization: Bearer \(key)", url]
        if let body { words += ["-H", "content-type: application/json", "-d", body] }
        let program = try ground.start(tool: words)
        let ended = await program.end()
        return try #require(ended.objects.first, "\(ended.errors)\(ended.output)")
    }

    private static let push = #"{"token":"\#(token)","payload":{"aps":{"alert":"Hello"}}}"#

    @Test func `a push goes from HTTP to APNs, and its outcome comes back`() async throws {
        let key = try await ground.key()
        let (program, url) = try await ground.serve()
        let answer = try await curl("\(url)/v1/notifications?wait=60s", key, Self.push)
        let id = try #require(answer["id"] as? String)
        var job = answer["notification"] as? [String: Any]
        // On a busy machine, a push can take longer than a request may wait.
        while job?["outcome"] as? [String: Any] == nil { job = try await curl("\(url)/v1/notifications/\(id)", key) }
        #expect((job?["outcome"] as? [String: Any])?["kind"] as? String == "accepted")
        #expect(mock.arrivals.count == 1)
        // The command shows the same job.
        let shown = try await ground.pushserve("queue", "show", id, "--json")
        #expect(shown.objects.first?["state"] as? String == "finished")
        program.signal(SIGTERM)
        let ended = await program.end()
        #expect(ended.status == 0)
        #expect(!(ended.output + ended.errors).contains(Self.token))
        #expect(!(ended.output + ended.errors).contains(key))
        await mock.stop()
    }

    @Test func `what was acknowledged is there after a kill`() async throws {
        let key = try await ground.key()
        let (program, url) = try await ground.serve()
        let later = String(Self.push.dropLast()) + #","deliver_at":"2090-01-01T00:00:00Z"}"#
        let answer = try await curl("\(url)/v1/notifications", key, later)
        let id = try #require(answer["id"] as? String)
        program.signal(SIGKILL)
        #expect(await program.end().status == -SIGKILL)
        let (again, newURL) = try await ground.serve()
        let job = try await curl("\(newURL)/v1/notifications/\(id)", key)
        #expect(job["state"] as? String == "waiting")
        again.signal(SIGTERM)
        #expect(await again.end().status == 0)
        await mock.stop()
    }

    private func status(_ url: String, _ more: [String] = []) async throws -> String {
        let program = try ground.start(
            tool: ["curl", "-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", url] + more)
        return await program.end().output
    }

    @Test func `nothing is acknowledged while the database is away, and the log says so`() async throws {
        let key = try await ground.key()
        let (program, url) = try await ground.serve()
        let later = String(Self.push.dropLast()) + #","deliver_at":"2090-01-01T00:00:00Z"}"#
        let post = ["-H", "authorization: Bearer \(key)", "-H", "content-type: application/json", "-d", later]
        // The service finds it without any request.
        #expect(try await curl("\(url)/v1/notifications", key, later)["id"] is String)
        while try await status("\(url)/readyz") != "200" { try Task.checkCancellation() }
        #expect(rename(ground.path("queue.sqlite"), ground.path("away.sqlite")) == 0)
        _ = try #require(await program.errors.line(with: "queue.sqlite was removed or moved while the queue"))
        // One answer counts for a moment.
        while try await status("\(url)/readyz") != "503" { try Task.checkCancellation() }
        #expect(try await status("\(url)/v1/notifications", post) == "503")
        #expect(rename(ground.path("away.sqlite"), ground.path("queue.sqlite")) == 0)
        while try await status("\(url)/readyz") != "200" { try Task.checkCancellation() }
        let second = try #require(try await curl("\(url)/v1/notifications", key, later)["id"] as? String)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        let listed = try await ground.pushserve("queue", "list", "--app", "shop", "--json")
        #expect(listed.objects.count == 2 && listed.output.contains(second), "\(listed.output)\(listed.errors)")
        await mock.stop()
    }

    @Test func `check asks the server, and a refused key has an exit code`() async throws {
        let accepted = try await ground.pushserve("check", "--connect", "--json", "--timeout", "5m")
        #expect(accepted.status == 0, "\(accepted.output)")
        #expect(accepted.objects.last?["check"] as? String == "server")
        #expect(accepted.objects.last?["verdict"] as? String == "ok")

        try ground.configure(for: mock, keyID: "ZZZZZZZZZZ")
        let refused = try await ground.pushserve("check", "--connect", "--json", "--timeout", "5m")
        #expect(refused.status == 77)
        #expect(refused.objects.last?["verdict"] as? String == "failed")
        #expect((refused.objects.last?["fact"] as? String)?.contains("403") == true, "\(refused.output)")

        await mock.stop()
        let nobody = try HeldPort()
        try ground.configure(for: mock, port: nobody.number, keyID: "ZZZZZZZZZZ")
        let unreachable = try await ground.pushserve("check", "--connect", "--json", "--timeout", "1m")
        #expect(unreachable.status == 69, "\(unreachable.output)")
        nobody.letGo()
    }

    @Test func `a backup of a running service has everything that was acknowledged before`() async throws {
        let key = try await ground.key()
        let (program, url) = try await ground.serve()
        let later = String(Self.push.dropLast()) + #","deliver_at":"2090-01-01T00:00:00Z"}"#
        let id = try #require(try await curl("\(url)/v1/notifications", key, later)["id"] as? String)
        let script = """
            import sqlite3
            source, copy = sqlite3.connect("queue.sqlite"), sqlite3.connect("backup.sqlite")
            source.backup(copy, pages=1)
            print(copy.execute("PRAGMA integrity_check").fetchone()[0])
            copy.close()
            """
        let backup = try ground.start(tool: ["python3", "-c", script])
        let ended = await backup.end()
        #expect(ended.output == "ok\n", "\(ended.errors)")
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: ground.path("queue.sqlite\(suffix)"))
        }
        try FileManager.default.copyItem(atPath: ground.path("backup.sqlite"), toPath: ground.path("queue.sqlite"))
        let (again, newURL) = try await ground.serve()
        #expect(try await curl("\(newURL)/v1/notifications/\(id)", key)["state"] as? String == "waiting")
        again.signal(SIGTERM)
        #expect(await again.end().status == 0)
        await mock.stop()
    }
}
