import TestSupport
import Testing

/// The built program and a database with an inbox.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxCommandTests {
    @Test func `an inbox is installed, granted and checked`() async throws {
        let ground = try Ground()
        let server = try #require(try PostgresServer.shared())
        let schema = server.newSchema()
        let place = ["--schema", schema, "--database", server.address(schema: schema)]
        func run(_ words: String...) async throws -> (status: Int32, output: String, errors: String) {
            let ended = try await ground.start(["inbox"] + words + place, environment: [:], input: "").end()
            return (ended.status, ended.output, ended.errors)
        }
        let before = try await run("check")
        #expect(before.status == 66 && before.output.contains("pushserve inbox install"))
        #expect(try await run("grant", "--role", PostgresServer.user, "--app", "shop").status == 66)
        for _ in 1...2 { #expect(try await run("install").status == 0) }
        #expect(try await run("grant", "--role", PostgresServer.user, "--app", "shop", "--outcomes").status == 0)
        let nobody = try await run("grant", "--role", "nobody", "--service")
        #expect(nobody.status == 64 && nobody.errors.contains("no role \"nobody\""))
        let nothing = try await run("grant", "--role", "nobody")
        #expect(nothing.status == 64 && nothing.errors.contains("--app, --insert, --outcomes or --service"))
        let after = try await run("check")
        #expect(after.status == 0 && after.output.contains("can be used"))
        #expect(!after.output.contains(PostgresServer.password))
        let sql = try await run("install", "--sql")
        #expect(sql.status == 0 && sql.output.contains("CREATE TABLE IF NOT EXISTS \"\(schema)\".inbox"))
        let grant = try await run("grant", "--role", "o'\"x", "--app", "it's", "--sql")
        #expect(grant.output.contains(#"VALUES ('"o''""x"'::regrole, 'it''s')"#))
    }
}
