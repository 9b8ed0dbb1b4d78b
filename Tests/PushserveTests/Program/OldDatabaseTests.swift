import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushQueue

/// The built program with databases of older versions, which `scripts/lib/queue-fixture` has made.
@Suite struct OldDatabaseTests {
    private let ground: Ground

    init() throws {
        ground = try Ground()
    }

    /// Writes the database of a format. Returns the API key in it.
    private func database(_ format: Int) async throws -> String {
        let file = "Tests/PushQueueTests/Formats/format-\(format).sql"
        let key = try #require(Repository.text(file).firstMatch(of: /psk_[\w-]+/), "\(file)")
        let script = "import sqlite3, sys; sqlite3.connect('queue.sqlite').executescript(open(sys.argv[1]).read())"
        let loaded = try await tool(["python3", "-c", script, Repository.url(file).path()])
        try #require(loaded.status == 0, "\(loaded.errors)")
        return String(key.output)
    }

    private func tool(_ words: [String]) async throws -> Ended {
        let program = try ground.start(tool: words)
        return await program.end()
    }

    @Test(arguments: 1...QueueSchema.version)
    func `the service goes on with a database of each format`(format: Int) async throws {
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        let key = try await database(format)
        try ground.configure(for: mock, "keep: {jobs: 3650d, payloads: 3650d}")
        let (program, url) = try await ground.serve()

        var tokens: [String] = []
        while tokens.count < 3, let arrivals = await mock.arrivals(from: tokens.count + 1, atMost: 3) {
            tokens += arrivals.map { "\($0.deviceToken)" }
        }
        #expect(Set(tokens.map { $0.prefix(2) }) == ["d1", "d2", "d3"])
        let listed = try await tool([
            "curl", "-sS", "--max-time", "600", "--noproxy", "*", "-H", "authorization: Bearer \(key)",
            "\(url)/v1/notifications?outcome=rejected",
        ])
        let items = try #require(listed.objects.first?["items"] as? [[String: Any]], "\(listed.output)\(listed.errors)")
        #expect((items.first?["outcome"] as? [String: Any])?["reason"] as? String == "Unregistered")

        program.signal(SIGTERM)
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.errors)")
        let stats = try await ground.pushserve("queue", "stats", "--json")
        #expect(stats.objects.first?["accepted"] as? Int == 4, "\(stats.output)")
        #expect(stats.objects.first?["waiting"] as? Int == 1)
        await mock.stop()
    }

    @Test func `a downgrade is refused with the way out, by every command, and changes nothing`() async throws {
        _ = try await database(QueueSchema.version)
        try ground.configure()
        let script = "import sqlite3; sqlite3.connect('queue.sqlite').execute('PRAGMA user_version = 10000')"
        #expect(try await tool(["python3", "-c", script]).status == 0)
        let before = try Data(contentsOf: URL(filePath: ground.path("queue.sqlite")))
        for command in [["run"], ["check"], ["queue", "stats"], ["key", "list"]] {
            let ended = try await ground.start(command).end()
            #expect(ended.status == 65, "\(command)")
            let text = ended.output + ended.errors
            #expect(text.contains("has the format 10000"), "\(text)")
            #expect(text.contains("restore a backup from before the upgrade"), "\(text)")
        }
        #expect(try Data(contentsOf: URL(filePath: ground.path("queue.sqlite"))) == before)
    }
}
