import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxOutcomeTests {
    private static let token = String(repeating: "a", count: 64)
    private static let time = QueueTime(milliseconds: 1_800_000_000_000)

    private func outcome(_ number: UInt64, _ outcome: QueueJobOutcome = .accepted) -> InboxOutcome {
        var job = QueueJobRecord(
            id: UUID(1, number), app: "shop", target: .device(Self.token), queued: Self.time, due: Self.time)
        (job.finished, job.outcome) = (Self.time, outcome)
        return InboxOutcome(id: job.id, job)
    }

    private func reasons(_ ground: InboxGround) throws -> [String] {
        try ground.user.rows("SELECT outcome || ' ' || coalesce(reason, '') FROM \(ground.schema).outcome ORDER BY id")
            .map {
                $0.text(0)
            }
    }

    @Test func `outcomes and position are stored together, once, and a first outcome stays`() async throws {
        let ground = try await InboxGround()
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        #expect(try await ground.inbox.position(of: "q", startingAt: one) == one)
        var gone = QueueJobOutcome(.rejected, reason: "Unregistered", detail: "a zero\0byte")
        (gone.status, gone.goneSince) = (410, Self.time)
        #expect(try await ground.inbox.store([outcome(1), outcome(2, gone)], of: "q", from: one, to: two))
        #expect(try await ground.inbox.store([outcome(3)], of: "q", from: one, to: two) == false)
        #expect(try await ground.inbox.position(of: "q", startingAt: one) == two)
        #expect(try await ground.inbox.store([outcome(1, gone)], of: "q", from: two, to: one))
        #expect(try reasons(ground) == ["accepted ", "rejected Unregistered"])
        let row = try ground.user.rows(
            "SELECT status, extract(epoch FROM gone_since)::int8, token, detail FROM \(ground.schema).outcome WHERE status = 410"
        ).first
        #expect(row?.number(0) == 410 && row?.integer(1) == 1_800_000_000 && row?.text(2) == Self.token)
        await ground.inbox.close()
    }

    @Test func `a trigger that raises leaves outcomes and position as they were`() async throws {
        let ground = try await InboxGround()
        try ground.user.execute(
            """
            CREATE FUNCTION \(ground.schema).fail() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''card 4242 of %'', NEW.token; END';
            CREATE TRIGGER fail AFTER INSERT ON \(ground.schema).outcome FOR EACH ROW EXECUTE FUNCTION \(ground.schema).fail()
            """)
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let inbox = ground.inbox
        let rows = [outcome(1)]
        let error = await #expect(throws: QueueError.self) {
            _ = try await inbox.store(rows, of: "q", from: one, to: two)
        }
        #expect(error?.code == .unusable)
        #expect(
            error?.description.contains("PL/pgSQL function") == true && error?.description.contains("P0001") == true)
        #expect(error?.description.contains("4242") == false && error?.description.contains("report this") == false)
        #expect(try await ground.inbox.position(of: "q", startingAt: two) == one)
        #expect(try reasons(ground).isEmpty)
        // Rows are moved all the same.
        try ground.enqueue()
        #expect(try await ground.drain().count == 1)
        try ground.user.execute("DROP TRIGGER fail ON \(ground.schema).outcome")
        #expect(try await ground.inbox.store(rows, of: "q", from: one, to: two))
        await ground.inbox.close()
    }

    @Test(arguments: [
        ("'BEGIN EXECUTE ''SELECT 1 / 0, 4242''; RETURN NULL; END'", "22012"),
        ("'BEGIN RAISE EXCEPTION ''4242'' USING ERRCODE = ''42501''; END'", "SECURITY DEFINER"),
        ("'BEGIN DELETE FROM no_such_4242; RETURN NULL; END'", "42P01"),
    ])
    func `whatever a trigger fails with, its function is named and its data is not`(
        body: String, sign: String
    ) async throws {
        let ground = try await InboxGround()
        try ground.user.execute(
            """
            CREATE FUNCTION \(ground.schema).fail() RETURNS trigger LANGUAGE plpgsql AS \(body);
            CREATE TRIGGER fail AFTER INSERT ON \(ground.schema).outcome FOR EACH ROW EXECUTE FUNCTION \(ground.schema).fail()
            """)
        let one = QueueResultCursor(number: 1)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let (inbox, rows) = (ground.inbox, [outcome(1)])
        let error = await #expect(throws: QueueError.self) {
            _ = try await inbox.store(rows, of: "q", from: one, to: QueueResultCursor(number: 2))
        }
        let text = error?.description ?? ""
        #expect(text.contains("fail() line 1") && text.contains(sign) && !text.contains("4242"), "\(text)")
        await ground.inbox.close()
    }

    @Test func `outcomes are dropped after seven days in which the feed ran`() async throws {
        let ground = try await InboxGround()
        let one = QueueResultCursor(number: 1)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        _ = try await ground.inbox.store([outcome(1)], of: "q", from: one, to: QueueResultCursor(number: 2))
        let times = "SET kept = to_timestamp(1800000000) - interval '1 minute', seen = clock_timestamp() - interval"
        try ground.user.execute("UPDATE \(ground.schema).position \(times) '30 seconds'")
        try await ground.inbox.dropOld(of: "q")
        #expect(try reasons(ground).count == 1)
        // It was down for eight days: they count as two minutes.
        try ground.user.execute("UPDATE \(ground.schema).position \(times) '8 days'")
        try await ground.inbox.dropOld(of: "q")
        #expect(try reasons(ground).isEmpty)
        await ground.inbox.close()
    }

    @Test(arguments: [token, token.uppercased()])
    func `erasing a token in any spelling reaches rows and outcomes, and rows that PostgreSQL cannot read`(
        token: String
    ) async throws {
        let ground = try await InboxGround()
        let one = QueueResultCursor(number: 1)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        _ = try await ground.inbox.store([outcome(1)], of: "q", from: one, to: QueueResultCursor(number: 2))
        try ground.enqueue(#"{"token":"\#(Self.token.uppercased())","payload":"\u0000"}"#)
        let other = try ground.enqueue(#"{"token":"\#(String(repeating: "b", count: 64))","payload":"\u0000"}"#)
        let kept = try await ground.inbox.export(token: token, app: "shop", after: nil)
        let lines = kept.lines.map { String(decoding: $0, as: UTF8.self) }
        #expect(lines.count == 2 && kept.next == nil && lines.allSatisfy { !$0.contains("\n") }, "\(lines)")
        #expect(lines.contains { $0.contains("\"push\"") } && lines.contains { $0.contains("\"accepted\"") })
        #expect(try await ground.inbox.export(token: token, app: "news", after: nil).lines.isEmpty)
        #expect(try await ground.inbox.erase(token: token, app: "news") == 0)
        #expect(try await ground.inbox.erase(token: token, app: "shop") == 2)
        #expect(try await ground.drain().map(\.id) == [other])
        await ground.inbox.close()
    }
}
