import Foundation
import TestSupport
import Testing

@Suite struct LintCommandTests {
    private static let good = #"{"aps":{"alert":"Hello"}}"#
    private static let broken = "{\n  \"aps\": {\"alert\": \"Hello\",}\n}\n"
    private static let odd = #"{"aps":{"sound":"chime"}}"#

    private func workspace(_ files: [String: String]) throws -> Workspace {
        let workspace = try Workspace()
        for (name, text) in files {
            if let slash = name.lastIndex(of: "/") {
                try FileManager.default.createDirectory(
                    atPath: workspace.path(String(name[..<slash])), withIntermediateDirectories: true)
            }
            try workspace.write(text, to: name)
        }
        return workspace
    }

    // MARK: What it prints

    @Test func `a finding has its place, the line and a caret`() async throws {
        let workspace = try workspace(["payload.json": Self.broken])
        let ended = try await workspace.pushsend("lint", "payload.json")
        #expect(ended.status == 65)
        #expect(
            ended.output == """
                payload.json:2:27: error: There is a comma after the last value. Remove it. [extra-comma]
                  "aps": {"alert": "Hello",}
                                          ^

                """)
        #expect(ended.errors == "1 payload: 1 error\n")
    }

    @Test func `a payload without a fault has nothing to be said of it`() async throws {
        let ended = try await workspace(["payload.json": Self.good]).pushsend("lint", "payload.json")
        #expect(ended.status == 0)
        #expect(ended.output == "")
        #expect(ended.errors == "1 payload: no errors, no warnings\n")
    }

    @Test func `--json prints an object a line, and nothing else`() async throws {
        let workspace = try workspace(["payload.json": Self.broken])
        let ended = try await workspace.pushsend("lint", "payload.json", "--json")
        #expect(ended.status == 65)
        #expect(ended.errors == "")
        #expect(
            ended.json == [
                "file": "payload.json", "line": 2, "column": 27, "offset": 28, "length": 1, "severity": "error",
                "rule": "extra-comma", "path": "payload", "problem": "There is a comma after the last value.",
                "remedy": "Remove it.", "fixable": true,
            ])
    }

    @Test func `--format github prints workflow commands, escaped`() async throws {
        let workspace = try workspace(["a,b:c.json": Self.odd])
        let ended = try await workspace.pushsend("lint", "--format", "github", "a,b:c.json")
        #expect(ended.status == 0)
        #expect(
            ended.output == """
                ::warning file=a%2Cb%3Ac.json,line=1,col=17,title=sound-file::The sound "chime" has no file extension. \
                Write "default", or a name such as "chime.caf".

                """)
    }

    @Test func `what a file holds does not steer the terminal`() async throws {
        let workspace = try workspace([
            "payload.json": "{\"aps\":{\"alert\":\"a\u{1B}[31m\u{202E}b\",\"\u{1B}]0;x\u{7}\":1}}"
        ])
        let ended = try await workspace.pushsend("lint", "payload.json")
        #expect(ended.status == 65)
        #expect(!(ended.output + ended.errors).contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\u{7}" })
    }

    // MARK: Which files

    @Test func `a folder means all payloads in it and below it, in order`() async throws {
        let workspace = try workspace([
            "p/b.json": Self.odd, "p/a.apns": Self.odd, "p/deep/c.json": Self.odd, "p/readme.txt": Self.broken,
            "p/.hidden.json": Self.broken,
        ])
        let ended = try await workspace.pushsend("lint", "p", "--format", "github")
        #expect(ended.status == 0)
        let files = ended.output.split(separator: "\n").compactMap { $0.split(separator: ",").first }
        #expect(files == ["::warning file=p/a.apns", "::warning file=p/b.json", "::warning file=p/deep/c.json"])
    }

    @Test func `a folder with pipes and devices in it does not hang`() async throws {
        let workspace = try workspace(["p/a.json": Self.odd])
        try await workspace.prepare(
            "mkfifo p/b.json p/fifo && ln -s fifo p/c.json && ln -s /dev/tty p/d.apns && ln -s none p/e.json")
        let program = try workspace.startPushsend(["lint", "p", "--format", "github"])
        let ended = await program.end()
        #expect(!ended.wasTooSlow)
        #expect(ended.output.hasPrefix("::warning file=p/a.json"))
        // A link that leads nowhere is a mistake that somebody wants to know of.
        #expect(ended.status == 66)
        #expect(ended.errors.contains("p/e.json"))
    }

    @Test func `a pipe that is named is read, and never replaced by --fix`() async throws {
        let workspace = try workspace([:])
        let shell =
            "mkfifo pipe && { timeout 250 sh -c 'echo \"{\\\"a\\\":1,}\" > pipe' 2>/dev/null & } && '\(BuiltProgram.pushsend.path())' lint pipe"
        let read = try await workspace.shell(shell)
        #expect(read.status == 65)
        #expect(read.output.contains("[extra-comma]"))
        let fix = try await workspace.shell(
            shell.replacing("mkfifo pipe", with: "true").replacing("lint", with: "lint --fix"))
        #expect(fix.status == 64)
        #expect(fix.errors.contains("\"pipe\" is a pipe or a device"), "\(fix.errors)")
        try await workspace.prepare("test -p pipe")
    }

    @Test func `a file that is missing is 66, and the others are checked all the same`() async throws {
        let workspace = try workspace(["b.json": Self.broken])
        let ended = try await workspace.pushsend("lint", "none.json", "b.json")
        #expect(ended.status == 66)
        #expect(ended.output.hasPrefix("b.json:2:27: error: "))
        #expect(ended.errors.hasPrefix("pushsend: There is no file \"none.json\".\n"))
        try FileManager.default.createDirectory(atPath: workspace.path("empty"), withIntermediateDirectories: true)
        let empty = try await workspace.pushsend("lint", "empty")
        #expect(empty.status == 66)
        #expect(empty.errors.contains("no .json or .apns file"))
    }

    @Test func `standard input is a payload too`() async throws {
        let ended = try await workspace([:]).pushsend("lint", "-", input: Self.broken)
        #expect(ended.status == 65)
        #expect(ended.output.hasPrefix("stdin:2:27: error: "))
    }

    @Test func `a huge file is reported as too large, and not read to its end`() async throws {
        let workspace = try workspace([:])
        try await workspace.prepare("head -c 3000000 /dev/zero | tr '\\0' '[' > huge.json")
        for file in ["huge.json", "/dev/zero"] {
            let ended = try await workspace.pushsend("lint", file)
            #expect(ended.status == 65)
            #expect(ended.output.contains("[payload-too-large]"))
            #expect(ended.output.count < 400)
        }
    }

    // MARK: Headers

    @Test func `headers that are given are checked with it`() async throws {
        let workspace = try workspace(["p.json": #"{"aps":{"content-available":1}}"#])
        let ended = try await workspace.pushsend(
            "lint", "p.json", "--topic", "com.example.app.voip", "--push-type", "background", "--priority", "10")
        #expect(ended.status == 65)
        #expect(
            ended.output.contains(
                "p.json: error: apns-topic: The topic \"com.example.app.voip\" is for push type voip"))
        #expect(ended.output.contains("[background-priority]"))
        #expect(try await workspace.pushsend("lint", "p.json").status == 0)
    }

    @Test func `the bundle id of a simulator file is its topic, and is not counted`() async throws {
        let bundle = #""Simulator Target Bundle":"com.example.app.voip""#
        let workspace = try workspace([
            "p.apns": #"{\#(bundle),"aps":{"alert":"\#(String(repeating: "x", count: 4070))"}}"#
        ])
        let ended = try await workspace.pushsend("lint", "p.apns", "--push-type", "alert")
        #expect(ended.output.contains("[topic-push-type]"))
        #expect(!ended.output.contains("[payload-too-large]"))
    }

    @Test func `a broadcast has no topic, so the bundle id of a simulator file is none`() async throws {
        let workspace = try Workspace()
        let saved = try await workspace.pushsend(
            "send", "--template", "live-activity-update", "--topic", "com.example.app", "--save", "p.apns")
        #expect(saved.status == 0)
        let ended = try await workspace.pushsend("lint", "--broadcast", "p.apns")
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test func `the id that is given is judged, too`() async throws {
        let workspace = try workspace(["p.json": Self.good])
        for (id, status, word) in [
            ("7", Int32(65), "error: apns-id: \"7\" isn't a UUID."),
            ("123E4567-E89B-12D3-A456-4266554400A0", 0, "warning: apns-id: "),
            ("123e4567-e89b-12d3-a456-4266554400a0", 0, ""),
        ] {
            let ended = try await workspace.pushsend("lint", "p.json", "--apns-id", id)
            #expect(ended.status == status)
            #expect(word.isEmpty ? ended.output.isEmpty : ended.output.contains(word))
        }
    }

    @Test func `--strict makes warnings count`() async throws {
        let workspace = try workspace(["p.json": Self.odd])
        #expect(try await workspace.pushsend("lint", "p.json").status == 0)
        #expect(try await workspace.pushsend("lint", "p.json", "--strict").status == 65)
    }

    // MARK: Mending

    @Test func `--fix writes what is certain, keeps mode and links, and says what it did`() async throws {
        let workspace = try workspace([:])
        try workspace.write("{\"aps\":{\"alert\":\"Hello\",}} // so\n", to: "p.json", mode: 0o640)
        try await workspace.prepare("ln -s p.json link.json")
        let ended = try await workspace.pushsend("lint", "--fix", "link.json")
        #expect(ended.status == 0)
        #expect(
            ended.output == """
                link.json:1:24: fixed: There is a comma after the last value. [extra-comma]
                link.json:1:28: fixed: JSON has no comments. [comment]

                """)
        #expect(ended.errors == "1 payload: 2 fixed\n")
        #expect(try workspace.read("p.json") == "{\"aps\":{\"alert\":\"Hello\"}} \n")
        #expect(try workspace.mode(of: "p.json") == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: workspace.path("link.json")) == "p.json")
        let files = try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path())
        #expect(!files.contains { $0.hasSuffix(".new") })
    }

    @Test func `--fix leaves what is not certain, and what is fine, as it is`() async throws {
        let workspace = try workspace(["unsure.json": #"{"aps":{"alert":"He said "hi""}}"#, "good.json": Self.good])
        let unsure = try await workspace.pushsend("lint", "--fix", "unsure.json")
        #expect(unsure.status == 65)
        #expect(unsure.output.contains("error:"))
        #expect(try workspace.read("unsure.json") == #"{"aps":{"alert":"He said "hi""}}"#)
        let before =
            try FileManager.default.attributesOfItem(atPath: workspace.path("good.json"))[.systemFileNumber] as? Int
        #expect(try await workspace.pushsend("lint", "--fix", "good.json").status == 0)
        let after =
            try FileManager.default.attributesOfItem(atPath: workspace.path("good.json"))[.systemFileNumber] as? Int
        #expect(before == after)
    }

    @Test func `findings after --fix are about the repaired text`() async throws {
        let bundle = #""Simulator Target Bundle":"com.example.app.voip""#
        let workspace = try workspace([
            "p.apns": #"{\#(bundle),"aps":{"alert":"\#(String(repeating: "x", count: 4070))"},}"#
        ])
        let ended = try await workspace.pushsend("lint", "--fix", "p.apns", "--push-type", "alert")
        #expect(ended.output.contains("[extra-comma]"))
        #expect(ended.output.contains("[topic-push-type]"), "the topic can be read only now")
        #expect(!ended.output.contains("[payload-too-large]"), "nor is the simulator's key counted")
        #expect(
            try await workspace.pushsend("lint", "p.apns", "--push-type", "alert").output.contains("[topic-push-type]"))
    }

    @Test func `--fix finds a file with any name`() async throws {
        let workspace = try workspace([:])
        try await workspace.prepare("printf '{\"a\":1,}' > 'a b%20ü.json'")
        #expect(try await workspace.pushsend("lint", "--fix", "a b%20ü.json").status == 0)
        try await workspace.prepare("grep -q '^{\"a\":1}$' 'a b%20ü.json'")
    }

    @Test func `--fix of standard input goes to standard output, and what is said beside it`() async throws {
        let ended = try await workspace([:]).pushsend("lint", "--fix", "-", input: "{'aps':{'alert':'Hi'}}")
        #expect(ended.status == 0)
        #expect(ended.output == #"{"aps":{"alert":"Hi"}}"#)
        #expect(ended.errors.contains("stdin:1:2: fixed: "))
    }

    @Test func `a file that cannot be written stays as it was`() async throws {
        let workspace = try workspace(["locked/p.json": Self.broken])
        // Nobody may make files there, not even root.
        let ended = try await workspace.pushsend("lint", "--fix", "/proc/self/limits")
        #expect(ended.status == 65)
        try await workspace.prepare("chmod 500 locked")
        let locked = try await workspace.pushsend("lint", "--fix", "locked/p.json")
        // Root may write all the same.
        #expect(locked.status == 73 || getuid() == 0)
        try await workspace.prepare("chmod 700 locked")
    }

    // MARK: Use

    @Test func `what makes no sense is refused`() async throws {
        let workspace = try workspace(["p.json": Self.good])
        expectRefusal(try await workspace.pushsend("lint"), 64, "file")
        expectRefusal(try await workspace.pushsend("lint", "p.json", "--format", "xml"), 64, "xml")
        expectRefusal(
            try await workspace.pushsend("lint", "p.json", "--json", "--format", "github"), 64, "--format github")
        expectRefusal(try await workspace.pushsend("lint", "-", "-"), 64, "once")
    }
}
