import TestSupport
import Testing

@Suite(.takingTurns) struct StreamSettingsTests {
    /// Seen at Apple's: one stream until a request is authenticated, a thousand from then on.
    @Test func `the mock allows one stream until a provider token was taken, then a thousand`() async throws {
        let python = try #require(
            BuiltProgram.python,
            "There is no Python with httpx: run scripts/setup --for test, which makes one in .build/venv.")
        try await RunningMock.with { mock in
            let bearer = "bearer \(try await mock.providerToken())"
            let ended = try await mock.workspace.run([
                python, BuiltProgram.client("h2_settings.py"), "\(mock.port)", mock.caFile, bearer,
            ])
            #expect(ended.errors == "")
            #expect(ended.output == "1\n1\n1000\n")
        }
    }
}
