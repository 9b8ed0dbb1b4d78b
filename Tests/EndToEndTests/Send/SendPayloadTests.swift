import TestSupport
import Testing

@Suite(.takingTurns) struct SendPayloadTests {
    /// The flags of one call, and the payload that must arrive.
    struct Spoken: Sendable, CustomTestStringConvertible {
        var flags: [String]
        var payload: JSON

        var testDescription: String { flags.joined(separator: " ") }
    }

    static let spoken: [Spoken] = [
        Spoken(flags: ["-m", "Hello"], payload: ["aps": ["alert": ["body": "Hello"]]]),
        Spoken(
            flags: ["--message", "Text", "--title", "Title", "--subtitle", "Second"],
            payload: ["aps": ["alert": ["body": "Text", "title": "Title", "subtitle": "Second"]]]),
        Spoken(flags: ["-t", "Title"], payload: ["aps": ["alert": ["title": "Title"]]]),
        Spoken(flags: ["-b", "3"], payload: ["aps": ["badge": 3]]),
        Spoken(flags: ["--badge", "0"], payload: ["aps": ["badge": 0]]),
        Spoken(flags: ["-m", "x", "-s", "default"], payload: ["aps": ["alert": ["body": "x"], "sound": "default"]]),
        Spoken(
            flags: ["-m", "x", "-y", "INVITE", "--thread-id", "chat-7"],
            payload: ["aps": ["alert": ["body": "x"], "category": "INVITE", "thread-id": "chat-7"]]),
        Spoken(
            flags: ["-m", "x", "--mutable-content"], payload: ["aps": ["alert": ["body": "x"], "mutable-content": 1]]),
        Spoken(flags: ["--content-available"], payload: ["aps": ["content-available": 1]]),
        Spoken(
            flags: ["-m", "x", "-d", "order=42", "--data", "note=a=b"],
            payload: ["aps": ["alert": ["body": "x"]], "order": "42", "note": "a=b"]),
        Spoken(
            flags: ["-m", "x", "--data-json", #"ids=[1,"two",null]"#, "--data-json", "on=true"],
            payload: ["aps": ["alert": ["body": "x"]], "ids": [1, "two", .null], "on": true]),
        Spoken(flags: ["-m", #"ünï "quoted" \ 🚀"#], payload: ["aps": ["alert": ["body": #"ünï "quoted" \ 🚀"#]]]),
        Spoken(flags: ["--message=-5 degrees"], payload: ["aps": ["alert": ["body": "-5 degrees"]]]),
        Spoken(
            flags: ["--payload", #" {"aps":{"alert":"raw"},"n":1.5}"#],
            payload: ["aps": ["alert": "raw"], "n": .number(1.5)]),
    ]

    @Test(arguments: spoken)
    func `what the flags say arrives`(_ spoken: Spoken) async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send(spoken.flags)
            #expect(ended.status == 0)
            let line = try await mock.request(1)
            #expect(JSON(parsing: line["payload"]?.string ?? "") == spoken.payload)
        }
    }

    @Test func `a payload comes byte for byte from a file, standard input and the command line`() async throws {
        let payload = "{ \"aps\" : { \"alert\" : \"as it is\" } }\n"
        try await RunningMock.with { mock in
            try mock.workspace.write(payload, to: "payload.json")
            #expect(try await mock.send("--payload", "payload.json").status == 0)
            #expect(try await mock.send("--payload", "-", input: payload).status == 0)
            #expect(try await mock.send("--payload", payload).status == 0)
            for number in 1...3 {
                #expect(try await mock.request(number)["payload"]?.string == payload)
            }
        }
    }

    @Test func `of a raw payload, push type and priority are inferred and shown`() async throws {
        try await RunningMock.with { mock in
            let silent = try await mock.send("--payload", #"{"aps":{"content-available":1}}"#)
            #expect(silent.errors == "Push type background, priority 5.\n")
            let loud = try await mock.send("--payload", #"{"aps":{"alert":"Hello","content-available":1}}"#)
            #expect(loud.errors == "Push type alert, priority 10.\n")
            let call = try await mock.send("--payload", "{}", "--topic", "com.example.app.voip")
            #expect(call.errors == "Push type voip, priority 10.\n")
            let said = try await mock.send("--payload", "{}", "--push-type", "alert", "--priority", "1")
            #expect(said.errors == "")

            let lines = try await [mock.request(1), mock.request(2), mock.request(3), mock.request(4)]
            #expect(lines.map { $0["push_type"] } == ["background", "alert", "voip", "alert"])
            #expect(lines.map { $0["priority"] } == ["5", "10", "10", "1"])
        }
    }

    @Test func `--content-available alone is a background push at priority 5`() async throws {
        try await RunningMock.with { mock in
            #expect(try await mock.send("--content-available").status == 0)
            let line = try await mock.request(1)
            #expect(line["push_type"] == "background")
            #expect(line["priority"] == "5")
        }
    }
}
