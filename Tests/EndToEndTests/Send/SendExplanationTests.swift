import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct SendExplanationTests {
    @Test func `on a terminal a rejection is followed by all that explain says of it`() async throws {
        try await RunningMock.with("--unknown-tokens", "reject", "--register", CurlTests.gone + ":other.app") { mock in
            let shown = try await onTerminal(mock, RunningMock.token)
            #expect(shown.contains("rejected  400 BadDeviceToken"))
            for words in ["Whose fault?", "Send again?", "-e production", "More: https://", "/device-tokens.html"] {
                #expect(shown.contains(words), "\(shown)")
            }
            #expect(shown.components(separatedBy: "\r\n").dropFirst().allSatisfy { $0.count <= 80 })
            let other = try await onTerminal(mock, CurlTests.gone)
            #expect(other.contains("rejected  400 DeviceTokenNotForTopic"))
            #expect(other.contains("Probably:"))
            #expect(other.contains("--topic"))
        }
    }

    @Test func `in a pipe it stays one line, which names the probable cause`() async throws {
        try await RunningMock.with("--register", CurlTests.gone + ":other.app") { mock in
            let ended = try await mock.send("-m", "Hello", to: [CurlTests.gone])
            #expect(ended.status == 1)
            #expect(ended.errorLines.count == 1)
            #expect(ended.errors.contains("Probably: The token isn't for com.example.app"))
            #expect(ended.errors.contains("--topic"))
        }
    }

    private func onTerminal(_ mock: RunningMock, _ token: String) async throws -> String {
        let send = ["send", token, "--mock", "--state", "mock", "--topic", "com.example.app", "-m", "Hello"]
        return try await mock.workspace.terminal(send, []).output
    }
}
