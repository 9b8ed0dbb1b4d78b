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

    @Test func `a command that should fail makes a picture with its status, and no other one`() async throws {
        let sh = try #require(BuiltProgram.path(of: "sh"))
        let ended = try await Workspace().run([script, "--status", "3", "Title", sh, "-c", "echo no; exit 3"])
        #expect(ended.status == 0 && ended.output.contains(">no</text>"), "\(ended.errors)")
        #expect(try await Workspace().run([script, "--status", "4", "Title", sh, "-c", "exit 3"]).status == 1)
    }

    @Test func `a recording has one command after the other, and all of them where nothing moves`() async throws {
        let ended = try await Workspace().run([script, "--shell", "Title", "echo one", "echo two; exit 3"])
        #expect(ended.status == 0, "\(ended.errors)")
        let places = ["$ echo one<", ">one</text>", "$ echo two; exit 3<", ">two</text>"].map {
            ended.output.firstRange(of: $0)?.lowerBound
        }
        #expect(places.allSatisfy { $0 != nil } && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        // Only the animation hides a line.
        #expect(ended.output.split(separator: "prefers-reduced-motion")[0].contains("opacity: 0") == false)
    }

    @Test func `the picture of doctor has every hop, and names no folder of its maker`() throws {
        let picture = try String(contentsOf: BuiltProgram.file("docs/images/doctor.svg"), encoding: .utf8)
        for word in [
            "libraries", "trust store", "key", "TLS", "SETTINGS", "clock", "InvalidProviderToken", "Do this first",
        ] {
            #expect(picture.contains(word), "\(word)")
        }
        #expect(!picture.contains("/tmp/"))
    }

    @Test func `the picture of mock exec has the colours of a test that fails and then passes`() throws {
        let picture = try String(contentsOf: BuiltProgram.file("docs/images/mock-exec.svg"), encoding: .utf8)
        let colours = picture.matches(of: /<tspan class="([a-z]+)">/).map { String($0.1) }
        #expect(colours == ["command", "command", "bad", "command", "command", "good", "command"])
        #expect(!picture.contains("/tmp/"))
    }
}
