import TestSupport
import Testing

/// The built program and a database with an inbox.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct InboxCommandTests {
    @Test func `an inbox is installed, granted and checked`() async throws {
        let ground = try Ground()
        let server = try #require(try PostgresServer.shared())
        let schema = server.newSchema()
        let place = ["--schema", schema, "--database", server.address(schema: schema) + "&connect_timeout=600"]
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
        let grant = try await run("grant", "--role", "o'\"x", "--app", "shop", "--sql")
        #expect(grant.output.contains(#"VALUES ('"o''""x"'::regrole, 'shop')"#), "\(grant.errors)")
    }

    @Test(arguments: [
        (["revoke"], ["The subcommands are install, grant, check."]),
        (["setup"], ["Did you mean install?"]),
        (["install", "postgres://owner@db/shop"], ["postgres://owner@db/shop", "Write --database before"]),
        (["install", "--sql", "--schema", "pg_shop"], ["must not begin with \"pg_\""]),
        (["install", "--schema", "pg_shop", "--database", "postgres://owner@127.0.0.1:1/shop"], ["\"pg_\""]),
        (["check", "--database", "shop"], ["postgres://user@host:5432/database"]),
        (["grant", "--rol", "shop", "--service"], ["Unknown option '--rol'. Did you mean --role?"]),
        (["grant", "--role", "shop", "--serivce"], ["Unknown option '--serivce'. Did you mean --service?"]),
        (["grant", "--role", "shop", "--app", "shop,news", "--sql"], ["isn't a name for an app", "repeat --app"]),
        (["grant", "--role", "shop", "--app", "", "--sql"], ["isn't a name for an app"]),
    ])
    func `a mistake in a command line gets a sentence that helps`(words: [String], signs: [String]) async throws {
        let ground = try Ground()
        defer { withExtendedLifetime(ground) {} }
        let ended = try await ground.start(["inbox"] + words, environment: [:], input: "").end()
        #expect(ended.status == 64 && ended.output.isEmpty, "\(ended.output)")
        for sign in signs { #expect(ended.errors.contains(sign), "\(ended.errors)") }
        #expect(!ended.errors.contains("[user]"), "\(ended.errors)")
    }

    @Test func `the schema of the address is that of the inbox, and an app must be configured`() async throws {
        let ground = try Ground()
        let server = try #require(try PostgresServer.shared())
        let schema = server.newSchema()
        try ground.configure("inbox: {database: \"\(server.address(schema: schema))&connect_timeout=600\"}")
        for words in [["install"], ["grant", "--role", PostgresServer.user, "--app", "shop"], ["check"]] {
            let ended = try await ground.start(["inbox"] + words).end()
            #expect(ended.status == 0, "\(words): \(ended.output)\(ended.errors)")
        }
        let checked = try await ground.pushserve("inbox", "check")
        #expect(checked.output.contains("schema \"\(schema)\""), "\(checked.output)")
        let other = try await ground.pushserve("inbox", "grant", "--role", PostgresServer.user, "--app", "shpo")
        #expect(
            other.status == 64 && other.errors.contains("no app \"shpo\". Did you mean \"shop\"?"), "\(other.errors)")
    }
}
