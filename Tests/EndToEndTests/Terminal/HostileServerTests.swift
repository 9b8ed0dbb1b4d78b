import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// What a server or a proxy says reaches a terminal without the characters that could steer it.
@Suite(.takingTurns) struct HostileServerTests {
    private static let long = String(repeating: "x", count: 50_000)

    private static func answer(_ status: Int, _ body: String = "") -> MockFault {
        var answer = MockFault.Answer(
            status: status, headers: ["apns-id": HostileText.inHeader, "apns-unique-id": HostileText.inHeader])
        if !body.isEmpty { answer.body = .text(body) }
        return MockFault(steps: [.answer(answer)])
    }

    /// What the server does, and a word by which its text is found in the output.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fault: MockFault
        var word = "a\u{FFFD}a"
    }

    static let ways = [
        Way(testDescription: "apns-id and apns-unique-id of an acceptance", fault: answer(200)),
        Way(testDescription: "reason", fault: answer(400, "{\"reason\":\"\(HostileText.inJSON)\"}")),
        Way(
            testDescription: "a long reason", fault: answer(400, "{\"reason\":\"\(HostileText.inJSON)\(long)\"}"),
            word: "…xxx"),
        Way(testDescription: "a body that is no JSON", fault: answer(500, "<html>\(HostileText.all)")),
        Way(
            testDescription: "GOAWAY",
            fault: MockFault(steps: [
                .goAway(.this, code: .noError, text: HostileText.all), .closeConnection(.tcpClosed),
            ])),
        Way(
            testDescription: "a reason in GOAWAY",
            fault: MockFault(steps: [
                .goAway(.this, code: .noError, text: "{\"reason\":\"\(HostileText.inJSON)\"}"),
                .closeConnection(.tcpClosed),
            ])),
    ]

    @Test(arguments: ways)
    func `what a server says is shown without what could steer the terminal`(way: Way) async throws {
        try await CampaignGround.with([way.fault]) { ground in
            for flags in [[], ["-v"], ["--trace-frames"]] {
                let ended = try await ground.send(flags)
                HostileText.expectNone(in: ended, mentions: way.word)
            }
        }
    }

    @Test func `in JSON it is escaped, and the value stays the same`() async throws {
        let fault = Self.answer(400, "{\"reason\":\"\(HostileText.inJSON)\"}")
        try await CampaignGround.with([fault]) { ground in
            let ended = try await ground.send(["--json"])
            HostileText.expectNone(in: ended, mentions: "\\u202e")
            #expect(ended.json["reason"]?.string == HostileText.all)
            #expect(ended.json["apns_id"]?.string == HostileText.inHeader)
            try ground.workspace.write(RunningMock.token + "\n", to: "tokens.txt")
            let batch = try await ground.batch("tokens.txt", "-m", "Hello", "--results", "-", "--report", "page.html")
            HostileText.expectNone(in: batch, mentions: "\\u202e")
            let result = JSON(parsing: try ground.workspace.read("tokens.txt.pushsend/results.jsonl"))
            #expect(result["reason"]?.string == HostileText.all)
            let page = Ended(status: 0, output: try ground.workspace.read("page.html"), errors: "", wasTooSlow: false)
            HostileText.expectNone(in: page, mentions: "a\u{FFFD}a")
        }
    }

    @Test func `what a proxy answers`() async throws {
        let answers = [
            "HTTP/1.1 403 \(HostileText.all)\r\n\r\n", "HTTP/1.1 200 OK\r\n\(HostileText.all)\r\n\r\n",
            "\(HostileText.all)\r\n\r\n",
        ]
        for answer in answers {
            try await CampaignGround.with { ground in
                try await StrangeServer.with(saying: answer) { proxy in
                    let ended = try await ground.send(["--proxy", "http://127.0.0.1:\(proxy.port)"])
                    #expect(ended.status == 69)
                    HostileText.expectNone(in: ended)
                }
            }
        }
    }

    @Test func `what a client sends to the mock`() async throws {
        let workspace = try Workspace()
        let mock = try workspace.startPushsend(["mock", "--port", "0", "--state", "mock"])
        var lines = 0
        while let line = await mock.output.line(lines), !line.contains("Received requests:") { lines += 1 }
        let payload = "{\"aps\":{\"alert\":\"\(HostileText.all)\"}}"
        try workspace.write(payload, to: "payload.json")
        let sent = try await workspace.pushsend(
            "send", RunningMock.token, "--mock", "--state", "mock", "--topic", "com.example.app", "--no-lint",
            "--payload", "payload.json")
        HostileText.expectNone(in: sent)
        while let line = await mock.output.line(lines), !line.contains("  200  ") { lines += 1 }
        mock.interrupt()
        HostileText.expectNone(in: await mock.end(), mentions: "{\"aps\":{\"alert\":\"a\u{FFFD}a")
    }
}

extension CampaignGround {
    /// `pushsend send` of one push.
    fileprivate func send(_ flags: [String]) async throws -> Ended {
        try await workspace.pushsend(["send", RunningMock.token, "-m", "Hello"] + flags + usual)
    }
}
