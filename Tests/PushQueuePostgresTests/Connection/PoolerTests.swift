import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// A pooler before the server, as many hosts have one. What needs a session of its own refuses it; SQL doesn't notice it.
@Suite(.enabled(if: PostgresServer.isInstalled && Pooler.program != nil), .timeLimit(.minutes(10)))
struct PoolerTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(try PostgresServer.shared())
    }

    private func pooler(_ mode: String, dropsOptions: Bool = true) async throws -> Pooler {
        let server = server
        return try await Blocking.run { try Pooler(server, mode: mode, dropsOptions: dropsOptions) }
    }

    @Test(arguments: [("transaction", true), ("session", true), ("transaction", false)])
    func `a queue and an inbox aren't used through a pooler`(mode: String, dropsOptions: Bool) async throws {
        let pooler = try await pooler(mode, dropsOptions: dropsOptions)
        let ground = try await InboxGround()
        let address = try PostgresAddress(pooler.through(server.address(schema: server.newSchema()), server))
        let inbox = PostgresInbox(
            address, try InboxContract(schema: ground.schema), lookPace: .seconds(3600), options: .patient)
        let errors = [
            await #expect(throws: QueueError.self) { _ = try await PostgresQueue(address, options: .patient) },
            await #expect(throws: QueueError.self) { _ = try await inbox.take(served: ["shop"], from: ["shop"]) },
        ]
        for error in errors {
            let text = error?.description ?? ""
            #expect(text.contains("is a connection pooler, such as PgBouncer"), "\(text)")
            #expect(text.contains("Put the address of the server itself") && !text.contains("secret"), "\(text)")
            #expect(error?.code == .unusable)
        }
    }

    @Test(
        arguments: [("7", "m", false), ("8", "m", false), ("7", nil, false), ("8", nil, true)]
            as [(String, String?, Bool)])
    func `a proxy that leaves the session alone is no pooler`(process: String, mark: String?, isPooler: Bool) {
        #expect(PostgresConnection.isPooler(process: process, of: 7, mark: mark, of: "m") == isPooler)
    }

    @Test func `a push is enqueued through a pooler, if and only if the transaction commits`() async throws {
        let pooler = try await pooler("transaction")
        let ground = try await InboxGround()
        var settings = PostgresSettings.patient
        settings.takesPooler = true
        let address = try PostgresAddress(pooler.through(server.address(schema: "public"), server))
        let push = InboxGround.push
        let clients = try (1...3).map { _ in try PostgresConnection(address, settings) }
        for (client, end) in zip(clients, ["COMMIT", "ROLLBACK", "COMMIT"]) {
            try client.execute("BEGIN; SELECT \(ground.schema).enqueue('shop', '\(push)'::json)")
            try client.execute(end)
        }
        #expect(try await ground.drain().count == 2)
    }

    @Test func `a device table behind a pooler is read, or its version is what the error names`() async throws {
        let pooler = try await pooler("transaction")
        let address = try PostgresAddress(pooler.through(server.address(schema: "public"), server))
        let queries = RecipientQueries(ofUser: "SELECT 'aa' AS token WHERE $1 = ''")
        let tables = (1...2).map { _ in PostgresRecipients(address, queries, patience: 60) }
        do throws(QueueError) {
            for table in tables + tables {
                #expect(try await table.devices(of: [""], atClaim: true)[0].map(\.token) == ["aa"])
            }
        } catch {
            #expect(error.description.contains("PgBouncer must be 1.21 or newer"), "\(error)")
        }
    }
}
