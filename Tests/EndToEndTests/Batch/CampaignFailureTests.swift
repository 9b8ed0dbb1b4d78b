import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// Every way in which a campaign can fail as a whole, and that the same command goes on when the cause is gone.
@Suite(.takingTurns) struct CampaignFailureTests {
    private static func flags(_ row: CampaignFailure) -> [String] {
        ["lines", "-m", "Hello", "--json", "--outage-wait", "3s", "--timeout", row.timeout, "--out", "out"]
    }

    @Test(arguments: CampaignFailure.all)
    func `a campaign that fails as a whole stops, keeps its lines, and says so`(row: CampaignFailure) async throws {
        try await CampaignGround.with(row.faults) { ground in
            try ground.workspace.write(CampaignFailure.lines, to: "lines")
            // On the first port of this machine nobody listens.
            let elsewhere = row.hasServer ? [] : ["--endpoint", "127.0.0.1:1"]
            var first = try await ground.start(Self.flags(row), instead: elsewhere + row.flags).end()
            var requestsBefore = 0
            for timeout in ["20s", "60s"]
            where row.stopped == "outage" && JSON(parsing: first.output)["stopped"] == "unreachable" {
                // A busy machine needs more than the short time of this row to connect, which is another failure.
                requestsBefore = ground.mock.arrivalCount
                first = try await ground.start(Self.flags(row) + ["--timeout", timeout, "--restart"]).end()
            }
            #expect(first.status == row.exit, "\(first.errors)")
            #expect(row.message.isEmpty || first.errors.contains(row.message), "\(first.errors)")
            let summary = JSON(parsing: first.output)
            #expect(summary["stopped"]?.string == row.stopped, "\(first.output)")
            #expect(summary["finished"] == false)
            let requests = ground.mock.arrivalCount - requestsBefore
            #expect(requests <= row.maximumRequests, "\(requests)")
            // Nothing that can be corrected or may pass is final.
            #expect(summary["rejected"] == 0)
            #expect((summary["unknown"]?.integer ?? 0) <= row.maximumUnknown)
            // Another place would be another campaign.
            guard row.flags.isEmpty, row.hasServer else { return }
            try await goesOn(row, ground)
        }
    }

    /// The cause is gone: the same command sends every line that was not taken, once.
    private func goesOn(_ row: CampaignFailure, _ ground: CampaignGround) async throws {
        ground.mock.removeAllFaults()
        // Without the short times of the row: a slow answer is no failure here.
        let second = try await ground.batch("lines", "-m", "Hello", "--json", "--timeout", "60s", "--out", "out")
        #expect(second.status == row.exitAfterCorrection, "\(second.errors)")
        let totals = try #require(JSON(parsing: second.output)["totals"])
        let unknown = totals["unknown"]?.integer ?? 0
        #expect(unknown <= row.maximumUnknown)
        #expect((totals["accepted"]?.integer ?? 0) + unknown == CampaignFailure.lineCount)
        let taken = await ground.takenByToken()
        #expect(taken.values.allSatisfy { $0 == 1 })
        #expect(taken.count >= CampaignFailure.lineCount - unknown)
        #expect(try ground.results("out").count == CampaignFailure.lineCount)
    }

