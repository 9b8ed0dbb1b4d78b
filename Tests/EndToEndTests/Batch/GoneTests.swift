import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// Dead device tokens are listed where somebody knows when they were registered, and reported where nobody does.
@Suite(.takingTurns) struct GoneTests {
    private static let dead = MockFault(steps: [
        .answer(status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000))
    ])

    @Test func `without registered_at a dead token is counted and reported, and not listed`() async throws {
        try await CampaignGround.with([Self.dead]) { ground in
            let known = #"{"token":"\#(CampaignGround.token(1))","registered_at":1600000000}"#
            let lines = [known] + (2...3).map { #"{"token":"\#(CampaignGround.token($0))"}"# }
            try ground.workspace.write(lines.joined(separator: "\n"), to: "lines")
            let ended = try await ground.batch("lines", "-m", "Hello", "--json", "--out", "out")
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.errors.contains("2 device tokens are inactive (410)"), "\(ended.errors)")
            #expect(ended.errors.contains("--gone-at-face-value"))
            #expect(JSON(parsing: ended.output)["undecided"] == 2)
            #expect(JSON(parsing: ended.output)["gone"] == 1)
            #expect(try ground.workspace.read("out/gone") == CampaignGround.token(1) + "\n")
        }
    }

    @Test func `at face value each 410 is listed, but of a token that was registered again`() async throws {
        try await CampaignGround.with([Self.dead]) { ground in
            let lines = [
                #"{"token":"\#(CampaignGround.token(1))","registered_at":1710000000}"#,
                #"{"token":"\#(CampaignGround.token(2))"}"#,
            ]
            try ground.workspace.write(lines.joined(separator: "\n"), to: "lines")
            let ended = try await ground.batch(
                "lines", "-m", "Hello", "--json", "--gone-at-face-value", "--out", "out")
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(!ended.errors.contains("--gone-at-face-value"))
            #expect(JSON(parsing: ended.output)["undecided"] == 0)
            #expect(try ground.workspace.read("out/gone") == CampaignGround.token(2) + "\n")
        }
    }
}
