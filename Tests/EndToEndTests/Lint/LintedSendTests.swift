import TestSupport
import Testing

/// The lint before a push.
@Suite(.takingTurns) struct LintedSendTests {
    private static let odd = "{\n  \"aps\": {\"sound\": \"chime\"}\n}\n"
    private static let wrong = #"{"aps":{"badge":-1}}"#

    @Test func `an error stops the push, with its place in the file`() async throws {
        let requests = try await RunningMock.with { mock in
            try mock.workspace.write(Self.wrong, to: "p.json")
            let ended = try await mock.send("--payload", "p.json")
            #expect(ended.status == 65)
            #expect(ended.output == "")
            #expect(ended.errors.hasPrefix("p.json:1:17: error: The badge is negative. "))
            #expect(ended.errors.hasSuffix("[badge-number]\n"))
        }
        #expect(requests.isEmpty)
    }

    @Test func `a warning is reported, and the push is sent`() async throws {
        try await RunningMock.with { mock in
            try mock.workspace.write(Self.odd, to: "p.json")
            let ended = try await mock.send("--payload", "p.json", "--json")
            #expect(ended.status == 0)
            #expect(ended.json["outcome"] == "accepted")
            #expect(ended.errorLines.first?.hasPrefix("p.json:2:20: warning: The sound \"chime\"") == true)
            let flags = try await mock.send("-m", "x", "-s", "chime")
            #expect(flags.errors.hasPrefix("pushsend: warning: payload.aps.sound: The sound \"chime\""))
            #expect(try await mock.request(2)["payload"]?.string == #"{"aps":{"alert":{"body":"x"},"sound":"chime"}}"#)
        }
    }

    @Test func `a placeholder that is left is reported by send, and filled in by a campaign`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "Hello {{name}}")
            #expect(ended.status == 0)
            #expect(
                ended.errors.contains(
                    "pushsend: warning: payload: The payload contains the placeholder {{name}}, and no value replaces it."
                ))
            #expect(ended.errors.contains("[placeholder-left]"))
            try mock.workspace.write("{\n\"aps\": {\"alert\": \"Hello {{name}}\"}}", to: "p.json")
            let file = try await mock.send("--payload", "p.json")
            #expect(file.errors.contains("p.json:2:25: warning: The payload contains"), "\(file.errors)")
            #expect(!(try await mock.send("-m", "Hello {{name}}", "--no-lint")).errors.contains("placeholder-left"))
        }
        try await CampaignGround.with { ground in
            try ground.workspace.write("token,name\n\(CampaignGround.token(1)),{{Ann}}\n", to: "people.csv")
            let ended = try await ground.batch("people.csv", "-m", "Hello {{name}}")
            #expect(ended.status == 0)
            #expect(!ended.errors.contains("placeholder-left"))
        }
    }

    @Test func `lint accepts a placeholder as a value of any type, and send does not`() async throws {
        try await RunningMock.with { mock in
            let template = #"{"aps":{"alert":"Hello {{name}}","badge":"{{badge:number|1}}"}}"#
            try mock.workspace.write(template, to: "t.json")
            let ended = try await mock.workspace.pushsend("lint", "t.json")
            #expect(ended.status == 0, "\(ended.output)")
            try mock.workspace.write(
                template.replacing("{{badge:number|1}}", with: "{{badge:number|1}}!"), to: "wrong.json")
            #expect(try await mock.workspace.pushsend("lint", "wrong.json").status == 65)
            let sent = try await mock.send("--payload", "t.json")
            #expect(sent.status == 65 && sent.errors.contains("[badge-number]"), "\(sent.errors)")
        }
    }

    @Test func `an empty text is taken for an empty variable`() async throws {
        try await RunningMock.with { mock in
            expectRefusal(try await mock.send("-m", " "), 64, "-m has no text", "variable")
        }
    }

    @Test func `a payload without its outer braces is explained`() async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.send("--payload", #""aps": {"alert": "Hello"}"#)
            #expect(ended.status == 65)
            #expect(ended.errors.contains("The braces around the payload are missing."), "\(ended.errors)")
            #expect(ended.errors.contains(#"write {"aps":{"alert":"Hello"}}"#))
        }
        #expect(requests.isEmpty)
    }

    @Test(arguments: [wrong, "Hello", #"{"aps":{"alert":"x","badge":1,"content-available":1}}"#])
    func `--no-lint sends the payload as it is`(payload: String) async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send(
                "--payload", "-", "--push-type", "background", "--priority", "10", "--no-lint", input: payload)
            #expect(ended.errorLines.filter { $0.contains("[") }.isEmpty, "\(ended.errors)")
            #expect(try await mock.request(1)["payload"]?.string == payload)
        }
    }

    @Test func `what has no form on the wire is refused in any case`() async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "x", "--topic", "com.example\r\nx: y", "--no-lint")
            #expect(ended.status == 65)
            #expect(ended.errors.contains("isn't allowed in a bundle id"))
        }
        #expect(requests.isEmpty)
    }

    @Test func `the mock answers what the lint would have stopped`() async throws {
        try await RunningMock.with { mock in
            let large = CurlTests.payload(bytes: 4097)
            let ended = try await mock.send("--payload", large, "--no-lint", "--json")
            #expect(ended.status == 1)
            #expect(ended.json["reason"] == "PayloadTooLarge")
        }
    }
}
