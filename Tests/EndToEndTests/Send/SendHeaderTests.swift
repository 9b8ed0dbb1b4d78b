import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct SendHeaderTests {
    @Test func `every header flag arrives in its header`() async throws {
        let id = "123e4567-e89b-12d3-a456-426614174000"
        try await RunningMock.with { mock in
            let ended = try await mock.send(
                "-m", "x", "--topic", "com.example.app.voip", "--push-type", "voip", "--priority", "5",
                "--collapse-id", "score 7", "--apns-id", id, "--expires", "@1900000000")
            #expect(ended.status == 0)
            #expect(ended.output.contains(id))
            let line = try await mock.request(1)
            #expect(line["topic"] == "com.example.app.voip")
            #expect(line["push_type"] == "voip")
            #expect(line["priority"] == "5")
            #expect(line["collapse_id"] == "score 7")
            #expect(line["apns_id"]?.string == id)
            #expect(line["expiration"] == "1900000000")
            #expect(line["path"]?.string == "/3/device/\(RunningMock.token)")
        }
    }

    @Test(arguments: [("once", "0"), ("@1900000000", "1900000000"), ("2030-03-17T17:46:40Z", "1900000000")])
    func `an expiration can be a word or a point in time`(word: String, header: String) async throws {
        try await RunningMock.with { mock async throws in
            #expect(try await mock.send("-m", "x", "--expires", word).status == 0)
            #expect(try await mock.request(1)["expiration"]?.string == header)
        }
    }

    @Test func `without --expires, and with apple, Apple's own rule holds: there is no header`() async throws {
        try await RunningMock.with { mock async throws in
            #expect(try await mock.send("-m", "x").status == 0)
            #expect(try await mock.send("-m", "x", "--expires", "apple").status == 0)
            #expect(try await mock.request(1)["expiration"] == nil)
            #expect(try await mock.request(2)["expiration"] == nil)
        }
    }

    @Test(arguments: [("90s", 90), ("2h", 7200), ("7d", 604_800)])
    func `an expiration can be a time from now`(word: String, seconds: Int) async throws {
        let earliest = Int(Date().timeIntervalSince1970) + seconds
        try await RunningMock.with { mock in
            #expect(try await mock.send("-m", "x", "--expires", word).status == 0)
            let header = try #require(Int(try await mock.request(1)["expiration"]?.string ?? ""))
            #expect((earliest...Int(Date().timeIntervalSince1970) + seconds).contains(header))
        }
    }
}
