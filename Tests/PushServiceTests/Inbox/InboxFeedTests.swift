import Logging
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import QueueConformance
import ServiceLifecycle
import TestSupport
import Testing

@testable import PushQueuePostgres
@testable import PushService

/// The outcomes that come back into the database of an inbox.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxFeedTests {
    @Test func `a queue that is older than the outcomes is noticed, and its outcomes are copied`() async throws {
        try await InboxGround.with { ground in
            let id = try ground.enqueue(InboxGround.push())
            try await ground.move()
            try await ground.service.deliver()
            let cursor = "999999999999999999"
            try ground.user.execute("UPDATE \(ground.schema).position SET cursor = '\(cursor)' WHERE queue = 'q'")
            let log = CapturedLog()
            var feed = ground.feed(log.logger)
            try await feed.round()
            try await feed.round()
            #expect(try ground.outcomes() == [id: "accepted"])
            #expect(log.lines.count { $0.contains("restored from a backup") } == 1)
        }
    }

    @Test func `positions that were emptied are restored, nothing is lost, and the log and the status say so`()
        async throws
    {
        try await InboxGround.with { ground in
            let first = try ground.enqueue(InboxGround.push())
            try await ground.move()
            let log = CapturedLog()
            var feed = ground.feed(log.logger)
            try await feed.round()
            try ground.user.execute("TRUNCATE \(ground.schema).position")
            try await ground.service.deliver()
            try await feed.round()
            #expect(try ground.outcomes() == [first: "accepted"])
            #expect(log.lines.count { $0.contains("was emptied") } == 1)
            let status = try await ground.service.ask("GET", "/v1/status", key: ground.service.key(["*"]))
            #expect(status.items("inboxes").first?.string("warning")?.contains("was emptied") == true, "\(status.text)")
            #expect(try await ground.inbox.check().isEmpty)

            // The same while no service runs: the queue knows the name of the inbox, which its pushes have.
            let second = try ground.enqueue(InboxGround.push())
            try await ground.move()
            try ground.user.execute("TRUNCATE \(ground.schema).position")
            let parts = ground.service.service.api.parts
            // An installation gives the inbox another name, which the queue does not take.
            try await ground.inbox.install()
            #expect(try await InboxFeed.name(ground.inbox, parts.queue) == ground.name)
            try await ground.service.deliver()
            var later = ground.feed(log.logger)
            try await later.round()
            #expect(try ground.outcomes() == [first: "accepted", second: "accepted"])
        }
    }

    @Test func `outcomes of an app that this worker doesn't know are copied, too`() async throws {
        try await InboxGround.with { ground in
            var (job, details) = (NewQueueJob(to: .device(InboxGround.token), payload: Array("{}".utf8)), PushDetails())
            details.inbox = ground.name
            (job.push, job.outcome) = (details.encoded, QueueJobOutcome(.notSent, reason: "elsewhere"))
            _ = try await ground.service.queue.enqueue(EnqueueRequest([job], app: "elsewhere"))
            _ = try ground.enqueue("{}")
            try await ground.move()
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.outcomes().values.sorted() == ["elsewhere", "invalid"])
        }
    }

    @Test func `a copy of a database is not served beside it until it has a name of its own`() async throws {
        let server = try #require(try PostgresServer.shared())
        try await InboxGround.with { ground in
            let (queue, user) = (ground.service.queue, ground.user)
            let names = (1...2).map { _ in "copy_\(server.newSchema())" }
            func inbox(_ name: String, hosts: Int = 1) throws -> PostgresInbox {
                let (host, schema) = ("127.0.0.1:\(server.port)", "inbox")
                let text = server.address(schema: schema).replacing("/postgres?", with: "/\(name)?")
                    .replacing(host, with: Array(repeating: host, count: hosts).joined(separator: ","))
                return PostgresInbox(try PostgresAddress(text), try InboxContract(schema: schema), options: .patient)
            }
            try user.execute("CREATE DATABASE \(names[0])")
            let template = try inbox(names[0])
            try await template.install()
            await template.close()
            try user.execute("CREATE DATABASE \(names[1]) TEMPLATE \(names[0])")
            let all = try [inbox(names[0]), inbox(names[1]), inbox(names[0], hosts: 2)]
            let both = Array(all.prefix(2))
            for inbox in both {
                let error = await #expect(throws: QueueError.self) {
                    _ = try await InboxFeed.name(inbox, among: both, queue)
                }
                #expect(error?.description.contains("DELETE FROM \"inbox\".position;") == true, "\(error as Any)")
            }
            let first = try await InboxFeed.name(all[0], queue)
            #expect(try await InboxFeed.name(all[0], among: all, queue) == first)
            #expect(try await InboxFeed.name(all[2], among: [all[0], all[2]], queue) == first, "another address")
            await #expect(throws: QueueError.self) { _ = try await InboxFeed.name(all[1], among: all, queue) }
            let settings = PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300))
            try PostgresConnection(all[1].address, settings).execute("DELETE FROM inbox.position")
            #expect(try await InboxFeed.name(all[1], among: all, queue) != first)
            for inbox in all { await inbox.close() }
        }
    }

    @Test func `a trigger on outcomes finds the tables of the user's own schema`() async throws {
        try await InboxGround.with { ground in
            let schema = ground.schema
            try ground.user.execute(
                """
                CREATE TABLE \(schema).seen (path text);
                CREATE FUNCTION \(schema).note() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN INSERT INTO \(schema).seen VALUES (current_setting(''search_path'')); RETURN NULL; END';
                CREATE TRIGGER note AFTER INSERT ON \(schema).outcome FOR EACH ROW EXECUTE FUNCTION \(schema).note()
                """)
            _ = try ground.enqueue("{}")
            try await ground.move()
            var feed = ground.feed()
            try await feed.round()
            let seen = try ground.user.run(PostgresStatement(PostgresText("SELECT path FROM \(schema).seen"), []))
            #expect(seen.map { $0.text(0) } == [#""$user", public"#])
        }
    }

    @Test func `outcomes become older while there is always another one, and while there is none`() async throws {
        try await InboxGround.with { ground in
            let (schema, user) = (ground.schema, ground.user)
            func times(_ which: String) throws -> String {
                let sql = "SELECT coalesce(max(seen)::text, '') FROM \(schema).position WHERE \(which)"
                return try user.run(PostgresStatement(PostgresText(sql), [])).first?.text(0) ?? ""
            }
            // The second page fails: without an end, a round has no page without outcomes either.
            try ground.user.execute(
                """
                CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN IF (SELECT count(*) FROM \(schema).outcome) > 500 THEN RAISE ''full''; END IF; RETURN NULL; END';
                CREATE TRIGGER fail AFTER INSERT ON \(schema).outcome FOR EACH STATEMENT EXECUTE FUNCTION \(schema).fail()
                """)
            let pushes = "[\(Array(repeating: "{}", count: 501).joined(separator: ","))]"
            try ground.user.execute("SELECT \(schema).enqueue_all('shop', '\(pushes)')")
            try await ground.move()
            let before = try times("queue = 'q'")
            var feed = ground.feed()
            await #expect(throws: QueueError.self) { try await feed.round() }
            #expect(try times("queue = 'q'") != before)
            try ground.user.execute("DROP TRIGGER fail ON \(schema).outcome")
            var settings = Inboxes.Settings(
                PostgresInbox(ground.inbox.address, ground.inbox.contract, options: .patient), poll: .seconds(1),
                outcomes: .all)
            settings.dropPace = .milliseconds(1)
            let inboxes = Inboxes(ground.service.service, [settings], keepJobs: .seconds(1000), logger: .silent)
            let group = ServiceGroup(services: [inboxes], logger: .silent)
            let running = Task { try await group.run() }
            var seen: Set<String> = []
            while seen.count < 4 {
                try Task.checkCancellation()
                seen.insert(try times("queue NOT IN ('', 'q')"))
                await Task.yield()
            }
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }

    @Test func `a trigger too slow for many outcomes gets fewer at once, and is named`() async throws {
        try await InboxGround.with { ground in
            let schema = ground.schema
            try ground.user.execute(
                """
                CREATE FUNCTION \(schema).slow() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN IF (SELECT count(*) FROM new) > 2 THEN PERFORM pg_sleep(10000); END IF; RETURN NULL; END';
                CREATE TRIGGER slow AFTER INSERT ON \(schema).outcome REFERENCING NEW TABLE AS new
                    FOR EACH STATEMENT EXECUTE FUNCTION \(schema).slow()
                """)
            for _ in 0..<9 { _ = try ground.enqueue("{}") }
            try await ground.move()
            var options = PostgresQueueOptions.patient
            options.statementTime = .seconds(3)
            let inbox = PostgresInbox(ground.inbox.address, ground.inbox.contract, options: options)
            var feed = InboxFeed(
                inbox, ground.service.service.api.parts, name: ground.name, queue: "q", includesAccepted: true, .silent)
            var errors: [String] = []
            while try ground.outcomes().count < 9, errors.count < 60 {
                do throws(QueueError) { try await feed.round() } catch { errors.append("\(error)") }
            }
            #expect(try ground.outcomes().count == 9)
            #expect(errors.first?.contains("slow() line 1 at PERFORM") == true, "\(errors)")
            #expect(errors.first?.contains("Fewer are stored at once") == true, "\(errors)")
            await inbox.close()
        }
    }

    @Test func `a running service moves rows, and says once why outcomes do not come`() async throws {
        try await InboxGround.with { ground in
            let log = CapturedLog()
            let schema = ground.schema
            try ground.user.execute(
                """
                CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no devices''; END';
                CREATE TRIGGER fail AFTER INSERT ON \(schema).outcome FOR EACH ROW EXECUTE FUNCTION \(schema).fail()
                """)
            let settings = Inboxes.Settings(
                PostgresInbox(ground.inbox.address, ground.inbox.contract, options: .patient), poll: .milliseconds(1),
                outcomes: .all)
            let inboxes = Inboxes(
                ground.service.service, [settings], keepJobs: .seconds(1000), logger: log.logger)
            let group = ServiceGroup(services: [inboxes], logger: .silent)
            let running = Task { try await group.run() }
            let bad = try ground.enqueue("{}")
            try await log.wait(for: "the error") { $0.contains { $0.contains("fail() line 1 at RAISE") } }
            let status = try await ground.service.ask("GET", "/v1/status", key: ground.service.key(["*"]))
            let failing = status.items("inboxes").first { $0.string("part") == "outcomes" }
            #expect(failing?["works"] == .bool(false), "\(status.text)")
            #expect(failing?.string("reason")?.contains("fail() line 1 at RAISE") == true)
            let good = try ground.enqueue(InboxGround.push())
            while try await ground.service.queue.jobs([good], app: "shop").isEmpty { try Task.checkCancellation() }
            try ground.user.execute("DROP TRIGGER fail ON \(schema).outcome")
            while try ground.outcomes()[bad] == nil { try Task.checkCancellation() }
            try await log.wait(for: "the end of it") {
                $0.contains { $0.contains("outcomes of the inbox works again") }
            }
            #expect(log.lines.count { $0.contains("fail() line 1 at RAISE") } == 1)
            #expect(!log.lines.contains { $0.contains("no devices") || $0.contains("report this") })
            let parts = ground.service.service.api.parts
            var page = ""
            while !page.contains("pushserve_inbox_moved_total{app=\"shop\"} 2") {
                try Task.checkCancellation()
                page = try await MetricsPage.text(
                    of: parts.metrics, queue: parts.queue, apps: parts.apps, version: parts.version)
            }
            #expect(page.contains("part=\"outcomes\"} 1"))
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }
}
