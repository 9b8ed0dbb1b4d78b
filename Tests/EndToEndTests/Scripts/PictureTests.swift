import Foundation
import TestSupport
import Testing

/// The pictures of the README, which `scripts/pictures` makes of what a terminal shows.
@Suite(.takingTurns) struct PictureTests {
    private let script = BuiltProgram.script("lib/terminal-picture").path()

    @Test func `a picture has the lines of the terminal, and their colours`() async throws {
        let command = ["sh", "-c", "printf 'a <b> & c\\n\\n\\033[1;32mgood\\033[0m and \\033[36m{}\\033[0m\\n'"]
        let sh = try #require(BuiltProgram.path(of: "sh"))
        let ended = try await Workspace().run([script, "A <title>", sh] + command.dropFirst())
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("<title id=\"title\">A &lt;title&gt;</title>"))
        #expect(ended.output.contains(">a &lt;b&gt; &amp; c</text>"))
        #expect(
            ended.output.contains("><tspan class=\"good\">good</tspan> and <tspan class=\"data\">{}</tspan></text>"))
    }

    @Test func `a command that fails, and an unknown colour, make no picture`() async throws {
        let sh = try #require(BuiltProgram.path(of: "sh"))
        for line in ["echo no; exit 3", "printf '\\033[95mpink\\033[0m\\n'"] {
            let ended = try await Workspace().run([script, "Title", sh, "-c", line])
            #expect(ended.status == 1)
            #expect(ended.output == "")
            #expect(ended.errors.contains("terminal-picture: "))
        }
    }

    @Test func `the picture of doctor has every hop, and names no folder of its maker`() async throws {
        let picture = try String(contentsOf: BuiltProgram.file("docs/images/doctor.svg"), encoding: .utf8)
        for word in ["libraries", "trust store", "key", "TLS", "SETTINGS", "credentials", "clock", "No problems"] {
            #expect(picture.contains(word), "\(word)")
        }
        #expect(picture.contains("/home/me/.local/state/pushsend/mock/ca.pem"))
        #expect(!picture.contains("/tmp/"))
    }

    @Test func `the picture of the README has the colours that a terminal shows`() async throws {
        let made = try await Workspace().run([script, "Title", BuiltProgram.pushsend.path(), "try"]).output
        let picture = try String(contentsOf: BuiltProgram.file("docs/images/try.svg"), encoding: .utf8)
        func coloured(_ svg: String) -> [String] {
            svg.matches(of: /<tspan class="([a-z]+)">/).map { String($0.1) }
        }
        #expect(coloured(made) == ["command", "data", "good", "data", "good", "quiet", "command"])
        #expect(coloured(picture) == coloured(made))
    }
}
