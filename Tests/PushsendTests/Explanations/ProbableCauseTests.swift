import APNSVocabulary
import Testing

@testable import pushsend

@Suite struct ProbableCauseTests {
    @Test func `a bad device token names the other environment, with its flag`() throws {
        let sandbox = try #require(cause(.badDeviceToken, host: APNSHost.sandbox))
        #expect(sandbox.contains("TestFlight"))
        #expect(sandbox.hasSuffix("Try -e production."))
        let production = try #require(cause(.badDeviceToken, host: APNSHost.production))
        #expect(production.contains("Xcode"))
        #expect(production.hasSuffix("Try -e sandbox."))
    }

    @Test func `the environment of another server is unknown`() {
        #expect(cause(.badDeviceToken, host: "localhost") == nil)
    }

    @Test func `a token of another app names the topic, with its flag`() throws {
        let text = try #require(cause(.deviceTokenNotForTopic, topic: "com.example.app"))
        #expect(text.contains("isn't for com.example.app"))
        #expect(text.contains("--topic"))
    }

    @Test func `with the suffix of another kind of push, the bundle id alone is what to try`() throws {
        let text = try #require(cause(.deviceTokenNotForTopic, topic: "com.example.app.voip"))
        #expect(text.contains("\".voip\""))
        #expect(text.contains("--topic com.example.app,"))
    }

    @Test func `a mock that does not know the key names --mock, and Apple's servers do not`() throws {
        let text = try #require(cause(.invalidProviderToken, host: "localhost"))
        #expect(text.contains("localhost doesn't know the key"))
        #expect(text.contains("--mock"))
        #expect(cause(.invalidProviderToken, host: "localhost", usesMock: true) == nil)
        for host in [APNSHost.production, "API.push.apple.com", "api.development.push.apple.com"] {
            #expect(cause(.invalidProviderToken, host: host) == nil)
        }
    }

    @Test(arguments: RejectionReason.known.filter { ![.badDeviceToken, .deviceTokenNotForTopic].contains($0) })
    func `the other words say it all`(reason: RejectionReason) {
        #expect(cause(reason) == nil)
    }

    private func cause(
        _ reason: RejectionReason, topic: String = "com.example.app", host: String = APNSHost.sandbox,
        usesMock: Bool = false
    ) -> String? {
        ProbableCause.sentences(reason, topic: topic, host: host, usesMock: usesMock)
    }
}
