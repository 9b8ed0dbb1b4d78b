import TestSupport
import Testing

@Suite(.takingTurns) struct RepeatTests {
    @Test(arguments: [
        (["-m", "Hello"], [#"{"aps":{"alert":{"body":"Hello (1)"}}}"#, #"{"aps":{"alert":{"body":"Hello (2)"}}}"#]),
        (["-t", "Title"], [#"{"aps":{"alert":{"title":"Title (1)"}}}"#, #"{"aps":{"alert":{"title":"Title (2)"}}}"#]),
        (
            ["-t", "Title", "-m", "Hello"],
            [
                #"{"aps":{"alert":{"body":"Hello (1)","title":"Title"}}}"#,
                #"{"aps":{"alert":{"body":"Hello (2)","title":"Title"}}}"#,
            ]
        ),
        (
            ["--payload", #"{ "aps" : { "alert" : "Testing.. (9)" }, "n":1.50 }"#],
            [
                #"{ "aps" : { "alert" : "Testing.. (9)" }, "n":1.50 }"#,
                #"{ "aps" : { "alert" : "Testing.. (10)" }, "n":1.50 }"#,
            ]
        ),
        (["-m", #"a "quoted" (x)"#], [1, 2].map { #"{"aps":{"alert":{"body":"a \"quoted\" (x) (\#($0))"}}}"# }),
    ])
    func `the text counts, and nothing else changes`(flags: [String], payloads: [String]) async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send(flags + ["--repeat", "2", "--every", "10ms"])
            #expect(ended.status == 0)
            #expect(ended.errorLines.last == "2 pushes: 2 accepted.")
            #expect(ended.output.split(separator: "\n").count == 2)
            let lines = try await [mock.request(1), mock.request(2)]
            #expect(lines.map { $0["payload"]?.string } == payloads)
            #expect(lines.map { $0["connection"] } == [1, 1])
        }
    }

    @Test func `a push without text is repeated as it is, which is said`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("--content-available", "--repeat", "2", "--every", "10ms")
            #expect(ended.status == 0)
            #expect(
                ended.errorLines == [
                    "The payload has no text to number: all pushes are the same.", "2 pushes: 2 accepted.",
                ])
        }
    }

    @Test func `the summary counts by outcome, and the worst is the exit code`() async throws {
        try await RunningMock.with("--unregistered", CurlTests.gone) { mock in
            let ended = try await mock.send(
                "-m", "x", "--repeat", "2", "--every", "10ms", to: [RunningMock.token, CurlTests.gone])
            #expect(ended.status == 1)
            #expect(ended.errorLines.last == "4 pushes: 2 accepted, 2 rejected.")
            let json = try await mock.send("-m", "x", "--repeat", "2", "--every", "10ms", "--json")
            #expect(json.errors == "")
            #expect(json.output.split(separator: "\n").count == 2)
        }
    }

    @Test func `refused credentials end it`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let requests = try await RunningMock.with(in: workspace) { mock in
            let ended = try await mock.send(signedWith: key, "--repeat", "5", "--every", "10ms")
            #expect(ended.status == 77)
            #expect(ended.errorLines.last == "1 push: 1 rejected.")
        }
        #expect(requests.count == 1)
    }

    @Test func `Ctrl-C ends it with a summary and 130`() async throws {
        try await RunningMock.with { mock in
            let program = try mock.workspace.startPushsend([
                "send", RunningMock.token, "--mock", "--state", "mock", "--topic", RunningMock.topic, "-m", "x",
                "--repeat", "9", "--every", "1h",
            ])
            _ = try #require(await program.output.line(0))
            program.interrupt()
            let ended = await program.end()
            #expect(ended.status == 130)
            #expect(ended.errors == "1 push: 1 accepted.\n")
        }
    }
}
