import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import PushTime
import TestSupport
import Testing

@testable import PushQueuePostgres
@testable import PushService

/// Rows of an inbox become jobs, each once, and what cannot be sent becomes an outcome.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxTests {
    @Test func `a row becomes a job with the id that the call returned, and its outcome comes back`() async throws {
        try await InboxGround.with { ground in
            let id = try ground.enqueue(InboxGround.push())
            try await ground.move()
            #expect(try await ground.service.queue.jobs([id], app: "shop").first?.state == .waiting)
            try await ground.service.deliver()
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.outcomes() == [id: "accepted"])
        }
    }

    @Test func `what cannot be sent is an outcome with its cause, and stops nothing`() async throws {
        try await InboxGround.with { ground in
            let bad = [
                InboxGround.push(token: "xyz"), InboxGround.push(#","colour":1"#), #"{"payload":"\u0000"}"#,
                #"{"token":"\ud800"}"#,
                InboxGround.push(#","ttl":1e999999"#), InboxGround.push(#","app":"news""#), "{}",
                "{\"a\":\(String(repeating: "[", count: 900))\(String(repeating: "]", count: 900))}",
                "{\"a\":\"\(String(repeating: "x", count: 199_000))\"}",
            ]
            let invalid = try bad.map { try ground.enqueue($0) }
            let first = try ground.enqueue(InboxGround.push(#","dedupe_key":"d""#))
            let second = try ground.enqueue(InboxGround.push(#","dedupe_key":"d""#))
            let good = try ground.enqueue(InboxGround.push())
            try ground.user.execute(
                "INSERT INTO \(ground.schema).inbox (app, push, role) VALUES ('shop', '{}', 'nobody')")
            try await ground.move()
            for (id, push) in zip(invalid, bad) {
                let outcome = try await ground.outcome(id)
                #expect(outcome?.kind == .notSent && outcome?.reason == "invalid", "\(push.prefix(60))")
            }
            #expect(try await ground.outcome(invalid[0])?.detail?.hasPrefix("invalid_token /token: ") == true)
            #expect(try await ground.outcome(second)?.reason == "duplicate")
            #expect(try await ground.outcome(second)?.detail?.contains(JobAnswer.text(first)) == true)
            #expect(try await ground.outcome(good) == nil)
            var feed = ground.feed(accepted: false)
            try await feed.round()
            let outcomes = try ground.outcomes()
            #expect(outcomes.count == invalid.count + 2 && outcomes.values.contains("forbidden"))
        }
    }

    @Test func `a row whose deletion was lost is not sent twice, nor one whose mover failed before it`() async throws {
        try await InboxGround.with { ground in
            let id = try ground.enqueue(InboxGround.push(#","dedupe_key":"d""#))
            let schema = ground.schema
            try ground.user.execute(
                """
                CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
                CREATE TRIGGER fail BEFORE DELETE ON \(schema).inbox FOR EACH ROW EXECUTE FUNCTION \(schema).fail()
                """)
            var mover = ground.mover
            await #expect(throws: QueueError.self) { _ = try await mover.round() }
            try ground.user.execute("DROP TRIGGER fail ON \(schema).inbox")
            try await ground.move()
            try await ground.service.deliver()
            // As after a crash of a server that has not written the deletion.
            try ground.user.execute(
                "INSERT INTO \(schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(InboxGround.push())')")
            try await ground.move()
            #expect(try await ground.service.queue.counts()["shop"]?.accepted == 1)
            #expect(try await ground.service.queue.counts()["shop"]?.unfinished == 0)
            #expect(try await ground.outcome(id)?.kind == .accepted)
        }
    }

    @Test func `the connection of a mover that has taken rows can break`() async throws {
        try await InboxGround.with { ground in
            let id = try ground.enqueue(InboxGround.push())
            let rows = try await ground.inbox.take(served: ["shop"], from: ["shop"])
            #expect(rows.map(\.id) == [id])
            try ground.user.execute(
                """
                SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                WHERE state = 'idle in transaction' AND query LIKE '%\(ground.schema)%'
                """)
            let inbox = ground.inbox
            await #expect(throws: QueueError.self) { try await inbox.clear(rows) }
            try await ground.move()
            #expect(try await ground.service.queue.jobs([id], app: "shop").count == 1)
        }
    }

    @Test func `two pushes that would have the same place in the queue are both sent`() async throws {
        try await InboxGround.with { ground in
            let row = (try await ground.service.queue.now().milliseconds) << 20 | 7
            let ids =
                (1...2).map { JobKey(row: row, tag: $0).id } + [UUID(0x1234_5678_0000_4000, 0x8000_0000_0000_0001)]
            for _ in 1...2 {
                for id in ids {
                    try ground.user.execute(
                        "INSERT INTO \(ground.schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(InboxGround.push())')"
                    )
                }
                try await ground.move()
            }
            #expect(try await ground.service.deliver() == 3)
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.outcomes() == Dictionary(uniqueKeysWithValues: ids.map { ($0, "accepted") }))
        }
    }

    @Test func `among pushes that replace each other, one for later has the place of its delivery time`() async throws {
        try await InboxGround.with { ground in
            let now = try await ground.service.queue.now()
            let due = QueueTime(milliseconds: (now + .seconds(3600)).milliseconds / 1000 * 1000)
            let time = RFC3339.text(millisecondsSince1970: due.milliseconds)
            let (collapse, later) = (#","collapse_id":"score""#, #","deliver_at":"\#(time)""#)
            let ids = try ["", collapse, later, collapse + later].map { try ground.enqueue(InboxGround.push($0)) }
            try await ground.move()
            let jobs = try await ground.service.queue.jobs(ids, app: "shop")
            let places = ids.map { id in
                jobs.first { $0.id == id }.flatMap { PushDetails(encoded: $0.push)?.after }
            }
            #expect(places.prefix(3).allSatisfy { $0 == nil })
            let place = try #require(places[3])
            #expect((JobKey(place)?.row ?? 0) >> 20 == due.milliseconds)
            #expect(place > JobKey(row: (due.milliseconds - 1) << 20 | 0xFFFFF, tag: 0).id)
            #expect(place < JobKey(row: (due.milliseconds + 1) << 20, tag: 0).id)
        }
    }

    @Test func `a row for later is newer than an earlier push over HTTP, and older than a later one`() async throws {
        try await InboxGround.with { ground in
            let key = try await ground.service.key()
            let now = try await ground.service.queue.now()
            func push(_ seconds: Int) -> String {
                let time = RFC3339.text(millisecondsSince1970: (now + .seconds(seconds)).milliseconds)
                return InboxGround.push(#","collapse_id":"score","deliver_at":"\#(time)""#)
            }
            func post(_ seconds: Int) async throws -> UUID {
                let answer = try await ground.service.ask("POST", "/v1/notifications", push(seconds), key: key)
                return try #require(UUID(uuidString: answer.string("id") ?? ""))
            }
            let ids = [try await post(7202), try ground.enqueue(push(7201)), try await post(7200)]
            try await ground.move()
            let jobs = try await ground.service.queue.jobs(ids, app: "shop")
            let places = ids.compactMap { id in
                jobs.first { $0.id == id }.map { PushDetails(encoded: $0.push)?.after ?? $0.id }
            }
            #expect(places.count == 3 && places == places.sorted().reversed())
        }
    }

    @Test func `a row that waited longer than half of the time that jobs are kept is not sent`() async throws {
        try await InboxGround.with(longestWait: .seconds(60)) { ground in
            let id = try ground.enqueue(InboxGround.push())
            let late = try ground.enqueue(InboxGround.push(#","ttl":"20s""#))
            try ground.user.execute(
                """
                UPDATE \(ground.schema).inbox SET at = at - interval '2 minutes' WHERE id = '\(id)';
                UPDATE \(ground.schema).inbox SET at = at - interval '30 seconds' WHERE id = '\(late)'
                """)
            try await ground.move()
            #expect(try await ground.outcome(id)?.reason == "expired")
            #expect(try await ground.outcome(late)?.reason == "expired")
        }
    }

    @Test func `many rows of an app do not hold up those of another`() async throws {
        try await InboxGround.with { ground in
            try await ground.inbox.grant([.send(app: "news")], to: PostgresServer.user)
            for _ in 1...1200 { _ = try ground.enqueue(InboxGround.push()) }
            let other = try ground.enqueue(InboxGround.push(), app: "news")
            #expect(try await ground.mover.round())
            #expect(try await ground.mover.round())
            #expect(try await ground.service.queue.jobs([other], app: "news").count == 1)
            #expect(try await ground.service.queue.counts()["shop"]?.unfinished == 500)
            try await ground.move()
            #expect(try await ground.service.queue.counts()["shop"]?.unfinished == 1200)
        }
    }

    @Test func `rows wait while the queue is full`() async throws {
        try await InboxGround.with({ $0.limits.queueDepth = 4 }) { ground in
            let ids = try (1...2).map { _ in try ground.enqueue(InboxGround.push()) }
            _ = try await ground.service.queue.enqueue(
                EnqueueRequest(
                    (0..<4).map { _ in NewQueueJob(to: .device("ab"), payload: Array("{}".utf8)) }, app: "shop"))
            #expect(try await ground.mover.round() == false)
            // The waiting rows are looked through each time.
            #expect(ground.mover.rest(after: .milliseconds(20), .milliseconds(1)) == .milliseconds(400))
            #expect(try await ground.service.queue.jobs(ids, app: "shop").isEmpty)
            try await ground.service.deliver()
            // The numbers of the queue are kept for a moment.
            while try await !ground.mover.round() { try Task.checkCancellation() }
            #expect(try await ground.service.queue.jobs(ids, app: "shop").count == 2)
        }
    }
}
