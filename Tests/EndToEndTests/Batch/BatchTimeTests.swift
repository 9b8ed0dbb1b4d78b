import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// Campaigns and the time: what is sent later, and what another run sends.
@Suite(.takingTurns) struct BatchTimeTests {
    @Test func `a time of day is one of the time zone`() async throws {
        try await CampaignGround.with { ground in
            // More than the time until that minute takes.
            try ground.workspace.write((0..<600).map { CampaignGround.token($0) }.joined(separator: "\n"), to: "lines")
            let there = Int(Date().timeIntervalSince1970) + 60 + 5 * 3600 + 1800
            let time = String(format: "%02d:%02d", there / 3600 % 24, there / 60 % 60)
            let flags = ["lines", "-m", "Hello", "--json", "--rate", "2/s", "--stop-at", time]
            let ended = try await ground.workspace.startPushsend(
                ["batch"] + flags + ground.usual, environment: ["TZ": "<+0530>-5:30"]
            ).end()
            #expect(ended.status == 75 && ended.json["stopped"] == "time", "\(ended.errors)")
        }
    }

    @Test(arguments: ["update", "background", "voip", "controls", "pushtotalk", "live-activity-end", "widget"])
    func `a template makes the same push in a campaign as alone`(template: String) async throws {
        try await CampaignGround.with { ground in
            let token = CampaignGround.token(1)
            try ground.workspace.write(token, to: "lines")
            let flags = ["--template", template] + ground.usual
            let alone = try await ground.workspace.pushsend(["send", token] + flags)
            let campaign = try await ground.workspace.pushsend(["batch", "lines"] + flags)
            #expect(alone.status == 0 && campaign.status == 0, "\(alone.errors)\(campaign.errors)")
            let heads = ground.mock.arrivals.map(\.request).map {
                [$0.topic, $0.pushType?.rawValue, $0.priority, $0.expiration, $0.collapseID]
            }
            #expect(heads.count == 2 && heads.first == heads.last)
        }
    }

    @Test(arguments: [["--template", "live-activity-update"], ["--template", "live-activity-start", "-t", "Hi"]])
    func `a template with times in it goes on as the same campaign`(flags: [String]) async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write((0..<60).map { CampaignGround.token($0) }.joined(separator: "\n"), to: "lines")
            let command = ["lines", "--window", "20"] + flags
            func start(_ more: String...) throws -> RunningProgram {
                let topic = RunningMock.topic + ".push-type.liveactivity"
                return try ground.workspace.startPushsend(
                    ["batch"] + command + more + ground.usual.dropLast() + [topic])
            }
            let program = try start("--rate", "20/s")
            _ = try await ground.mock.arrival(21, within: .seconds(120))
            program.kill()
            _ = await program.end()
            let first = try #require(ground.mock.arrivals.first?.payload)
            // At that rate it is another second by now.
            let last = try await start("--json").end()
            #expect(last.status == 0 || last.status == 76, "\(last.errors)")
            #expect(last.json["finished"] == true)
            #expect(Set(ground.mock.arrivals.map(\.payload)) == [first])
            #expect(last.json["before"]?.integer ?? 0 > 0)
            let taken = await ground.takenByToken()
            #expect(taken.values.allSatisfy { $0 == 1 })
            // Begun anew it has the time of that.
            _ = try await start("--restart").end()
            #expect(Set(ground.mock.arrivals.map(\.payload)).count == 2)
        }
    }
}
