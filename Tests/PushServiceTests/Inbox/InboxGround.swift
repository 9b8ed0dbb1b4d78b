import Logging
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres
@testable import PushService

/// An inbox in PostgreSQL and a service whose queue is a SQLite file.
struct InboxGround {
    static let token = String(repeating: "a", count: 64)

    let service: RunningService
    let inbox: PostgresInbox
    let user: PostgresConnection
    let schema: String
    let name: String
    var mover: InboxMover

    /// Moves rows until there are none.
    mutating func move() async throws {
        while try await mover.round() {}
    }

    /// Ends the connection that has locked rows, as an administrator does.
    static func endMover(of inbox: PostgresInbox) throws {
        let settings = PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300))
        let administrator = try PostgresConnection(inbox.address, settings)
        let text = PostgresText(
            """
            SELECT pg_terminate_backend(pid) FROM pg_locks
            WHERE relation = '\(inbox.contract.quoted).inbox'::regclass AND pid <> pg_backend_pid()
            """)
        _ = try administrator.run(PostgresStatement(text, []))
    }

    func enqueue(_ push: String, app: String = "shop") throws -> UUID {
        let statement = PostgresText("SELECT \(schema).enqueue($1::text, $2::text::json)")
        let row = try user.run(PostgresStatement(statement, [.text(app), .text(push)])).first
        return try #require(row?.uuid(0))
    }

    func outcome(_ id: UUID) async throws -> QueueJobOutcome? {
        try await service.queue.jobs([id], app: "shop").first?.outcome
    }

    func feed(_ logger: Logger = .silent, accepted: Bool = true) -> InboxFeed {
        InboxFeed(
            inbox, service.service.api.parts, name: name, queue: "q", includesAccepted: accepted, logger)
    }

    /// The tokens of the rows of outcomes, by their reason or outcome.
    func tokens() throws -> [String: [String]] {
        let statement = PostgresText(
            "SELECT coalesce(reason, outcome), token FROM \(schema).outcome WHERE token IS NOT NULL ORDER BY token")
        let rows = try user.run(PostgresStatement(statement, [])).map { ($0.text(0), $0.text(1)) }
        return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }

    func outcomes() throws -> [UUID: String] {
        let statement = PostgresText("SELECT id, coalesce(reason, outcome) FROM \(schema).outcome")
        return Dictionary(
            try user.run(PostgresStatement(statement, [])).map { ($0.uuid(0), $0.text(1)) },
            uniquingKeysWith: { $1 })
    }

    static func with(
        longestWait: Duration = .seconds(1000), apps: [String: AppSettings] = RunningService.apps,
        _ change: (inout APIConfiguration) -> Void = { _ in },
        _ body: (inout InboxGround) async throws -> Void
    ) async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let contract = try InboxContract(schema: address.schema)
        let inbox = PostgresInbox(address, contract, options: .patient)
        try await inbox.install()
        try await inbox.grant([.send(app: "shop")], to: PostgresServer.user)
        let user = try PostgresConnection(
            address, PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300)))
        let name = try await inbox.name(earlier: nil)
        try await RunningService.with(apps: apps, inboxes: [inbox], change) { service in
            let mover = InboxMover(inbox, service.service.api.parts, name: name, longestWait: longestWait)
            var ground = InboxGround(
                service: service, inbox: inbox, user: user, schema: contract.quoted, name: name, mover: mover)
            var feed = ground.feed()
            try await feed.begin()
            try await body(&ground)
        }
        await inbox.close()
    }

    static func push(_ more: String = "", token: String = InboxGround.token) -> String {
        #"{"token":"\#(token)","payload":{"aps":{"alert":"Hello"}}\#(more)}"#
    }
}
