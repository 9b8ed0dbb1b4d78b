import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// A campaign of the built program is uploaded with curl, paused and killed, and ends with one outcome for each line.
@Suite(.timeLimit(.minutes(60))) struct CampaignKillTests {
    private static let count = 20_000
    private let ground: Ground
    private let mock: MockServer

    init() async throws {
        ground = try Ground()
        var configuration = MockConfiguration()
        configuration.logCount = 2 * Self.count
        mock = try await MockServer.start(configuration, credentials: .ofThisProcess)
        try ground.configure(for: mock)
        let lines = (1...Self.count).map { number in
            let token = String(number, radix: 16)
            return "{\"token\":\"\(String(repeating: "0", count: 64 - token.count))\(token)\",\"ref\":\(number)}\n"
        }
        try ground.write(lines.joined(), to: "lines.jsonl")
    }

    private func curl(_ key: String, _ words: String...) async throws -> Ended {
        let program = try ground.start(
            tool: ["curl", "-sS", "--noproxy", "*", "-H", "authorization: Bearer \(key)"] + words)
        return await program.end()
    }

    private func post(_ key: String, _ url: String, _ body: String = "{}") async throws -> [String: Any] {
        let ended = try await curl(key, "-H", "content-type: application/json", "-d", body, url)
        return try #require(ended.objects.first, "\(ended.errors)")
    }

    /// Waits until a number of lines has its outcome.
    private func wait(_ key: String, _ url: String, for finished: Int) async throws {
        while true {
            let lines = try #require(try await curl(key, url).objects.first?["lines"] as? [String: Int])
            let ended = ["accepted", "rejected", "unknown", "not_sent"].reduce(0) { $0 + (lines[$1] ?? 0) }
            if ended >= finished { return }
        }
    }

    @Test func `each line of a campaign has one outcome, through a pause and two kills`() async throws {
        let key = try await ground.key()
        var (program, url) = try await ground.serve(seconds: 3600)
        let campaign = try await post(
            key, "\(url)/v1/campaigns", #"{"name":"Sale","rate":50,"payload":{"aps":{"alert":"Hello"}}}"#)
        let path = "/v1/campaigns/\(try #require(campaign["id"] as? String))"
        // The upload and the program are killed in the middle; the upload goes on with the whole file.
        let address = "\(url)\(path)/lines"
        async let broken = curl(
            key, "-H", "content-type: application/x-ndjson", "--data-binary", "@lines.jsonl", address)
        while (try await curl(key, url + path).objects.first?["next_line"] as? Int ?? 0) < 500 {}
        program.signal(SIGKILL)
        _ = try await broken
        _ = await program.end()
        (program, url) = try await ground.serve(seconds: 3600)
        let upload = try await curl(
            key, "-H", "content-type: application/x-ndjson", "--data-binary", "@lines.jsonl", "\(url)\(path)/lines")
        #expect((upload.objects.first?["lines"] as? [String: Int])?["total"] == Self.count, "\(upload.output)")
        _ = try await post(key, "\(url)\(path)/start")
        try await wait(key, url + path, for: 50)
        #expect(try await post(key, "\(url)\(path)/pause")["state"] as? String == "paused")
        program.signal(SIGKILL)
        _ = await program.end()
        (program, url) = try await ground.serve(seconds: 3600)
        #expect(try await post(key, "\(url)\(path)/resume")["state"] as? String == "running")
        // At its rate, the campaign needs minutes, so it cannot have ended before the pause. The rest goes as fast as it can.
        _ = try await curl(
            key, "-X", "PATCH", "-H", "content-type: application/json", "-d", #"{"rate":null}"#, url + path)
        try await wait(key, url + path, for: 5000)
        program.signal(SIGKILL)
        _ = await program.end()
        (program, url) = try await ground.serve(seconds: 3600)
        // What was being sent at a kill is unknown when its lease has ended, after a minute.
        try await wait(key, url + path, for: Self.count)
        let ended = try #require(try await curl(key, url + path).objects.first)
        #expect(ended["state"] as? String == "finished")
        try await compare(key, url + path + "/report")
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        await mock.stop()
    }

    private func compare(_ key: String, _ url: String) async throws {
        let file = ground.path("report.jsonl")
        _ = try await curl(key, "-o", file, url)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let lines = text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(lines.compactMap { $0["line"] as? Int } == Array(1...Self.count))
        #expect(lines.allSatisfy { $0["ref"] as? Int == $0["line"] as? Int })
        let sent = mock.arrivals.compactMap { arrival in
            arrival.request.fields.first { $0.name == "apns-id" }?.value.lowercased()
        }
        #expect(Set(sent).count == sent.count, "no line was sent twice")
        let arrived = Set(sent)
        let accepted = lines.filter { $0["outcome"] as? String == "accepted" }.compactMap { $0["apns_id"] as? String }
        #expect(arrived.isSuperset(of: accepted), "each accepted line arrived")
        let unknown = lines.filter { $0["outcome"] as? String == "unknown" }
        #expect(accepted.count + unknown.count == Self.count)
        #expect(unknown.allSatisfy { $0["reason"] as? String == "worker_lost" } && unknown.count <= 2000)
    }
}
