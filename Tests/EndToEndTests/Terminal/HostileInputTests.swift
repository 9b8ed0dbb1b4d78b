import Foundation
import TestSupport
import Testing

/// Arguments, names and files are shown without the characters that could steer a terminal.
@Suite(.takingTurns) struct HostileInputTests {
    private static let hostile = HostileText.all
    private static let long = String(repeating: "x", count: 100_000)

    // MARK: Arguments

    /// Each is refused, and repeats what was given.
    static let arguments: [[String]] = [
        ["send", "--\(hostile)"], ["send", hostile], [hostile], ["explain", hostile], ["inspect", hostile],
        ["send", "--badge", hostile], ["send", "--environment", hostile], ["send", "--expires", hostile],
        ["send", "--timeout", hostile], ["send", RunningMock.token, "--payload", hostile],
        ["send", RunningMock.token, "-m", "x", "--key", hostile], ["send", RunningMock.token, "-d", hostile],
        ["send", RunningMock.token, "--template", hostile], ["send", RunningMock.token, "--data-json", "a=\(hostile)"],
        ["send", RunningMock.token, "-m", "x", "--mock", "--topic", hostile, "--dry-run"],
        ["send", RunningMock.token, "-m", "x", "--mock", "--state", hostile],
        ["send", RunningMock.token, "-m", "x", "--endpoint", hostile],
        ["send", RunningMock.token, "-m", "x", "--p12", hostile], ["send", "-m", "x", "--save", "\(hostile)/x"],
        ["send", RunningMock.token, "-m", "x", "--proxy", hostile], ["jwt", "--key-id", hostile, "--key", "none"],
        ["lint", hostile], ["lint", "--format", hostile, "x"], ["batch", hostile, "--mock"],
        ["batch", "x", "--sample", hostile], ["mock", "--limit", hostile], ["mock", "--fault", hostile],
        ["mock", "--fault", "{\"\(HostileText.inJSON)\":1}"], ["mock", "--register", hostile],
        ["mock", "--trust-key", hostile, "--team-id", hostile], ["mock", "--listen", hostile],
        ["mock", "ready", "--state", hostile, "--timeout", "0s"], ["try", "--\(hostile)"],
    ]

    @Test(arguments: arguments)
    func `an argument that is repeated does not steer the terminal`(arguments: [String]) async throws {
        let ended = try await Workspace().pushsend(arguments)
        #expect(ended.status != 0)
        HostileText.expectNone(in: ended)
    }

    @Test(arguments: [["--"], ["explain", ""], ["send", ""], ["send", "--badge", ""], ["inspect", ""]])
    func `a long argument is shortened, and the advice behind it stays`(start: [String]) async throws {
        let ended = try await Workspace().pushsend(start.dropLast() + [(start.last ?? "") + Self.long])
        #expect(ended.status != 0)
        #expect(ended.output == "")
        #expect(ended.errors.count < 2500)
        #expect(ended.errorLines.count == 1)
        #expect(ended.errors.hasSuffix(".\n"))
    }

    @Test func `variables too`() async throws {
        for name in ["ENVIRONMENT", "ENDPOINT", "KEY", "P12", "CACERT", "TOKEN", "TOPIC"] {
            let ended = try await Workspace().pushsend(
                "send", "-m", "x", "--dry-run", environment: ["PUSHSEND_\(name)": Self.hostile])
            #expect(ended.status != 0)
            HostileText.expectNone(in: ended)
        }
    }

    // MARK: Files

    /// Writes a file whose name Foundation would write in another way.
    private static func put(_ text: String, _ name: String, in workspace: Workspace) throws {
        let path = workspace.path("x").dropLast() + name
        let file = try #require(fopen(String(path), "w"))
        fputs(text, file)
        fclose(file)
    }

    /// A part of the hostile text that is short enough for the name of a file.
    private static func fileName(_ number: Int) -> String {
        let scalars = Array(hostile.unicodeScalars)
        let length = 40
        let start = min(number * length, max(0, scalars.count - length))
        return String(String.UnicodeScalarView(scalars[start..<min(scalars.count, start + length)]))
            .replacing("/", with: "")
    }

    @Test(arguments: [[], ["--json"], ["--format", "github"]])
    func `lint: names of files, and what is in them`(flags: [String]) async throws {
        let workspace = try Workspace()
        let name = Self.hostile
        for (index, payload) in [
            "{\"aps\":{\"alert\":\"\(name)\",\"\(name)\":1,}}", "{\"\(name)\":{\"\(name)\":\(name)}}",
            "{\"aps\":{\"alert\":{\"\(HostileText.inJSON)\":1},\"sound\":\"\(HostileText.inJSON)\"}}",
        ].enumerated() {
            try Self.put(payload, "\(index)\(Self.fileName(index)).json", in: workspace)
        }
        let ended = try await workspace.pushsend(["lint", "."] + flags)
        #expect(ended.status == 65)
        HostileText.expectNone(in: ended)
    }

