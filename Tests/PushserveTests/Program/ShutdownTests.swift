import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// The end of the service by SIGTERM: what is in flight gets its answer, the rest waits, and the files are in order.
@Suite struct ShutdownTests {
    private let ground: Ground
    private let mock: MockServer

    init() async throws {
        ground = try Ground()
        mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
    }

    private func start(_ app: String = "") async throws -> (program: RunningProgram, url: String, key: String) {
        // What is in flight has all the time that a slow machine takes.
        try ground.configure(for: mock, app + "\ndrain: 10m")
        let key = try await ground.key()
        let (program, url) = try await ground.serve()
        return (program, url, key)
    }

    private func curl(_ url: String, _ key: String, _ body: String? = nil) throws -> RunningProgram {
        var words = ["curl", "-sSN", "--max-time", "600", "--noproxy", "*", "-H", "authorization: Bearer \(key)", url]
        if let body { words += ["-H", "content-type: application/json", "-d", body] }
        return try ground.start(tool: words)
    }

    private func push(_ number: Int) -> String {
        let digits = String(number)
        let token = String(repeating: "0", count: 64 - digits.count) + digits
        return #"{"token":"\#(token)","payload":{"aps":{"alert":"Hello"}}}"#
    }

    private func stats() async throws -> [String: Any] {
        try #require(try await ground.pushserve("queue", "stats", "--json").objects.first)
    }

    private var leftovers: [String] {
        ["-wal", "-shm", "-journal"].filter { FileManager.default.fileExists(atPath: ground.path("queue.sqlite\($0)")) }
    }

    @Test func `a push in flight ends, its request is answered, and no file is left beside the database`() async throws
    {
        // The body of the push cannot be sent until the mock opens the window.
        let closed = MockFault.Step.settings(MockFault.Settings(initialWindowSize: 0))
        try mock.inject(MockFault(name: "closed window", at: .connectionEstablished, steps: [closed]))
        let (program, url, key) = try await start()
        let request = try curl("\(url)/v1/notifications?wait=50s", key, push(1))
        _ = try await mock.connectionRecord(1, within: .seconds(300)) { $0.streamCount == 1 }
        program.signal(SIGTERM)
        let answer = try #require(await request.end().objects.first)
        // The push is durable, so the answer says that, and not that the service ends.
        #expect(answer["result"] as? String == "queued", "\(answer)")
        let opened = MockFault.Step.settings(MockFault.Settings(initialWindowSize: 65_535))
        #expect(try mock.perform([opened], onConnection: 1))
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(leftovers.isEmpty)
        let stats = try await stats()
        #expect(
            stats["accepted"] as? Int == 1 && stats["started"] as? Int == 0 && stats["leased"] as? Int == 0, "\(stats)")
        #expect(mock.arrivals.count == 1)
        await mock.stop()
    }

    @Test func `what was not begun waits for the next start, and no lease is left`() async throws {
        let (program, url, key) = try await start("    rate: 1/s")
        let pushes = "[" + (1...30).map(push).joined(separator: ",") + "]"
        _ = await (try curl("\(url)/v1/notifications", key, pushes)).end()
        _ = await mock.arrivals(from: 1, atMost: 1)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        #expect(leftovers.isEmpty)
        let stats = try await stats()
        #expect(stats["leased"] as? Int == 0 && stats["started"] as? Int == 0, "\(stats)")
        let accepted = try #require(stats["accepted"] as? Int)
        #expect(stats["waiting"] as? Int == 30 - accepted)
        #expect(mock.arrivals.count == accepted)
        await mock.stop()
    }

    @Test func `readers of events see the end of the stream, and do not delay the end`() async throws {
        let (program, url, key) = try await start()
        let reader = try curl("\(url)/v1/results/events", key)
        _ = await reader.output.line(with: "retry:")
        program.signal(SIGTERM)
        #expect(await reader.end().status == 0)
        #expect(await program.end().status == 0)
        #expect(leftovers.isEmpty)
        await mock.stop()
    }
}
