import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import PushTime
import TestSupport
import Testing

@testable import PushQueuePostgres
@testable import PushService

/// What is known about a device is found in an inbox, handed out and erased.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxErasureTests {
    @Test func `everything about a device is handed out and erased, also what is in the user's database`() async throws
    {
        try await InboxGround.with { ground in
            _ = try ground.enqueue(InboxGround.push())
            try await ground.move()
            try await ground.service.deliver()
            var feed = ground.feed()
            try await feed.round()
            _ = try ground.enqueue("{\n\"token\": \"<\(InboxGround.token.uppercased())>\", \"colour\": 1\r\n}")
            let other = String(repeating: "b", count: 64)
            _ = try ground.enqueue(InboxGround.push(token: other))
            let key = try await ground.service.key()
            let path = "?token=\(InboxGround.token)&app=shop"
            let export = try await ground.service.ask("GET", "/v1/export\(path)", key: key)
            let lines = export.text.split(separator: "\n").compactMap { PushJSONValue(json: Array($0.utf8)) }
            #expect(lines.count == 3 && lines.count { $0["inbox"] != nil } == 1, "\(export.text)")
            // The rows come before the queue, and the queue before the outcomes: what goes on in the meantime is not missed.
            #expect(lines.first?["inbox"] != nil && lines.last?["inbox_outcome"] != nil, "\(export.text)")
            #expect(lines.compactMap { $0["inbox_outcome"] }.map { $0.string("outcome") } == ["accepted"])
            let part = try await ground.service.ask("DELETE", "/v1/notifications?token=bbbb&app=shop", key: key)
            #expect(part["erased"] == 0 && part["inbox_rows"] == 0, "\(part.text)")
            let erased = try await ground.service.ask("DELETE", "/v1/notifications\(path)", key: key)
            #expect(erased["erased"] == 1 && erased["inbox_rows"] == 2, "\(erased.text)")
            #expect(try await ground.service.ask("GET", "/v1/export\(path)", key: key).text.isEmpty)
            #expect(try ground.tokens().isEmpty)
            try await ground.move()
            #expect(try await ground.service.queue.counts()["shop"]?.waiting == 1, "the other device")
        }
    }

    @Test func `rows of an app that is not configured are handed out and erased, too`() async throws {
        try await InboxGround.with(apps: ["news": RunningService.app("news")]) { ground in
            _ = try ground.enqueue(InboxGround.push())
            let key = try await ground.service.key(["*"])
            let path = "?token=\(InboxGround.token)"
            let export = try await ground.service.ask("GET", "/v1/export\(path)", key: key)
            #expect(export.lines.map { $0.string("app") } == ["shop"], "\(export.text)")
            let erased = try await ground.service.ask("DELETE", "/v1/notifications\(path)", key: key)
            #expect(erased["inbox_rows"] == 1, "\(erased.text)")
        }
    }

    @Test func `while an inbox is down, a device is erased from the queue in all apps`() async throws {
        try await InboxGround.with { ground in
            let (key, queue) = (try await ground.service.key(["*"]), ground.service.queue)
            for app in ["news", "shop"] {
                let job = NewQueueJob(to: .device(InboxGround.token), payload: Array("{}".utf8))
                _ = try await queue.enqueue(EnqueueRequest([job], app: app))
            }
            try ground.user.execute("ALTER TABLE \(ground.schema).inbox RENAME TO elsewhere")
            let path = "/v1/notifications?token=\(InboxGround.token)"
            let part = try await ground.service.ask("DELETE", path, key: key)
            #expect(part.status == 503 && part.string("code") == "inbox_unavailable", "\(part.text)")
            #expect(try await queue.counts().values.allSatisfy { $0.waiting == 0 })
            try ground.user.execute("ALTER TABLE \(ground.schema).elsewhere RENAME TO inbox")
            #expect(try await ground.service.ask("DELETE", path, key: key).status == 200)
        }
    }

    @Test(arguments: [
        #"{"token":"\u0061\#(String(repeating: "A", count: 63))"}"#, #"{"t\u006fken":"\#(InboxGround.token)"}"#,
        #"{"token":"\u003c\#(InboxGround.token)\u003E"}"#, #"{"token":"device token: \#(InboxGround.token)\n"}"#,
        #"{"token":"Optional(\"\#(InboxGround.token)\")"}"#, #"{"token":"\#(InboxGround.token)","token":"b"}"#,
        "{\"a\":\(String(repeating: "[", count: 900))\(String(repeating: "]", count: 900)),\"token\":\"\(InboxGround.token)\"}",
        // Rows that can't be read.
        #"{"token":"\u0061\#(String(repeating: "A", count: 63))","a":"\ud800"}"#,
        #"{"a":"\ud800","token":"\u003C\#(Array(repeating: "aaaaaaaa", count: 8).joined(separator: " "))\u003e"}"#,
    ])
    func `a row of a device is found however its token is written`(push: String) async throws {
        try await InboxGround.with { ground in
            _ = try ground.enqueue(push)
            let others = try ["\(InboxGround.token)a", "a"].map { try ground.enqueue(InboxGround.push(token: $0)) }
            let key = try await ground.service.key()
            let path = "?token=\(InboxGround.token.uppercased())&app=shop"
            let export = try await ground.service.ask("GET", "/v1/export\(path)", key: key)
            #expect(export.text.split(separator: "\n").count == 1, "\(export.text)")
            let erased = try await ground.service.ask("DELETE", "/v1/notifications\(path)", key: key)
            #expect(erased["inbox_rows"] == 1, "\(erased.text)")
            let left = PostgresStatement(PostgresText("SELECT id FROM \(ground.schema).inbox ORDER BY id"), [])
            #expect(try ground.user.run(left).map { $0.uuid(0) } == others)
        }
    }
}
