import Foundation
import TestSupport
import Testing

/// `--phones` of `pushsend mock run` and `mock exec`, and searches about phones from a shell.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct MockPhonesTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private static let gif = "R0lGODlhAQABAAAAACw="

    private static func profile(_ name: String = "Desk iPhone") -> String {
        """
        id: desk
        name: \(name)
        apps:
          - topic: com.example.app
            service_extension:
              attaches: {key: url, files: {"https://example.com/1.gif": pier.gif}}
        """
    }

    private func exec(_ flags: [String], _ script: String) async throws -> Ended {
        try await workspace.run(
            [BuiltProgram.pushsend.path(), "mock", "exec"] + flags
                + ["--", "sh", "-c", "P='\(BuiltProgram.pushsend.path())'; \(script)"])
    }

    @Test func `a test in a shell asserts what the user would see`() async throws {
        try workspace.write(Self.profile(), to: "phones.yaml")
        try Data(base64Encoded: Self.gif)?.write(to: workspace.folder.appending(path: "pier.gif"))
        let ended = try await exec(
            ["--phones", "phones.yaml"],
            """
            $P send 5f3ad1c07b9e4286 --mock --topic com.example.app -t Nora -m Photo --mutable-content \
                -d url=https://example.com/1.gif &&
            $P mock wait outcome:shown phone:desk attachment:pier.gif --exactly 1 --within 250s &&
            curl -sS --fail "$MOCK_URL/v1/phones/desk/attachments/1" | head -c 4 &&
            $P mock assert outcome:hidden
            """)
        #expect(ended.status == 1, "\(ended.errors)")
        #expect(ended.output.hasSuffix("GIF8"))
        #expect(ended.errors.contains("expected outcome:hidden, found shown"))
    }

    /// The payload {"aps":{"alert":{"title":"Ada","body":"At nine"}}}, sealed by another implementation of AES-256-GCM with a key of
    /// 32 bytes with the value 7.
    private static let envelope =
        "1.test.AAECAwQFBgcICQoLY6OIAG4r4zJV04n5kCxOwJoewudsDhITLOwi3u/1QSe8ACKbtfUTvIDFrd8ykpdOiU1rHPTg26v37y9ZeE2Rqiwn"

    @Test(arguments: [
        (UInt8(7), #""title":"Ada","body":"At nine""#, "Decrypted the content of sealed"),
        (UInt8(8), #""body":"A new message""#, "The payload can't be decrypted"),
    ])
    func `a sealed payload is opened with the key beside the profile`(
        byte: UInt8, shown: String, note: String
    ) async throws {
        try workspace.write(
            "{id: desk, apps: [{topic: com.example.app, service_extension: {opens: {key_file: key.txt}}}]}",
            to: "phones.yaml")
        try workspace.write(Data(repeating: byte, count: 32).base64EncodedString() + "\n", to: "key.txt")
        let ended = try await exec(
            ["--phones", "phones.yaml"],
            """
            $P send 5f3ad1c07b9e4286 --mock --topic com.example.app -m 'A new message' --mutable-content \
                -d sealed=\(Self.envelope) >sent &&
            $P mock wait outcome:shown --within 250s >waited && curl -sS --fail "$MOCK_URL/v1/pushes/1"
            """)
        #expect(ended.status == 0, "\(ended.errors)")
        let card = try #require(ended.output.split(separator: "\"card\":").last)
        #expect(card.contains(shown), "\(card)")
        #expect(ended.output.contains(note), "\(ended.output)")
    }

    @Test func `a file with a mistake or without phones is refused at the start`() async throws {
        try workspace.write("id: desk\nmutted: true\n", to: "phones.yaml")
        let mistake = try await exec(["--phones", "phones.yaml"], "true")
        #expect(mistake.status == 65)
        let problem = "phones.yaml:2:1: /mutted: Unknown key \"mutted\"."
        #expect(mistake.errors.contains("\(problem) Did you mean \"muted\"?"), "\(mistake.errors)")
        let missing = try await exec(["--phones", "none.yaml"], "true")
        #expect(missing.status == 66)
        #expect(missing.errors.contains("There is no file of phones \"none.yaml\""))
        let off = try await exec(["--phones", "phones.yaml", "--no-console"], "true")
        #expect(off.status == 64)
    }

    @Test func `the file is read again when it changes, and a mistake leaves the last good one`() async throws {
        try workspace.write(Self.profile(), to: "phones.yaml")
        let program = try workspace.startPushsend(
            ["mock", "--json", "--port", "0", "--console-port", "0", "--state", "mock", "--phones", "phones.yaml"])
        let line = try #require(await program.output.line(0))
        let url = try #require(JSON(parsing: line)["console_url"]?.string)
        func name() async throws -> String {
            let answer = try await workspace.run(["curl", "-sS", "--fail", "\(url)/v1/phones/desk"])
            return JSON(parsing: answer.output)["name"]?.string ?? ""
        }
        /// In one step: nobody reads half of it.
        func save(_ text: String) async throws {
            try workspace.write(text, to: "new.yaml")
            try await workspace.prepare("mv new.yaml phones.yaml")
        }
        #expect(try await name() == "Desk iPhone")
        try await save(Self.profile("Second"))
        #expect(await program.errors.line(with: "were reloaded") != nil)
        #expect(try await name() == "Second")
        try await save("id: [")
        #expect(await program.errors.line(with: "The phones stay as they are.") != nil)
        let answer = try await workspace.run(["curl", "-sS", "--fail", "\(url)/v1/phones/desk"])
        #expect(JSON(parsing: answer.output)["profile_error"]?.string?.hasPrefix("Line ") == true)
        #expect(try await name() == "Second")
        program.interrupt()
        #expect(await program.end().status == 0)
    }
}
