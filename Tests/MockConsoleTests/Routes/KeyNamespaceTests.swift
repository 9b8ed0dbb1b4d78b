import Foundation
import HTTPTypes
import MockAPNs
import PushJSON
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

/// Namespaces that a key id chooses on the mock's usual port.
@Suite(.timeLimit(.minutes(10))) struct KeyNamespaceTests {
    private static func client(_ console: Console, keyID: String) throws -> PushClient {
        let credentials = console.mock.credentials
        let key = try PushProviderKey(p8: credentials.p8.utf8, keyID: keyID, teamID: credentials.teamID)
        return try PushClient.sample(.local(port: console.mock.port), key: key)
    }

    /// Sends one push with each provider token, all on one connection.
    ///
    /// - Returns: For each, the status and the number of connections that curl had to make.
    private static func curl(_ mock: MockServer, _ tokens: [String]) async throws -> [String] {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let authority = try folder.write(mock.credentials.authority, to: "ca.pem")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["curl"]
            + tokens.map { token in
                [
                    "-s", "--http2", "--cacert", authority, "-o", "/dev/null", "-w",
                    "%{http_code} %{num_connects}\n", "-H", "authorization: bearer \(token)", "-H",
                    "apns-topic: com.example.app", "-d", #"{"aps":{"alert":"Hello"}}"#,
                    "https://localhost:\(mock.port)/3/device/\(DeviceToken.sampleHex)",
                ]
            }.joined(separator: ["--next"])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = await Task.detached { pipe.fileHandleForReading.readDataToEndOfFile() }.value
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `the key id of the provider token chooses the namespace, on one port and with one key`() async throws {
        let console = try await Console()
        let made = await console.ask(
            .post, "/v1/namespaces",
            #"{"name": "team-a", "key_ids": ["TEAMAKEY01"], "settings": {"unknown_tokens": "reject"}}"#)
        #expect(made.status == 201 && made["key_ids", "0"]?.string == "TEAMAKEY01", "\(made.text)")
        let inside = try Self.client(console, keyID: "TEAMAKEY01")
        #expect("\(try await inside.outcome(of: .sample()))".contains("BadDeviceToken"))
        #expect("\(try await inside.outcome(of: .sample()))".contains("BadDeviceToken"))
        try await console.push()
        #expect(await console.ask(.get, "/v1/namespaces/team-a/pushes/count")["count"]?.integer == 2)
        #expect(await console.ask(.get, "/v1/pushes/count")["count"]?.integer == 1)
        // The connection moved: here it ended, there it goes on with both streams.
        let first = await console.ask(.get, "/v1/connections/1")
        #expect(first["end", "how"]?.string?.contains("namespace") == true, "\(first.text)")
        let moved = await console.ask(.get, "/v1/namespaces/team-a/connections/1")
        #expect(moved["requests"]?.integer == 2 && moved["is_open"]?.bool == true, "\(moved.text)")
        #expect(await console.ask(.get, "/v1/namespaces/team-a/pushes/1/frames").status == 200)
        await inside.shutdown()
        await console.end()
    }

    @Test func `faults and the clock of the namespace act, and those of others do not`() async throws {
        let console = try await Console()
        await console.ask(.post, "/v1/namespaces", #"{"name": "team-a", "key_ids": ["TEAMAKEY01"]}"#)
        await console.ask(
            .post, "/v1/namespaces/team-a/faults",
            #"{"steps": [{"answer": {"status": 503, "reason": "ServiceUnavailable"}}]}"#)
        let inside = try Self.client(console, keyID: "TEAMAKEY01")
        #expect("\(try await inside.outcome(of: .sample()))".contains("503"))
        try await console.push()
        #expect(await console.ask(.get, "/v1/pushes/latest")["status"]?.integer == 200)
        await inside.shutdown()
        await console.end()
    }

    @Test func `a connection that changes its key moves, and back, and each request is logged where it belongs`()
        async throws
    {
        let console = try await Console()
        await console.ask(.post, "/v1/namespaces", #"{"name": "team-a", "key_ids": ["TEAMAKEY01"]}"#)
        let credentials = console.mock.credentials
        let other = try PushProviderKey(p8: credentials.p8.utf8, keyID: "TEAMAKEY01", teamID: credentials.teamID)
        let keys = [try credentials.providerKey, other]
        let answers = try await Self.curl(console.mock, try (0..<6).map { try keys[$0 % 2].providerToken() })
        #expect(answers == ["200 1"] + Array(repeating: "200 0", count: 5), "one connection")
        #expect(await console.ask(.get, "/v1/pushes/count?q=status:200")["count"]?.integer == 3)
        #expect(await console.ask(.get, "/v1/namespaces/team-a/pushes/count?q=status:200")["count"]?.integer == 3)
        let kids = await console.ask(.get, "/v1/pushes")["items"]?.array?.compactMap { $0["key_id"]?.string }
        #expect(kids == Array(repeating: credentials.keyID, count: 3))
        await console.end()
    }

    @Test func `after the end of the namespace its key id is unknown, and a key id belongs to one namespace`()
        async throws
    {
        let console = try await Console()
        await console.ask(.post, "/v1/namespaces", #"{"name": "team-a", "key_ids": ["TEAMAKEY01"]}"#)
        let second = await console.ask(.post, "/v1/namespaces", #"{"name": "team-b", "key_ids": ["TEAMAKEY01"]}"#)
        #expect(second.status == 409 && second["code"]?.string == "key_id_in_use", "\(second.text)")
        #expect(await console.ask(.get, "/v1/namespaces/team-b").status == 404)
        for bad in [#"["short"]"#, #"["MOCKKEY123"]"#] {
            let answer = await console.ask(.post, "/v1/namespaces", #"{"name": "team-c", "key_ids": \#(bad)}"#)
            #expect(answer.status == 400, "\(answer.text)")
        }
        #expect(await console.ask(.delete, "/v1/namespaces/team-a").status == 204)
        let outside = try Self.client(console, keyID: "TEAMAKEY01")
        #expect("\(try await outside.outcome(of: .sample()))".contains("InvalidProviderToken"))
        await outside.shutdown()
        await console.end()
    }

    @Test func `a reset of the namespace keeps its key ids`() async throws {
        let console = try await Console()
        await console.ask(.post, "/v1/namespaces", #"{"name": "team-a", "key_ids": ["TEAMAKEY01"]}"#)
        #expect(await console.ask(.post, "/v1/namespaces/team-a/reset", "{}").status == 204)
        let inside = try Self.client(console, keyID: "TEAMAKEY01")
        #expect("\(try await inside.outcome(of: .sample()))".contains("accepted"))
        await inside.shutdown()
        await console.end()
    }
}
