import Foundation
import TestSupport
import Testing

/// An inbox in PostgreSQL, in a schema that no other test uses.
struct DoorInbox: Sendable {
    let address: String
    private let schema: String
    private let database: String

    /// Before the names of its functions and tables that take a push.
    static let place = "SQL "

    /// Installs one; `nil` without PostgreSQL.
    static func installed(in workspace: Workspace) async throws -> DoorInbox? {
        guard let server = try PostgresServer.shared() else { return nil }
        let schema = server.newSchema()
        let inbox = DoorInbox(
            address: server.address(schema: schema), schema: schema,
            database: "postgres://\(PostgresServer.user):\(PostgresServer.password)@127.0.0.1:\(server.port)/postgres")
        for words in [["install"], ["grant", "--role", PostgresServer.user, "--app", "shop"]] {
            let ended = try await workspace.start(
                BuiltProgram.pushserve, ["inbox"] + words + ["--database", inbox.address]
            ).end()
            #expect(ended.status == 0, "\(ended.errors)")
        }
        return inbox
    }

    /// The command for a call, in which `@` stands for the schema and `%` for the push. It prints an id.
    func psql(_ call: String, _ push: String) -> [String] {
        let sql = call.replacingOccurrences(of: "@", with: schema).replacingOccurrences(of: "%", with: push)
        return ["psql", database, "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql]
    }

    /// The functions and tables that take JSON, from the SQL that makes an inbox.
    static func places(in sql: String) -> Set<String> {
        var (places, name): (Set<String>, String) = ([], "")
        for line in sql.split(separator: "\n") {
            if line.hasPrefix("CREATE"), let parts = line.wholeMatch(of: /CREATE .*(FUNCTION|TABLE).*"\.(\w+) ?\(.*/) {
                name = String(parts.2)
            }
            if line.contains(/\b(push|pushes) json\b/) { places.insert(place + name) }
        }
        return places
    }
}
