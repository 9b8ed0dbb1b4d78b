import Foundation
import TestSupport
import Testing

/// The files for CI in the pages fit their schemas, and their commands work. Neither Docker nor GitHub is needed.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct CIPageTests {
    private static let checker: String? = BuiltProgram.python.flatMap { python in
        let file = URL(filePath: python).deletingLastPathComponent().appending(path: "check-jsonschema").path()
        return FileManager.default.isExecutableFile(atPath: file) ? file : nil
    }

    private static func page(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        return try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    // MARK: Schemas

    @Test(
        .enabled(if: checker != nil, "needs check-jsonschema beside Python"),
        arguments: [("mock.md", 2, 1)])
    func `the files for CI fit their schemas`(name: String, workflows: Int, composeFiles: Int) async throws {
        let files = try Self.page(name).split(separator: "```yaml\n").dropFirst().map { $0.split(separator: "```")[0] }
        let ofActions = files.filter { $0.contains("\njobs:\n") }
        let ofCompose = files.filter { $0.hasPrefix("services:\n") }
        #expect(ofActions.count == workflows && ofCompose.count == composeFiles)
        for (schema, files) in [("github-workflows", ofActions), ("compose-spec", ofCompose)] {
            for file in files { try await Self.check(String(file), by: schema) }
        }
    }

    private static func check(_ file: String, by schema: String) async throws {
        let ended = try await result(of: file, by: schema)
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)\n\(file)")
    }

    private static func result(of file: String, by schema: String) async throws -> Ended {
        let workspace = try Workspace()
        try workspace.write(file, to: "file.yaml")
        return try await workspace.run(
            [try #require(checker), "--builtin-schema", "vendor.\(schema)", workspace.path("file.yaml")])
    }

    @Test(.enabled(if: checker != nil, "needs check-jsonschema beside Python"))
    func `a mistake in such a file is found`() async throws {
        #expect(try await Self.result(of: "services: {a: {image: 7}}", by: "compose-spec").status == 1)
        #expect(try await Self.result(of: "on: push\njobs: {a: {steps: []}}", by: "github-workflows").status == 1)
        #expect(
            try await Self.result(of: "on: push\njobs:\n  - run: curl -H \"a: b\"", by: "github-workflows").status == 1)
    }

    // MARK: Commands

    /// The container's name resolves to this machine, and the ports are free ones. The compose section points to the same commands.
    @Test(arguments: ["localhost", "mock"])
    func `the tests of another container fetch what they need, and push`(host: String) async throws {
        let section = "\n### GitHub Actions service container\n"
        let text = try #require(try Self.page("mock.md").components(separatedBy: section).last)
        let lines = text.components(separatedBy: "\n## ")[0].split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let commands = lines.filter { $0.hasPrefix("curl ") }
        #expect(commands.count == 2)
        let workspace = try Workspace()
        try workspace.write("a-token-for-tests\n", to: "token")
        let flags = ["--listen", "0.0.0.0", "--name", "mock", "--console-port", "0", "--access-token-file", "token"]
        try await RunningMock.with(flags, in: workspace) { mock in
            let port = try #require(JSON(parsing: workspace.read("mock/running.json"))["consolePort"]?.integer)
            let resolved = [port, mock.port].map { "resolve = \"mock:\($0):127.0.0.1\"\n" }.joined()
            try workspace.write(resolved, to: "home/.curlrc")
            let program = BuiltProgram.pushsend.path()
            let ended = try await workspace.shell(
                """
                set -e
                '\(program)' mock ready --quiet --state mock
                export MOCK_URL=http://\(host):\(port) PUSHSEND_MOCK_TOKEN=a-token-for-tests
                \(commands.joined(separator: "\n"))
                token=$('\(program)' jwt --key key.p8 --key-id MOCKKEY123 --team-id MOCKTEAM12)
                curl -sS --http2 --cacert ca.pem -H "authorization: bearer $token" -H 'apns-topic: com.example.app' \
                    -H 'apns-push-type: alert' -d '{"aps":{"alert":"Hi"}}' -w '%{http_code}\\n' \
                    https://\(host):\(mock.port)/3/device/0f0f
                """)
            #expect(ended.output == "200\n" && ended.status == 0, "\(ended.output)\(ended.errors)")
        }
    }

    @Test func `the command of the compose file is the one that is tested here`() throws {
        let page = try Self.page("mock.md")
        #expect(page.contains("\n    command: mock --listen 0.0.0.0 --name mock --console-port 2198\n"))
        #expect(page.contains("pushsend mock exec --fail-on violations --junit mock.xml --dump pushes.jsonl -- "))
    }
}
