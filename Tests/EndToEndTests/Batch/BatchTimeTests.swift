import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// Campaigns and the time: what is sent later, and what another run sends.
@Suite(.takingTurns) struct BatchTimeTests {
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
