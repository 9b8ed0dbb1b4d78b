import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct TryCommandTests {
    @Test func `try shows a push from both sides and is accepted`() async throws {
        let workspace = try Workspace()
        let ended = try await workspace.pushsend("try", "-m", "Hello from here", "-t", "Title")
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.output.contains("accepted  apns-id "))
        #expect(ended.output.contains("The mock received: POST /3/device/"))
        #expect(ended.output.contains("Hello from here"))
        #expect(ended.output.contains("answered 200"))
        #expect(!workspace.exists("home/state"))
    }

    @Test func `a terminal shows outcomes in colours, unless they are not wanted`() async throws {
        let colours = ["TERM": "xterm-256color"]
        let shown = try await Workspace().terminal(["try"], [], environment: colours).output
        #expect(shown.contains("\u{1B}[1;32maccepted\u{1B}[0m  apns-id "), "\(shown)")
        #expect(shown.contains("\u{1B}[36m{\"aps\":"))
        for plain in [["TERM": "xterm-256color", "NO_COLOR": "1"], ["TERM": "dumb"]] {
            let shown = try await Workspace().terminal(["try"], [], environment: plain).output
            #expect(shown.contains("\naccepted  apns-id ") && !shown.contains("\u{1B}"))
        }
        #expect(!(try await Workspace().pushsend(["try"], environment: colours).output.contains("\u{1B}")))
    }

    @Test func `try --json prints one object`() async throws {
        let ended = try await Workspace().pushsend("try", "--json")
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.output.split(separator: "\n").count == 1)
        #expect(ended.json["outcome"] == "accepted")
        #expect(ended.json["status"] == 200)
    }

    @Test func `try --open opens the push in the inbox, until it is interrupted`() async throws {
        let workspace = try Workspace()
        // The browser reads the page, and then presses Ctrl-C.
        let read = "curl -s --noproxy '*' \"${1%%#*}\" > page"
        try workspace.write("#!/bin/sh\necho \"$1\" > opened\n\(read)\nkill -INT $PPID\n", to: "browser")
        try await workspace.prepare("chmod +x browser")
        let ended = try await workspace.pushsend(
            ["try", "--open"], environment: ["BROWSER": workspace.path("browser")])
        #expect(ended.status == 0, "\(ended.errors)")
        let address = try workspace.read("opened").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(address.hasPrefix("http://127.0.0.1:") && address.hasSuffix("/#/push/1"), "\(address)")
        #expect(ended.output.contains(address))
        #expect(try workspace.read("page").hasPrefix("<!doctype html>"))
        expectRefusal(try await workspace.pushsend("try", "--open", "--json"), 64, "--open", "--json")
    }

    @Test func `try with a topic that is none says so`() async throws {
        expectRefusal(try await Workspace().pushsend("try", "--topic", "no topic"), 65, "no topic", "bundle id")
    }
}
