import TestSupport
import Testing

@Suite(.takingTurns) struct BadMessageTests {
    @Test(arguments: [
        (RunningMock.token + "a", ["65", "odd"]),
        (RunningMock.token.replacing("b", with: "x"), ["hex"]),
        ("X1rRwHueQoZfOtHAe55Chl860cB7nkKGXzrRwHueQoY=", ["base64", "%02x"]),
        ("", ["device token"]),
    ])
    func `a device token that is none is refused before anything is sent`(
        token: String, words: [String]
    ) async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "x", to: [token])
            expectRefusal(ended, 65)
            for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        #expect(requests.isEmpty)
    }

    @Test(arguments: [
        "<5f3ad1c0 7b9e4286 5f3ad1c0 7b9e4286 5f3ad1c0 7b9e4286 5f3ad1c0 7b9e4286>",
        "Registered with device token: \(RunningMock.token)",
        "Device Token: <5f3ad1c0 7b9e4286 5f3ad1c0 7b9e4286 5f3ad1c0 7b9e4286 5f3ad1c0 7b9e4286>",
        "  \(RunningMock.token)\n",
    ])
    func `a device token as old code printed it, or with its console line, is understood with a note`(
        pasted: String
    ) async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "x", to: [pasted])
            #expect(ended.status == 0)
            #expect(ended.errors.hasPrefix("note: "))
            #expect(ended.errorLines.count == 1)
            #expect(try await mock.request(1)["token"]?.string == RunningMock.token)
        }
    }

    @Test func `an upper-case device token is taken without a word`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "x", to: [RunningMock.token.uppercased()])
            #expect(ended.status == 0)
            #expect(ended.errors == "")
        }
    }

    /// The flags of one call that must not be sent, the exit code, and words that must be said of it.
    struct Bad: Sendable, CustomTestStringConvertible {
        var flags: [String]
        var input = ""
        var status: Int32
        var words: [String]

        var testDescription: String { String(flags.joined(separator: " ").prefix(80)) }
    }

    static let bad: [Bad] = [
        Bad(
            flags: ["--payload", "-"], input: "Hello", status: 65,
            words: ["isn't JSON", "line 1, column 1", "{\"aps\""]),
        Bad(flags: ["--payload", "-"], status: 65, words: ["nothing on standard input"]),
        Bad(
            flags: ["--payload", #"{"aps":{"alert":"x",}}"#], status: 65,
            words: ["isn't JSON", "line 1, column 20"]),
        Bad(flags: ["--payload", "-"], input: "[]", status: 65, words: ["payload", "object"]),
        Bad(
            flags: ["--payload", CurlTests.payload(bytes: 4097)], status: 65,
            words: ["4097 bytes", "1 more than the limit"]),
        Bad(flags: ["--payload", "missing.json"], status: 66, words: ["missing.json"]),
        Bad(flags: ["--payload", "."], status: 66, words: ["\".\""]),
        Bad(flags: ["--payload", "{}", "-m", "x"], status: 64, words: ["--payload", "leave out"]),
        Bad(flags: ["-d", #"{"aps":{"alert":"x"}}"#], status: 64, words: ["did you mean --payload"]),
        Bad(flags: ["-d", "word"], status: 64, words: ["word", "KEY=TEXT"]),
        Bad(flags: ["-d", "aps=x"], status: 64, words: ["aps", "--payload"]),
        Bad(flags: ["--data-json", "ids=[1,"], status: 65, words: ["ids", "isn't JSON"]),
        Bad(flags: ["--data-json", "id=18446744073709551615"], status: 65, words: ["id", "more digits"]),
        Bad(flags: ["--data-json", #"a={"b":1,"b":2}"#], status: 65, words: ["--data-json a: ", "\"b\""]),
        Bad(flags: [], status: 64, words: ["no message", "-m", "--payload"]),
        Bad(
            flags: ["-m", "x", "--push-type", "voip"], status: 65,
            words: ["com.example.app", "voip", "bundle id followed by .voip"]),
        Bad(
            flags: ["-m", "x", "--topic", "com.example.app.voip", "--push-type", "location"], status: 65,
            words: ["com.example.app.voip", "location"]),
        Bad(flags: ["-m", "x", "--topic", "com.example app"], status: 65, words: ["com.example app", "letters"]),
        Bad(flags: ["-m", "x", "--priority", "7"], status: 65, words: ["7", "10 to deliver immediately"]),
        Bad(flags: ["-m", "x", "--priority", "high"], status: 64, words: ["high", "--priority", "10, 5 or 1"]),
        Bad(
            flags: ["--content-available", "--priority", "10"], status: 65,
            words: ["background", "priority 10", "Use 5"]),
        Bad(
            flags: ["-m", "x", "--collapse-id", String(repeating: "x", count: 65)], status: 65,
            words: ["65 bytes", "64"]),
        Bad(flags: ["-m", "x", "--apns-id", "7"], status: 64, words: ["\"7\"", "UUID"]),
        Bad(flags: ["-m", "x", "--expires", "tomorrow"], status: 64, words: ["tomorrow", "--expires", "2h or 7d"]),
        Bad(flags: ["-m", "x", "--expires", "@1900000000000"], status: 65, words: ["milliseconds"]),
        Bad(flags: ["-m", "x", "--timeout", "5"], status: 64, words: ["\"5\"", "--timeout", "with its unit", "30s"]),
        Bad(flags: ["-m", "x", "--timeout", "0s"], status: 64, words: ["--timeout", "longer than zero"]),
        Bad(flags: ["-m", "x", "--badge", "many"], status: 64, words: ["many", "number"]),
        Bad(flags: ["-m", "x", "--loud"], status: 64, words: ["--loud", "pushsend send --help"]),
        Bad(flags: ["-m", "x", "--endpoint", "localhost"], status: 64, words: ["--mock", "leave out --endpoint"]),
        Bad(flags: ["-m"], status: 64, words: ["-m", "pushsend send --help"]),
    ]

    @Test(arguments: bad)
    func `what makes no sense is refused before anything is sent`(_ bad: Bad) async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.send(bad.flags, input: bad.input)
            expectRefusal(ended, bad.status)
            for word in bad.words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        #expect(requests.isEmpty)
    }

    @Test func `what the command cannot do without is asked for`() async throws {
        let workspace = try Workspace()
        expectRefusal(try await workspace.pushsend("send", "--mock", "-m", "x"), 64, "<token>", "pushsend send --help")
        expectRefusal(
            try await workspace.pushsend("send", RunningMock.token, "--mock", "-m", "x"), 64, "topic", "--topic",
            "bundle id")
        expectRefusal(try await workspace.pushsend("shout"), 64, "shout", "pushsend --help")
    }

    @Test(arguments: ["localhost:0", "localhost:65536", "localhost:https", "[::1", "a b:443", ":443", "host:1/path"])
    func `an endpoint that is none is refused`(endpoint: String) async throws {
        let ended = try await Workspace().pushsend(
            "send", RunningMock.token, "--topic", "a.b", "-m", "x", "--endpoint", endpoint)
        expectRefusal(ended, 64, endpoint, "--endpoint", "such as localhost:8443")
    }
}
