import Logging
import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

/// A logger for one notification.
@Suite struct SendLoggerTests {
    @Test func `it gets the retries and the outcome of its notification, with its metadata, and nothing of others`()
        async throws
    {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let busy = MockFault(steps: [.answer(status: 503, reason: .serviceUnavailable)], times: 1)
        try mock.inject(busy)
        let client = try PushClient.sample(to: mock) { $0.retry = .quick }
        let log = CapturedLog()
        var logger = log.logger
        logger[metadataKey: "order"] = "42"
        try await client.send(.sample(), logger: logger)
        try await client.send(.sample())
        try mock.inject(MockFault(steps: [.answer(status: 400, reason: .badTopic)], times: 1))
        let outcome = try await client.outcome(of: .sample(), logger: logger)
        #expect(outcome.summary == "rejected 400 BadTopic")
        let lines = log.lines
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.contains("42") && !$0.contains(DeviceToken.sampleHex) })
        #expect(lines[0].hasPrefix("info the notification is sent again") && lines[0].contains("ServiceUnavailable"))
        #expect(lines[1].hasPrefix("debug the notification has its outcome"))
        #expect(lines[2].hasPrefix("notice the notification has its outcome") && lines[2].contains("BadTopic"))
        await client.shutdown()
        await mock.stop()
    }
}
