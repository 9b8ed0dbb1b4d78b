import Foundation
import TestSupport
import Testing

/// A `pushserve run` in front of a mock, in the folder of the mock.
final class RunningPushserve: Sendable {
    let workspace: Workspace
    let program: RunningProgram
    let url: String

    /// Writes the configuration and starts the service.
    ///
    /// - Parameters:
    ///   - mock: Where its only app, `shop`, sends its pushes.
    ///   - credentials: The line of the configuration with its credentials; `nil` for the key of the mock.
    ///   - openFiles: How many files it may open; `nil` for as many as the tests.
    ///   - inbox: The address of its inbox in PostgreSQL; `nil` for none.
    /// - Throws: What prevents the start.
    init(
        before mock: RunningMock, credentials: String? = nil, openFiles: Int? = nil, inbox: String? = nil
    ) async throws {
        workspace = mock.workspace
        let more = inbox.map { "inbox: {database: \"\($0)\"}\n" } ?? ""
        try workspace.write(Self.configuration(mock, credentials) + more, to: "pushserve.yaml")
        program = try Self.start(["run", "--json"], in: workspace, openFiles: openFiles)
        guard let line = await program.output.line(0) else {
            let ended = await program.end()
            throw RunningMock.NotReady(description: "The service ended with \(ended.status): \(ended.errors)")
        }
        url = try #require(JSON(parsing: line)["url"]?.string)
    }

    private static func configuration(_ mock: RunningMock, _ credentials: String?) throws -> String {
        """
        listen: 127.0.0.1:0
        database: queue.sqlite
        apps:
          shop:
            environment: {host: localhost, port: \(mock.port), ca: \(mock.caFile)}
            \(try credentials ?? key(of: mock))
            topic: \(RunningMock.topic)

        """
    }

    private static func key(of mock: RunningMock) throws -> String {
        let ready = try ["key_file", "key_id", "team_id"].map { try #require(mock.ready[$0]?.string) }
        return "key: {file: \(ready[0]), id: \(ready[1]), team: \(ready[2])}"
    }

    private static func start(
        _ arguments: [String], in workspace: Workspace, openFiles: Int? = nil
    ) throws -> RunningProgram {
        try workspace.start(
            BuiltProgram.pushserve, arguments + ["--config", "pushserve.yaml"], openFiles: openFiles,
            limit: .seconds(3600))
    }

    /// Makes an API key for its app.
    func key(_ scopes: String) async throws -> String {
        let ended = try await Self.start(
            ["key", "create", "--app", "shop", "--scope", scopes, "--json"], in: workspace
        )
        .end()
        return try #require(ended.json["key"]?.string, "\(ended.errors)")
    }

    /// Asks it with curl, and returns its answer.
    func curl(_ path: String, key: String, body: String? = nil) async throws -> JSON {
        let content = body.map { ["-H", "content-type: application/json", "-d", $0] } ?? []
        let ended = try await workspace.run(
            [
                "curl", "-sS", "--max-time", "250", "--noproxy", "*", "-H", "authorization: Bearer \(key)",
                "\(url)\(path)",
            ]
                + content)
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.json
    }

    /// Sends a push, and returns its outcome. On a busy machine, it can take longer than a request may wait.
    func outcome(of push: String, key: String) async throws -> JSON {
        let answer = try await curl("/v1/notifications?wait=60s", key: key, body: push)
        let id = try #require(answer["id"]?.string, "\(answer)")
        var job = answer["notification"]
        while true {
            if let outcome = job?["outcome"], outcome["kind"] != nil { return outcome }
            job = try await curl("/v1/notifications/\(id)", key: key)
            try Task.checkCancellation()
        }
    }

    /// Ends it with SIGTERM, and expects that it ends in order.
    func end(sourceLocation: SourceLocation = #_sourceLocation) async {
        program.terminate()
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.errors.suffix(2000))", sourceLocation: sourceLocation)
        #expect(workspace.secrets(in: ended).isEmpty, sourceLocation: sourceLocation)
    }
}