    @Test func `when the server recovers, the campaign goes on by itself`() async throws {
        let outage = MockFault(
            when: MockFault.Matcher(match: .within(200...230)),
            steps: [.answer(status: 503, reason: .serviceUnavailable, headers: ["retry-after": "1"])])
        try await CampaignGround.with([outage]) { ground in
            try ground.workspace.write(CampaignFailure.lines, to: "lines")
            let ended = try await ground.batch("lines", "-m", "Hello", "--json", "--out", "out")
            #expect(ended.status == 0, "\(ended.errors)")
            let summary = JSON(parsing: ended.output)
            #expect(summary["accepted"]?.integer == CampaignFailure.lineCount)
            #expect(summary["finished"] == true)
            let taken = await ground.takenByToken()
            #expect(taken.count == CampaignFailure.lineCount)
            #expect(taken.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `a line that the server alone refuses again and again does not hold up the others`() async throws {
        let fault = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken(CampaignGround.token(7))),
            steps: [.answer(status: 500, reason: .internalServerError)])
        try await CampaignGround.with([fault]) { ground in
            try ground.workspace.write(CampaignFailure.lines, to: "lines")
            let ended = try await ground.batch("lines", "-m", "Hello", "--json", "--out", "out")
            #expect(ended.status == 75, "\(ended.errors)")
            let summary = JSON(parsing: ended.output)
            #expect(summary["accepted"]?.integer == CampaignFailure.lineCount - 1)
            #expect(summary["rejected"] == 1)
            #expect(summary["again"] == 1)
            let again = try ground.workspace.read("out/again.jsonl")
            #expect(again.contains(CampaignGround.token(7)))
            let result = try #require(try ground.results("out").first { $0["outcome"] == "rejected" })
            #expect(result["final"] == false)
            #expect((result["attempts"]?.integer ?? 0) > 1)
        }
    }

    @Test
    func
        `a line that the server alone refuses is given up, too, if no other line is left, in the first run or a later one`()
        async throws
    {
        let bad = CampaignGround.token(7)
        let fault = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken(bad)), steps: [.answer(status: 503)])
        try await CampaignGround.with([fault]) { ground in
            try ground.workspace.write("token\n\(CampaignGround.token(1))\n\(bad)\n", to: "two.csv")
            let ended = try await ground.batch("two.csv", "-m", "Hello", "--json", "--out", "out")
            #expect(ended.status == 75, "\(ended.errors)")
            #expect(JSON(parsing: ended.output)["again"] == 1, "\(ended.output)")
            #expect(try ground.workspace.read("out/again.jsonl").contains(bad))
            // The second line is all that is left after the first run.
            let before = ground.mock.arrivalCount
            let first = try ground.start(["two.csv", "-m", "Hello", "--out", "later"])
            _ = try await ground.mock.arrival(before + 3, within: .seconds(120))
            first.interrupt()
            _ = await first.end()
            let later = try await ground.batch("two.csv", "-m", "Hello", "--json", "--out", "later")
            #expect(JSON(parsing: later.output)["stopped"] == nil, "\(later.output)\(later.errors)")
            #expect(try ground.workspace.read("later/again.jsonl").contains(bad))
        }
    }

    @Test func `rejections are the lines' own, and --fail-on-rejected makes them count`() async throws {
        let fault = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken(CampaignGround.token(7))),
            steps: [.answer(status: 410, reason: .unregistered)])
        for (flags, status) in [([], 0), (["--fail-on-rejected"], 1)] as [([String], Int32)] {
            try await CampaignGround.with([fault]) { ground in
                try ground.workspace.write(CampaignFailure.lines, to: "lines")
                let ended = try await ground.start(["lines", "-m", "Hello", "--out", "out"] + flags).end()
                #expect(ended.status == status, "\(ended.errors)")
            }
        }
    }

    @Test func `a campaign that reached no device can be corrected and started with the same folder`() async throws {
        try await CampaignGround.with([
            MockFault(steps: [.answer(status: 400, reason: .badDeviceToken)])
        ]) { ground in
            try ground.workspace.write(CampaignFailure.lines, to: "lines")
            #expect(try await ground.batch("lines", "-m", "Hello", "--out", "out").status == 75)
            ground.mock.removeAllFaults()
            let second = try await ground.batch("lines", "-m", "Hello, corrected", "--out", "out")
            #expect(second.status == 0, "\(second.errors)")
            expectRefusal(
                try await ground.batch("lines", "-m", "Another", "--out", "out"), 65, "the payload")
        }
    }

    @Test func `the documentation has the same table`() throws {
        let page = try String(contentsOf: BuiltProgram.file("docs/batch.md"), encoding: .utf8)
        for row in CampaignFailure.all {
            let line = page.split(separator: "\n").first { $0.hasPrefix("| \(row.name) |") }
            #expect(line?.hasSuffix("| \(row.exit) |") == true, "\(row.name)")
        }
    }
}
