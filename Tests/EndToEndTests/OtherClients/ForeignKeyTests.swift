import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct ForeignKeyTests {
    /// Apple's page signs in the shell with `openssl dgst`, whose signature is DER and not r and s as RFC 7515 wants it.
    @Test func `a provider token that was made in the shell by Apple's recipe is accepted`() async throws {
        try await RunningMock.with { mock in
            let token = try await mock.workspace.shellToken(
                key: "mock/AuthKey_MOCKKEY123.p8", keyID: "MOCKKEY123", teamID: "MOCKTEAM12")
            let answer = try await mock.curl(authorization: "bearer \(token)")
            #expect(answer.status == 200)
        }
    }

    @Test func `a foreign key is not accepted, and the log says which flag would do it`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try await RunningMock.with(in: workspace) { mock in
            let token = try await workspace.shellToken(key: key)
            let answer = try await mock.curl(authorization: "bearer \(token)")
            #expect(answer.status == 403)
            #expect(answer.reason == "InvalidProviderToken")
            let remedy = try #require(try await mock.request(1)["remedy"]?.string)
            #expect(remedy.contains("--trust-key FILE --key-id ABC123DEFG --team-id DEF123GHIJ"))
        }
    }

    @Test(arguments: [true, false])
    func `with --trust-key a foreign key is accepted, private or public`(isPrivate: Bool) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try await workspace.prepare("openssl pkey -in \(key) -pubout -out public.pem")
        let file = isPrivate ? key : "public.pem"
        try await RunningMock.with(
            "--trust-key", file, "--key-id", Workspace.keyID, "--team-id", Workspace.teamID, in: workspace
        ) { mock in
            let token = try await workspace.shellToken(key: key)
            #expect(try await mock.curl(authorization: "bearer \(token)").status == 200)
            #expect(try await mock.send(signedWith: key).status == 0)
        }
    }

    @Test func `the id of a trusted key can be read from the name of its file`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try await RunningMock.with("--trust-key", key, "--team-id", Workspace.teamID, in: workspace) {
            mock async throws in
            #expect(try await mock.send(signedWith: key).status == 0)
        }
    }

    @Test func `with --auth any every key is accepted, but a token must still be one`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try await RunningMock.with("--auth", "any", in: workspace) { mock async throws in
            #expect(try await mock.send(signedWith: key).status == 0)
            #expect(try await mock.curl(authorization: "bearer garbage").status == 403)
        }
    }

    @Test func `of a mock that rejects unknown devices only registered ones are reached`() async throws {
        let known = String(repeating: "ab", count: 32)
        let other = String(repeating: "cd", count: 32)
        try await RunningMock.with(
            "--unknown-tokens", "reject", "--register", known, "--register", "\(other):com.example.other"
        ) { mock async throws in
            #expect(try await mock.send("-m", "Hello", to: [known]).status == 0)
            #expect(try await mock.send("-m", "Hello").output.contains("400 BadDeviceToken"))
            #expect(try await mock.send("-m", "Hello", to: [other]).output.contains("400 DeviceTokenNotForTopic"))
        }
    }

    @Test func `a key to trust that is none is refused at the start`() async throws {
        let workspace = try Workspace()
        try workspace.write("nothing", to: "nothing.p8")
        let ids = ["--key-id", Workspace.keyID, "--team-id", Workspace.teamID]
        let mock = ["mock", "--port", "0", "--state", "mock"]
        expectRefusal(try await workspace.pushsend(mock + ["--trust-key", "nothing.p8"] + ids), 77, "nothing.p8")
        expectRefusal(try await workspace.pushsend(mock + ["--trust-key", "missing.p8"] + ids), 66, "missing.p8")
        expectRefusal(try await workspace.pushsend(mock + ["--trust-key", "nothing.p8"]), 64, "--team-id", "--help")
    }
}

extension Workspace {
    /// A provider token made with nothing but openssl, as in Apple's "Establishing a token-based connection to APNs".
    fileprivate func shellToken(
        key: String, keyID: String = keyID, teamID: String = teamID
    ) async throws -> String {
        let script = """
            encode() { openssl base64 -e -A | tr -- '+/' '-_' | tr -d =; }
            header=$(printf '{ "alg": "ES256", "kid": "\(keyID)" }' | encode)
            claims=$(printf '{ "iss": "\(teamID)", "iat": %d }' "$(date +%s)" | encode)
            signature=$(printf '%s' "$header.$claims" | openssl dgst -binary -sha256 -sign '\(key)' | encode)
            printf '%s' "$header.$claims.$signature"
            """
        return try await shell(script).output
    }
}
