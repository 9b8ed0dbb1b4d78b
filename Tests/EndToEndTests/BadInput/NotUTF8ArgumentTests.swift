import Foundation
import TestSupport
import Testing

/// Arguments in another encoding than UTF-8.
@Suite(.takingTurns) struct NotUTF8ArgumentTests {
    @Test(arguments: [
        #"send 5f3ad1c07b9e4286 -m "$(printf 'Gr\374n')" --mock --topic a.b --dry-run"#,
        #"send 5f3ad1c07b9e4286 --mock --topic a.b --dry-run --message="$(printf 'Gr\374n')""#,
        #"send 5f3ad1c07b9e4286 -m x -d "$(printf 'k=\377')" --mock --topic a.b --dry-run"#,
        #"send --payload "$(printf '{"aps":{"alert":"\377"}}')" --save -"#,
        #"batch lines -m "$(printf '\377')" --mock --topic a.b --dry-run"#, #"try -m "$(printf '\377')""#,
    ])
    func `are refused, and nothing is sent`(line: String) async throws {
        let workspace = try Workspace()
        try workspace.write("00\n", to: "lines")
        let ended = try await workspace.shell("\(BuiltProgram.pushsend.path()) \(line)")
        #expect(ended.status == 65, "\(ended.errors)")
        #expect(ended.errors.contains("isn't UTF-8: byte 0xF"))
        #expect(ended.output == "")
    }

    @Test func `a text with U+FFFD in it is what it is`() async throws {
        let ended = try await Workspace().pushsend("send", "-m", "a\u{FFFD}", "--save", "-")
        #expect(ended.status == 0)
        #expect(ended.output.contains("a\u{FFFD}"))
    }
}
