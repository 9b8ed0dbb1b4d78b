import Foundation
import TestSupport
import Testing

/// On a terminal, a locked file is opened by asking.
@Suite(.takingTurns) struct PassphrasePromptTests {
    let workspace: Workspace

    init() async throws {
        workspace = try Workspace()
        try await workspace.makeCertificates()
    }

    private static let send = ["send", RunningMock.token, "-m", "x", "--dry-run"]

    @Test func `what is typed is not shown, and a wrong one is asked for again`() async throws {
        let ended = try await workspace.terminal(
            Self.send + ["--p12", "certs/sandbox.p12"],
            [
                ("Passphrase of certs/sandbox.p12: ", "s3cret-word\n"), ("wrong", ""),
                ("Passphrase of certs/sandbox.p12: ", "example\n"),
            ])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("Apple Development IOS Push Services: com.example.app"))
        #expect(!ended.output.contains("s3cret-word"))
        #expect(!ended.output.contains(": example"))
    }

    @Test func `an encrypted key is opened in the same way`() async throws {
        let ended = try await workspace.terminal(
            Self.send + [
                "--cert", "certs/universal-certificate.pem", "--cert-key", "certs/universal-key-encrypted.pem",
                "--topic", "com.example.app",
            ], [("Passphrase of certs/universal-key-encrypted.pem: ", "example\n")])
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test func `after three wrong ones it ends`() async throws {
        let wrong: TerminalStep = ("Passphrase of certs/sandbox.p12: ", "no\n")
        let ended = try await workspace.terminal(Self.send + ["--p12", "certs/sandbox.p12"], [wrong, wrong, wrong])
        #expect(ended.status == 77, "\(ended.output)")
        #expect(ended.output.contains("pushsend: \"certs/sandbox.p12\" can't be used: The passphrase is wrong"))
    }

    @Test func `one of several identities is chosen, and the command for the next time says which`() async throws {
        let ended = try await workspace.terminal(
            Self.send + ["--p12", "certs/several.p12"],
            [
                ("Passphrase", "example\n"), ("  2  Apple", ""), ("Identity: ", "3\n"), ("1 to 2", ""),
                ("Identity: ", "2\n"),
            ])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("\"Apple Production IOS Push Services: com.example.app\" is presented"))
        #expect(ended.output.contains("--identity 'Apple Production IOS Push Services: com.example.app'"))
        let next = try #require(ended.output.split(separator: "\n").first { $0.contains("--identity") })
        #expect(!next.contains("passphrase") && !next.contains("example "))
    }

    @Test func `a certificate does instead of a key, and what it says is not asked for`() async throws {
        let ended = try await workspace.terminal(
            ["send", "--dry-run"],
            [
                ("Key file: ", "certs/sandbox.p12\n"), ("Passphrase of certs/sandbox.p12: ", "example\n"),
                ("Device token: ", "\(RunningMock.token)\n"), ("Text: ", "x\n"),
            ])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("send --p12 certs/sandbox.p12 \(RunningMock.token) -m x --dry-run"))
        let several = try await workspace.terminal(
            Self.send + ["--p12", "certs/no-passphrase.p12", "--push-type", "mdm", "--no-lint"],
            [
                ("com.example.app.voip", ""), ("Topic: ", "a.b\n"), ("is for", ""), ("Topic: ", "com.example.app\n"),
                ("Environment: ", "sandbox\n"),
            ])
        #expect(several.status == 0, "\(several.output)")
    }

    @Test func `Ctrl-C at the prompt leaves a terminal that shows what is typed`() async throws {
        let ended = try await workspace.terminal(
            command: [
                "sh", "-c",
                "trap : INT; '\(BuiltProgram.pushsend.path())' send 5f3a --p12 certs/sandbox.p12; echo $?; stty -a",
            ], [("Passphrase of certs/sandbox.p12: ", "\u{3}")])
        #expect(ended.output.contains("\n130\n"), "\(ended.output)")
        #expect(ended.output.contains(" echo "))
        #expect(!ended.output.contains("-echo "))
    }

    @Test func `with --json, and without a terminal, there is no prompt`() async throws {
        let json = try await workspace.terminal(Self.send + ["--json", "--p12", "certs/sandbox.p12"], [])
        #expect(json.status == 77)
        #expect(json.output.contains("--passphrase-file FILE or PUSHSEND_PASSPHRASE"))
    }
}
