import Foundation
import TestSupport
import Testing

/// Payloads and keys that come through pipes, from secret stores and from other programs.
@Suite(.takingTurns) struct PipedFileTests {
    let workspace: Workspace
    private let usual: String

    init() async throws {
        workspace = try Workspace()
        _ = try await workspace.makeKey()
        usual =
            "\(BuiltProgram.pushsend.path()) send \(RunningMock.token) --topic com.example.app --team-id DEF123GHIJ --dry-run"
    }

    private static let signed = "signed with key ABC123DEFG of team DEF123GHIJ"

    /// In bash, as people have it: `sh` may have no `<(...)`.
    private func bash(_ command: String, _ environment: [String: String] = [:]) async throws -> Ended {
        let exports = environment.map { "export \($0)='\($1)'; " }.joined()
        return try await workspace.run(["bash", "-c", exports + command])
    }

    @Test(arguments: [
        "--payload <(echo '{\"aps\":{\"alert\":\"piped\"}}')", "--payload /dev/stdin < payload.json",
        "--payload /dev/stdin <<< '{\"aps\":{\"alert\":\"piped\"}}'", "--payload - < payload.json",
    ])
    func `a payload comes through a pipe`(flags: String) async throws {
        try workspace.write(#"{"aps":{"alert":"piped"}}"#, to: "payload.json")
        let ended = try await bash("\(usual) --key AuthKey_ABC123DEFG.p8 \(flags)")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains(#"{"aps":{"alert":"piped"}}"#))
    }

    @Test func `an empty pipe is reported as empty`() async throws {
        for flags in ["--payload /dev/null", "--payload <(true)"] {
            let ended = try await bash("\(usual) --key AuthKey_ABC123DEFG.p8 \(flags)")
            #expect(ended.status == 65)
            #expect(ended.errors.contains("is empty, but"), "\(ended.errors)")
        }
        let key = try await bash("\(usual) -m x --key-id ABC123DEFG --key /dev/null")
        #expect(key.status == 65)
        #expect(key.errors.contains("a key (.p8) was expected"), "\(key.errors)")
    }

    @Test(arguments: [
        "--key <(cat AuthKey_ABC123DEFG.p8)", "--key - < AuthKey_ABC123DEFG.p8",
        "--key /dev/stdin < AuthKey_ABC123DEFG.p8",
    ])
    func `a key comes through a pipe, and needs its id`(flags: String) async throws {
        let ended = try await bash("\(usual) -m x --key-id ABC123DEFG \(flags)")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains(Self.signed))
        // The mode of a pipe says nothing of who may read the key.
        #expect(!ended.errors.contains("chmod"), "\(ended.errors)")
        let without = try await bash("\(usual) -m x \(flags)")
        #expect(without.status == 64)
        #expect(without.errors.contains("--key-id"), "\(without.errors)")
        #expect(workspace.secrets(in: ended).isEmpty)
    }

    @Test(arguments: [
        "$(cat AuthKey_ABC123DEFG.p8)", "$(base64 -w0 AuthKey_ABC123DEFG.p8)", "$(base64 AuthKey_ABC123DEFG.p8)",
        "$(tr '\\n' ' ' < AuthKey_ABC123DEFG.p8)", "$(awk '{printf \"%s\\\\n\", $0}' AuthKey_ABC123DEFG.p8)",
        "$(sed 's/$/\\r/' AuthKey_ABC123DEFG.p8)",
    ])
    func `a key comes as the text of a variable, in each form that CI systems know`(text: String) async throws {
        let ended = try await bash("export PUSHSEND_KEY_PEM=\"\(text)\"; \(usual) -m x --key-id ABC123DEFG")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains(Self.signed))
        #expect(workspace.secrets(in: ended).isEmpty)
    }

    @Test func `a variable without a key is reported, and its value is not shown`() async throws {
        let ended = try await bash("\(usual) -m x --key-id ABC123DEFG", ["PUSHSEND_KEY_PEM": "secretsecretsecret"])
        #expect(ended.status == 77 || ended.status == 65, "\(ended.status)")
        #expect(ended.errors.contains("PUSHSEND_KEY_PEM"), "\(ended.errors)")
        #expect(!ended.errors.contains("secretsecret"))
    }

    @Test func `a .p12 comes through a pipe, with its passphrase from another`() async throws {
        try await workspace.makeCertificates()
        let ended = try await bash(
            "\(BuiltProgram.pushsend.path()) send \(RunningMock.token) -m x --dry-run --p12 <(cat certs/sandbox.p12) --passphrase-file <(echo example)"
        )
        #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test func `what does not go together is refused`() async throws {
        let standardInput = try await bash("\(usual) --key - --key-id ABC123DEFG --payload - < /dev/null")
        #expect(standardInput.status == 64)
        #expect(standardInput.errors.contains("both the payload and the key"), "\(standardInput.errors)")
        let watched = try await bash(
            "\(BuiltProgram.pushsend.path()) send \(RunningMock.token) --watch --payload /dev/stdin < /dev/null")
        #expect(watched.status == 64)
        #expect(watched.errors.contains("--watch watches a file"), "\(watched.errors)")
        let both = try await bash(
            "\(usual) -m x", ["PUSHSEND_KEY": "AuthKey_ABC123DEFG.p8", "PUSHSEND_KEY_PEM": "x"])
        #expect(both.status == 64)
        #expect(both.errors.contains("PUSHSEND_KEY and PUSHSEND_KEY_PEM are both set"), "\(both.errors)")
        let flag = try await bash(
            "\(usual) -m x --key AuthKey_ABC123DEFG.p8", ["PUSHSEND_KEY": "other.p8", "PUSHSEND_KEY_PEM": "x"])
        #expect(flag.status == 0, "\(flag.errors)")
    }
}
