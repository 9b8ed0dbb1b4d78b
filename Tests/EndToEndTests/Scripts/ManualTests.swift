import Foundation
import TestSupport
import Testing

/// The man pages that `scripts/install` makes of the help.
@Suite(.takingTurns) struct ManualTests {
    private static let pages = [
        "pushsend", "pushsend-batch", "pushsend-channel", "pushsend-channel-create", "pushsend-channel-delete",
        "pushsend-channel-list", "pushsend-channel-send", "pushsend-channel-show", "pushsend-delivery",
        "pushsend-doctor",
        "pushsend-explain",
        "pushsend-inspect", "pushsend-jwt", "pushsend-lint",
        "pushsend-mock", "pushsend-mock-assert", "pushsend-mock-env", "pushsend-mock-exec", "pushsend-mock-fault",
        "pushsend-mock-list", "pushsend-mock-ready", "pushsend-mock-reset", "pushsend-mock-run", "pushsend-mock-stop",
        "pushsend-mock-wait",
        "pushsend-profile", "pushsend-profile-add", "pushsend-profile-check",
        "pushsend-profile-list", "pushsend-profile-remove", "pushsend-profile-show", "pushsend-profile-trust",
        "pushsend-send", "pushsend-try", "pushsend-verify",
    ]

    private func manual() async throws -> Workspace {
        let workspace = try Workspace()
        let root = BuiltProgram.file(".").path()
        let script = "cd \"$1\" && source scripts/lib/program-tree.bash && make_manual \"$2\" \"$3\""
        let command = ["bash", "-euo", "pipefail", "-c", script, "manual", root]
        let ended = try await workspace.run(command + [BuiltProgram.pushsend.path(), workspace.path("man")])
        try #require(ended.status == 0, "\(ended.errors)")
        return workspace
    }

    @Test func `each subcommand has its page, with the headings and the flags of its help`() async throws {
        let workspace = try await manual()
        let names = try FileManager.default.contentsOfDirectory(atPath: workspace.path("man")).sorted()
        #expect(names == Self.pages.map { "\($0).1" }.sorted())
        let page = try workspace.read("man/pushsend-send.1")
        for line in [
            ".Dt PUSHSEND-SEND 1", ".Nm pushsend-send", ".Sh PAYLOAD", ".It Fl m , Fl \\-message Ar \\&text",
            ".It Fl \\-dry\\-run", ".Xr pushsend 1", "The text of the alert.",
        ] {
            #expect(page.contains("\(line)\n"), "\(line)")
        }
        let root = try workspace.read("man/pushsend.1")
        #expect(root.contains(".It Cm \\&batch\n") && root.contains(".Xr pushsend-batch 1 ,\n"))
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("mandoc")))
    func `mandoc has nothing to warn of, and examples can be pasted`() async throws {
        let workspace = try await manual()
        for name in Self.pages {
            let lint = try await workspace.run(["mandoc", "-T", "lint", "-W", "warning", "man/\(name).1"])
            #expect(lint.output + lint.errors == "", "\(name)")
        }
        let shown = try await workspace.run(["mandoc", "-T", "utf8", "-O", "width=78", "man/pushsend-send.1"]).output
        #expect(shown.contains("pushsend send 5f3ad1c07b9e4286 --topic com.example.app -m Hello \\\n"))
        #expect(shown.contains("--key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ\n"))
    }

    @Test func `text that troff would take for its own stays text`() async throws {
        let help = """
            OVERVIEW: Does it.

            Example:
              it 'a' `b` \\n ~c ^d -e
            .It begins with a point.

            USAGE: it [--x <y>]

            OPTIONS:
              --a-long-name-of-it <value> Takes "it".
              -x, --x <y>             'Quoted'. With \\ and more.

            """
        let script = BuiltProgram.script("lib/man-page").path()
        let page = try await Workspace().run([script, "it", ""], input: help).output
        #expect(page.contains("\nit \\(aqa\\(aq \\(gab\\(ga \\en \\(tic \\(had \\-e\n"), "\(page)")
        #expect(page.contains("\n\\&.It begins with a point.\n"), "\(page)")
        #expect(page.contains("\n.It Fl \\-a\\-long\\-name\\-of\\-it Ar \\&value\nTakes \"it\".\n"), "\(page)")
        #expect(page.contains("\n\\(aqQuoted\\(aq.\nWith \\e and more.\n"), "\(page)")
        #expect(try await Workspace().run([script]).status == 64)
    }
}
