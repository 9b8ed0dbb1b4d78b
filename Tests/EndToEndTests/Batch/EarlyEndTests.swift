import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// How a campaign ends that cannot be sent whole: whatever ends it first, what the sender can correct is never final.
@Suite(.takingTurns) struct EarlyEndTests {
    private static func writeTokens(_ numbers: ClosedRange<Int>, on ground: CampaignGround) throws {
        try ground.workspace.write(numbers.map(CampaignGround.token).joined(separator: "\n"), to: "tokens")
    }

    private static let badTokens = MockFault(steps: [.answer(status: 400, reason: .badDeviceToken)])

    /// The cause is gone: the same command sends every line that was not taken, once.
    private func expectRest(_ flags: [String], lines: Int, on ground: CampaignGround) async throws {
        ground.mock.removeAllFaults()
        let last = try await ground.start(flags).end()
        #expect(last.status == 0, "\(last.errors)")
        let taken = await ground.takenByToken()
        #expect(taken.count == lines)
        #expect(taken.values.allSatisfy { $0 == 1 })
        #expect(try ground.results("out").filter { $0["outcome"] == "accepted" }.count == lines)
    }

    @Test func `a run that is stopped before its first line says nothing about the lines`() async throws {
        try await CampaignGround.with { ground in
            let writer = SlowWriter()
            let flags = ["-", "-m", "Hello", "--json", "--out", "out", "--stop-at", "1s"]
            let ended = try await ground.start(flags, from: writer).end()
            #expect(ended.status == 75 && ended.json["stopped"] == "time", "\(ended.errors)")
            #expect(!ended.errors.contains("no lines"), "\(ended.errors)")
        }
    }

    @Test func `the first line that can be sent shows that each has its own topic`() async throws {
        try await CampaignGround.with { ground in
            let topic = RunningMock.topic
            try ground.workspace.write("token,topic\nnone,\(topic)\n\(CampaignGround.token(1)),\(topic)\n", to: "lines")
            let ended = try await ground.workspace.pushsend(
                ["batch", "lines", "-m", "Hello", "--json"] + ground.usual.dropLast(2))
            #expect(ended.status == 0 && ended.json["accepted"] == 1 && ended.json["invalid"] == 1, "\(ended.errors)")
        }
    }

    @Test func `a few lines that must wait for a day are kept, and the run does not wait`() async throws {
        let busy = MockFault(steps: [
            .answer(status: 503, reason: .serviceUnavailable, headers: ["retry-after": "86400"])
        ])
        try await CampaignGround.with([busy]) { ground in
            try Self.writeTokens(1...5, on: ground)
            let flags = ["tokens", "-m", "Hello", "--json", "--out", "out"]
            let first = try await ground.start(flags).end()
            #expect(first.status == 75, "\(first.errors)")
            #expect(JSON(parsing: first.output)["stopped"] == "outage")
            #expect(first.errors.contains("asks to wait"), "\(first.errors)")
            try await expectRest(flags, lines: 5, on: ground)
        }
    }

    @Test func `one line that is to wait for a day does not hold up the end`() async throws {
        let busy = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken(CampaignGround.token(7))),
            steps: [.answer(status: 429, reason: .tooManyRequests, headers: ["retry-after": "86400"])])
        try await CampaignGround.with([busy]) { ground in
            try Self.writeTokens(1...300, on: ground)
            let flags = ["tokens", "-m", "Hello", "--json", "--out", "out"]
            let first = try await ground.start(flags).end()
            #expect(first.status == 75, "\(first.errors)")
            #expect(JSON(parsing: first.output)["accepted"] == 299)
            try await expectRest(flags, lines: 300, on: ground)
        }
    }

    @Test(arguments: [["--max-errors", "30"], ["--max-errors", "30", "--window", "50"], ["--window", "120"]])
    func `what looks like the fault of the setup is final for no other stop and no small window`(
        flags: [String]
    ) async throws {
        try await CampaignGround.with([Self.badTokens]) { ground in
            try Self.writeTokens(1...1000, on: ground)
            let usual = ["tokens", "-m", "Hello", "--out", "out"]
            let first = try await ground.start(usual + flags + ["--results", "-"]).end()
            #expect(first.status == 75, "\(first.errors)")
            #expect(!first.output.contains("\"final\":true"))
            #expect(try ground.results("out").isEmpty)
            try await expectRest(usual, lines: 1000, on: ground)
        }
    }

    @Test func `with --max-errors a short campaign stops as well`() async throws {
        try await CampaignGround.with([Self.badTokens]) { ground in
            try Self.writeTokens(1...60, on: ground)
            let flags = ["tokens", "-m", "Hello", "--json", "--out", "out"]
            let first = try await ground.start(flags + ["--max-errors", "5", "--concurrency", "1"]).end()
            #expect(first.status == 75, "\(first.errors)")
            #expect(JSON(parsing: first.output)["stopped"] == "errors")
            #expect(ground.mock.arrivalCount < 60)
            try await expectRest(flags, lines: 60, on: ground)
        }
    }

    @Test func `a topic that is refused keeps no other topic back, however the lines are sorted`() async throws {
        let refused = MockFault(
            when: MockFault.Matcher(topic: "com.example.other"), steps: [.answer(status: 400, reason: .topicDisallowed)]
        )
        try await CampaignGround.with([refused]) { ground in
            let lines = (1...12_000).map { number in
                let topic = number <= 11_900 ? "com.example.other" : RunningMock.topic
                return #"{"token":"\#(CampaignGround.token(number))","topic":"\#(topic)"}"#
            }
            try ground.workspace.write(lines.joined(separator: "\n"), to: "lines")
            let first = try await ground.batch("lines", "-m", "Hello", "--json", "--out", "out")
            #expect(first.status == 77, "\(first.errors)")
            #expect(JSON(parsing: first.output)["accepted"] == 100)
            #expect(ground.mock.arrivalCount < 1000)
        }
    }

    @Test func `a few lines for which no connection can be made end with the reason`() async throws {
        try await CampaignGround.with { ground in
            try Self.writeTokens(1...5, on: ground)
            let flags = ["tokens", "-m", "Hello", "--json", "--out", "out"]
            let stranger = ["--cacert", "/etc/ssl/certs/ca-certificates.crt"]
            let first = try await ground.start(flags, instead: stranger).end()
            #expect(first.status == 69, "\(first.errors)")
            #expect(first.errors.contains("certificate"), "\(first.errors)")
            try await expectRest(flags, lines: 5, on: ground)
        }
    }

    @Test func `dead tokens that were not collected are not deleted by another campaign`() async throws {
        let dead = MockFault(steps: [
            .answer(status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000))
        ])
        try await CampaignGround.with([dead]) { ground in
            try ground.workspace.write(
                #"{"token":"\#(CampaignGround.token(1))","registered_at":1600000000}"#, to: "lines")
            #expect(try await ground.batch("lines", "-m", "Hello", "--out", "out").status == 0)
            expectRefusal(try await ground.batch("lines", "-m", "Another", "--out", "out"), 65, "the payload")
            #expect(try ground.workspace.read("out/gone") == CampaignGround.token(1) + "\n")
            try await ground.workspace.prepare("rm out/gone")
            #expect(try await ground.batch("lines", "-m", "Another", "--out", "out").status == 0)
        }
    }
}
