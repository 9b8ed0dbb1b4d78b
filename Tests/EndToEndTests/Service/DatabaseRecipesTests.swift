import Foundation
import TestSupport
import Testing

/// The recipes of docs/your-database.md for Python: `Clients/database` has them.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct DatabaseRecipesTests {
    private static let canRun =
        PostgresServer.isInstalled && ["psycopg", "sqlalchemy", "django"].allSatisfy(BuiltProgram.pythonHas)

    @Test(.enabled(if: canRun, "needs PostgreSQL, and psycopg, SQLAlchemy and Django beside Python"))
    func `a push of psycopg, SQLAlchemy or Django exists exactly if its transaction commits`() async throws {
        let server = try #require(try PostgresServer.shared())
        let python = try #require(BuiltProgram.python)
        let address = "postgres://\(PostgresServer.user):\(PostgresServer.password)@127.0.0.1:\(server.port)/postgres"
        let workspace = try Workspace()
        for words in [["install"], ["grant", "--role", PostgresServer.user, "--app", "shop"]] {
            let ended = try await workspace.start(
                BuiltProgram.pushserve, ["inbox"] + words + ["--database", address]
            ).end()
            #expect(ended.status == 0, "\(ended.errors)")
        }
        let ended = try await workspace.start(
            URL(filePath: "/usr/bin/env"), [python, BuiltProgram.client("database/recipes.py"), address],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"], limit: .seconds(600)
        ).end()
        #expect(ended.status == 0, "\(ended.output)\(ended.errors.suffix(4000))")
    }
}
