import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct TraceFramesTests {
    @Test func `each frame is shown on standard error, secrets shortened, and the outcome as always`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("-m", "Nobody's business", "--trace-frames", to: [RunningMock.token])
            #expect(ended.status == 0)
            #expect(ended.output.hasPrefix("accepted  apns-id "))
            for words in [
                " 1 > PREFACE", " 1 > SETTINGS", " 1 < SETTINGS", "MAX_CONCURRENT_STREAMS: ", " 1 > HEADERS stream 1, ",
                "apns-topic: com.example.app", "authorization: bearer ey", " 1 > DATA stream 1, ",
                " 1 < HEADERS stream 1, ",
                ":status: 200", " 1 > GOAWAY",
            ] {
                #expect(ended.errors.contains(words), "\(words): \(ended.errors)")
            }
            #expect(!ended.errors.contains("business"))
            #expect(!ended.errors.contains(RunningMock.token))
            #expect(!ended.errors.contains("debug"))
            let quiet = try await mock.send("-m", "Hello", to: [RunningMock.token])
            #expect(quiet.errors == "")
        }
    }
}