    @Test func `a payload that is shown`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try workspace.write("{\"aps\":{\"alert\":\"\(Self.hostile)\"}}", to: "payload.json")
        for flags in [["--dry-run"], ["--dry-run", "--json"], ["--as-curl"]] {
            let ended = try await workspace.pushsend(
                ["send", RunningMock.token, "--payload", "payload.json", "--topic", "com.example.app", "--no-lint"]
                    + ["--key", key, "--team-id", Workspace.teamID] + flags)
            #expect(ended.status == 0)
            HostileText.expectNone(in: ended)
        }
    }

    @Test func `the curl command sends the same payload all the same`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let payload = "{\"aps\":{\"alert\":\"it's\t\(Self.hostile)\"}}"
        try workspace.write(payload, to: "payload.json")
        let ended = try await workspace.pushsend(
            "send", RunningMock.token, "--payload", "payload.json", "--topic", "com.example.app", "--no-lint", "--key",
            key,
            "--team-id", Workspace.teamID, "--as-curl")
        // A curl that prints what it is to send.
        let script = "curl() { while [ $# -gt 1 ]; do [ \"$1\" = --data-binary ] && printf %s \"$2\"; shift; done; }\n"
        let shell = try await workspace.shell(script + ended.output)
        #expect(Array(shell.output.utf8) == Array(payload.utf8), "\(ended.output)")
    }

    @Test func `on a terminal, JSON that is handed on is escaped; in a pipe it is as it was`() async throws {
        let workspace = try Workspace()
        let payload = "{\"aps\":{\"alert\":\"Hi \u{9B}31m\u{202E}\"}}"
        try workspace.write(payload, to: "payload.json")
        let flags = ["send", "--payload", "payload.json", "--save", "-"]
        let shown = try await workspace.terminal(flags, [])
        #expect(shown.output == #"{"aps":{"alert":"Hi \u009b31m\u202e"}}"#)
        #expect(try await workspace.pushsend(flags).output == payload)
    }

    @Test func `lines of a campaign`() async throws {
        try await CampaignGround.with { ground in
            let (text, json) = (Self.hostile, HostileText.inJSON)
            let name = "\(Self.fileName(0)).jsonl"
            try Self.put(
                """
                {"token":"\(json)","ref":"\(json)"}
                {"token":"\(RunningMock.token)","ref":"\(json)","vars":{"\(json)":"\(json)"}}
                {"token":"\(RunningMock.token)","ref":"\(json)","payload":{"aps":{"alert":"Hi","sound":"\(json)"}}}
                {"token":"\(RunningMock.token)","ref":"\(text)","\(text)":1}
                {"token":"\(RunningMock.token)","ref":"\u{202E}\u{9B}\u{7F}","topic":"\(json)"}
                {"token":"\(RunningMock.token)","push_type":"\(json)","collapse_id":"\(json)","apns_id":"\(json)"}
                \(text)

                """, name, in: ground.workspace)
            let flags = [name, "-m", "Hello {{name|x}}", "--out", "out"]
            for more in [["--dry-run"], ["--dry-run", "--json"], ["--results", "-", "--report", "page.html"]] {
                let ended = try await ground.start(flags + more).end()
                HostileText.expectNone(in: ended)
            }
            let results = try ground.workspace.read("out/results.jsonl")
            HostileText.expectNone(in: Ended(status: 0, output: results, errors: "", wasTooSlow: false))
            let page = try ground.workspace.read("page.html")
            HostileText.expectNone(in: Ended(status: 0, output: page, errors: "", wasTooSlow: false))
            #expect(results.split(separator: "\n").contains { JSON(parsing: String($0))["ref"]?.string == text })
        }
        try await CampaignGround.with { ground in
            try ground.workspace.write(
                "token,\(Self.hostile),\(Self.hostile)\n\(RunningMock.token),1,2\n", to: "people.csv")
            HostileText.expectNone(in: try await ground.batch("people.csv", "-m", "Hello"))
        }
    }

    // MARK: Inspect

    @Test func `the subject of a certificate`() async throws {
        let workspace = try Workspace()
        // What openssl takes for a subject in UTF-8.
        let subject = HostileText.characters.filter { $0.value > 0x20 && $0 != "\u{7F}" }.map { "a\($0)" }.joined()
        try await workspace.prepare(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -utf8 -subj '/UID=\(subject)/CN=\(subject)/OU=\(subject)' \
            -keyout some-key.pem -out cert.pem -days 30 2>/dev/null && cat some-key.pem >> cert.pem
            """)
        for flags in [[], ["--json"]] {
            let ended = try await workspace.pushsend(["inspect", "cert.pem"] + flags)
            HostileText.expectNone(in: ended, mentions: "a\u{FFFD}a")
        }
        let sent = try await workspace.pushsend(
            "send", RunningMock.token, "-m", "x", "--cert", "cert.pem", "--topic", "com.example.app", "--dry-run")
        HostileText.expectNone(in: sent)
    }

    @Test func `the fields of a provider token`() async throws {
        func part(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        let text = HostileText.inJSON + "\\n  Apple  accepts it now"
        let token = [
            part(#"{"alg":"ES256","kid":"\#(text)"}"#), part(#"{"iss":"\#(text)","iat":1}"#),
            String(repeating: "A", count: 86),
        ].joined(separator: ".")
        for flags in [[], ["--json"]] {
            let ended = try await Workspace().pushsend(["inspect", token] + flags)
            #expect(ended.status == 77)
            HostileText.expectNone(in: ended)
            #expect(!ended.output.contains("\n  Apple  accepts"))
        }
    }
}
