import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct JWTCommandTests {
    @Test func `jwt prints a provider token of three parts, and nothing else`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let before = Int(Date().timeIntervalSince1970)
        let ended = try await workspace.pushsend("jwt", "--key", key, "--team-id", Workspace.teamID)
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        let token = ended.output.trimmingCharacters(in: .newlines)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(Self.decoded(parts[0]) == ["alg": "ES256", "kid": "ABC123DEFG"])
        let claims = Self.decoded(parts[1])
        #expect(claims.keys == ["iss", "iat"])
        #expect(claims["iss"] == "DEF123GHIJ")
        let issuedAt = try #require(claims["iat"]?.integer)
        #expect((before - 2400...Int(Date().timeIntervalSince1970)).contains(issuedAt))
        #expect(Data(base64Encoded: Self.base64(parts[2]))?.count == 64)
    }

    @Test func `jwt --json gives the token with its times`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend("jwt", "--key", key, "--team-id", Workspace.teamID, "--json")
        #expect(ended.status == 0)
        #expect(ended.json.keys == ["token", "key_id", "team_id", "issued_at", "expires_at"])
        #expect(ended.json["key_id"] == "ABC123DEFG")
        #expect(ended.json["team_id"] == "DEF123GHIJ")
        let token = try #require(ended.json["token"]?.string)
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let issuedAt = try #require(Self.decoded(parts[1])["iat"]?.integer)
        #expect(ended.json["issued_at"]?.integer == issuedAt)
        #expect(ended.json["expires_at"]?.integer == issuedAt + 3600)
    }

    @Test func `jwt without a key asks for one`() async throws {
        expectRefusal(try await Workspace().pushsend("jwt"), 64, "--key", "--mock")
    }

    @Test func `the watch for secrets sees a provider token and a key`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let token = try await workspace.pushsend("jwt", "--key", key, "--team-id", Workspace.teamID)
        #expect(workspace.secrets(in: token).count == 1)
        let file = try await workspace.run(["cat", key])
        #expect(!workspace.secrets(in: file).isEmpty)
    }

    private static func base64(_ part: Substring) -> String {
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    private static func decoded(_ part: Substring) -> JSON {
        JSON(parsing: String(decoding: Data(base64Encoded: base64(part)) ?? Data(), as: UTF8.self))
    }
}
