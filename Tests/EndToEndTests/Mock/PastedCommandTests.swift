import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct PastedCommandTests {
    /// The folder has a name that a shell would take apart if it were not quoted.
    @Test func `the commands that the mock prints work when they are pasted`() async throws {
        let workspace = try Workspace()
        let program = try workspace.startPushsend(["mock", "--port", "0", "--state", "it's a mock"])
        var text = ""
        for number in 0... {
            let line = try #require(await program.output.line(number))
            text += line + "\n"
            if line.contains("Received requests:") { break }
        }
        let send = try #require(text.command(from: " send "))
        let curl = try #require(text.command(from: "curl "))

        let sent = try await workspace.shell(send)
        #expect(sent.status == 0)
        #expect(sent.output.hasPrefix("accepted  apns-id "))
        let pushed = try await workspace.shell(curl)
        #expect(pushed.status == 0)
        #expect(pushed.output == "200\n")

        program.interrupt()
        let ended = await program.end()
        #expect(ended.status == 0)
        #expect(workspace.secrets(in: ended).isEmpty)
        #expect(ended.output.matches(of: /\d\d:\d\d:\d\dZ  200  accepted  alert  com.example.app/).count == 2)
        #expect(ended.errors == "2 requests on 2 connections. Stopped.\n")
    }

    /// The mock accepts pushes to tokens and topics that are none, so a page can have anything there.
    @Test(.enabled(if: BuiltProgram.isInstalled("node"), "node is not installed"))
    func `no token and no value in a command of the page is taken for an option`() async throws {
        let workspace = try Workspace()
        let module = BuiltProgram.file("Sources/InboxPage/js/detail/commands.js").path(percentEncoded: false)
        let push = #"{"token":"-m; x","topic":"-t","push_type":"alert","collapse_id":"--it's"}"#
        let store = BuiltProgram.file("Sources/InboxPage/js/shared/store.js").path(percentEncoded: false)
        // The folder is quoted by the mock.
        let flags = #"--mock --state '/it'\\''s a mock'"#
        try workspace.write(
            """
            const { asPushsend } = await import(\(module.debugDescription));
            const { store } = await import(\(store.debugDescription));
            store.setup = { mock_flags: "\(flags)" };
            console.log(asPushsend(\(push), '-5'));

            """, to: "page.mjs")
        let command = try await workspace.run(["node", "page.mjs"]).output
        let words = try await workspace.shell("pushsend() { printf '<%s>' \"$@\"; }\n\(command)").output
        let options = "<--topic=-t><--push-type><alert><--collapse-id=--it's><--payload=-5>"
        #expect(words == "<send><--mock><--state></it's a mock>\(options)<--><-m; x>")
    }

    @Test func `a rejection is shown with its ground and with the flag that would have accepted it`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let mock = try workspace.startPushsend(["mock", "--port", "0", "--state", "mock"])
        let endpoint = try #require(await mock.output.line(0)?.split(separator: "https://").last)
        let sent = try await workspace.pushsend(
            "send", RunningMock.token, "--key", key, "--team-id", Workspace.teamID, "--topic", "com.example.app",
            "-m", "Hello", "--endpoint", String(endpoint), "--cacert", "mock/ca.pem")
        #expect(sent.status == 77)
        mock.interrupt()
        let output = await mock.end().output
        #expect(output.contains("403  InvalidProviderToken"))
        #expect(output.contains("based on: "))
        #expect(
            output.contains(
                "to accept it: Start the mock with --trust-key FILE --key-id ABC123DEFG --team-id DEF123GHIJ"))
    }
}

extension String {
    /// The indented command that holds `word`, with the lines that a backslash continues.
    fileprivate func command(from word: String) -> String? {
        let lines = components(separatedBy: "\n")
        guard let first = lines.firstIndex(where: { $0.hasPrefix("  ") && $0.contains(word) }) else { return nil }
        let last = lines[first...].firstIndex { !$0.hasSuffix("\\") } ?? first
        return lines[first...last].joined(separator: "\n")
    }
}
