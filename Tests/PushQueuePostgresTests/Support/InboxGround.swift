import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// An inbox in a schema of its own, and a connection of a user who may send pushes of the app "shop".
struct InboxGround {
    let address: PostgresAddress
    let inbox: PostgresInbox
    let user: PostgresConnection
    /// The schema as SQL has it.
    let schema: String

    init(_ given: PostgresServer? = nil, schema suffix: String = "") async throws {
        let server = try #require(try given ?? PostgresServer.shared())
        let name = server.newSchema()
        // The path may have the schema, as that of a role can.
        address = try PostgresAddress(server.address(schema: name) + "&options=-c%20search_path%3D\(name)")
        let contract = try InboxContract(schema: name + suffix)
        inbox = PostgresInbox(address, contract, lookPace: .seconds(3600), options: .patient)
        schema = contract.quoted
        user = try PostgresConnection(address, .patient)
        try await inbox.install()
        try await inbox.grant([.send(app: "shop")], to: PostgresServer.user)
    }

    static let push = #"{"token":"\#(String(repeating: "a", count: 64))","payload":{"aps":{"alert":"Hello"}}}"#

    @discardableResult
    func enqueue(_ push: String = push, app: String = "shop", on connection: PostgresConnection? = nil) throws -> UUID {
        let rows = try (connection ?? user).rows(
            "SELECT \(schema).enqueue($1::text, $2::text::json)", .text(app), .text(push))
        return try #require(rows.first?.uuid(0))
    }

    /// Takes and deletes rows until there are none.
    func drain() async throws -> [PostgresInbox.Row] {
        var all: [PostgresInbox.Row] = []
        while true {
            let rows = try await inbox.take(served: ["shop"], from: ["shop"])
            if rows.isEmpty { return all }
            try await inbox.clear(rows)
            all += rows
        }
    }
}
