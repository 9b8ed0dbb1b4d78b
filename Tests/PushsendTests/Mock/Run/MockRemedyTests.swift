import APNSVocabulary
import ArgumentParser
import MockAPNs
import Testing

@testable import pushsend

/// What "pushsend mock" says to make the mock accept a request.
@Suite struct MockRemedyTests {
    @Test(arguments: [
        (MockRemedy.acceptAnyCredentials, "Start the mock with --auth any."),
        (
            .trustKey(keyID: "NEWKEY0001", teamID: "TEAM000002"),
            "Start the mock with --trust-key FILE --key-id NEWKEY0001 --team-id TEAM000002, or with --auth any."
        ),
        (.trustAuthority, "Start the mock with --certs DIR and its authority as ca.pem, or with --auth any."),
        (.simulateEnvironment(.production), "Start the mock with --environment production."),
        (
            .useChannelsPort(of: .production),
            "Use the mock's port for the channels of production: its JSON output has both, and --channel-ports sets them."
        ),
        (.acceptUnknownTokens, "Register it, or start the mock with --unknown-tokens accept."),
        (
            .matchEnvironment(ofDevice: .sandbox),
            "Start the mock with --environment sandbox, or register the device for this one."
        ),
        (.serveEarlyStreams, "Start the mock with --early-streams serve."),
        (.changeVariant("Swift.", setting: "idle_time=null"), "Start the mock with --set idle_time=null."),
        (.refuseEarlyStreams, "To reset them, start the mock with --early-streams refuse."),
        (.useHTTP2, "use a client that supports HTTP/2, for example curl --http2"),
        (
            .raiseLimit(.requestBytes),
            "Raise it with --limit request-bytes=VALUE, or remove it with --limit request-bytes=none."
        ),
        (
            .raiseLimit(.resetsPerSecond),
            """
            Raise it with --limit resets-per-second=VALUE, or remove all limits for a load test with --limit none.
            """
        ),
        (.registerAgain, "Register the device again."),
    ])
    func `a remedy names the flag`(remedy: MockRemedy, text: String) {
        #expect(remedy.textWithFlags == text)
    }

    @Test(arguments: [("a; rm", "$(x)"), ("", " "), (String(repeating: "A", count: 33), "é")])
    func `a remedy repeats nothing that a shell could misread`(keyID: String, teamID: String) {
        let text = MockRemedy.trustKey(keyID: keyID, teamID: teamID).textWithFlags
        #expect(text.contains("--key-id KEYID --team-id TEAMID"))
    }
}

@Suite struct MockOptionsTests {
    @Test func `a longer log may have more bytes, a shorter one has the usual number`() throws {
        let usual = MockConfiguration().logBytes
        let long = try MockOptions.parse(["--log-count", "100000"]).configuration()
        #expect(long.logCount == 100_000)
        #expect(long.logBytes == 100_000 * 2048)
        let short = try MockOptions.parse(["--log-count", "5"]).configuration()
        #expect(short.logBytes == usual)
    }
}
