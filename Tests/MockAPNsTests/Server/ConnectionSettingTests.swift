import MockAPNs
import PushProvider
import TestSupport
import Testing

/// The variants that concern whole connections.
@Suite(.timeLimit(.minutes(10))) struct ConnectionSettingTests {
    @Test func `the announced settings follow the variants`() async throws {
        try await MockServer.withFaults(adjust: {
            $0.variants.announcedWindow = 70_000
            $0.variants.announcedHeaderListSize = 9000
            $0.variants.announcedFrameSize = 20_000
            $0.variants.streamsBeforeAuthentication = 7
            $0.variants.streamsAfterAuthentication = 9
        }) { mock in
            try await mock.expectOutcome("accepted")
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.settings.count == 2 }
            let first = try #require(record.settings.first?.settings)
            #expect(first.initialWindowSize == 70_000)
            #expect(first.maxHeaderListSize == 9000)
            #expect(first.maxFrameSize == 20_000)
            #expect(record.settings.map(\.settings.maxConcurrentStreams) == [7, 9])
        }
    }

    @Test func `a rejection lowers the limit to one stream, and the next acceptance restores it`() async throws {
        try await MockServer.withFaults(adjust: { $0.variants.fallsToOneStream = true }) { mock in
            try await mock.withClient { client in
                try await client.expectOutcome("accepted")
                _ = try await client.outcome(of: .sample(MockMagicToken.badDeviceToken.exampleToken))
                try await client.expectOutcome("accepted")
            }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.settings.count == 4 }
            #expect(record.settings.map(\.settings.maxConcurrentStreams) == [1, 1000, 1, 1000])
        }
    }

    @Test(arguments: [[], [MockFault(steps: [.wait(.milliseconds(1))])]])
    func `a connection with too many rejections gets a GOAWAY after its last answer`(faults: [MockFault]) async throws {
        try await MockServer.with(faults, adjust: { $0.variants.errorsBeforeGoAway = 4 }) { mock in
            try await mock.withClient { client in
                for _ in 1...2 {
                    let outcome = try await client.outcome(of: .sample(MockMagicToken.badDeviceToken.exampleToken))
                    #expect(outcome.summary == "rejected 400 BadDeviceToken")
                }
                let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
                #expect(record.goAwaysSent.map(\.code) == [.enhanceYourCalm])
                // The client goes on with a new connection.
                try await client.expectOutcome("accepted")
            }
            #expect(mock.connectionCount == 2)
        }
    }

    @Test func `an idle connection gets a GOAWAY with the reason IdleTimeout`() async throws {
        try await MockServer.withFaults(adjust: { $0.variants.idleTime = .seconds(3) }) { mock in
            try await mock.withClient { client in
                try await client.expectOutcome("accepted")
                // A connection before it may have been idle for too long already.
                let number = try #require(mock.arrivals.first).connection
                let record = try await mock.connectionRecord(number, within: .seconds(120)) { $0.end != nil }
                #expect(record.goAwaysSent.map(\.text) == [#"{"reason":"IdleTimeout"}"#])
                #expect(record.streams.map(\.end) == [.answered])
            }
        }
    }

    @Test func `a connection is not idle while a request waits for its answer`() async throws {
        let slow = MockFault(steps: [.wait(.seconds(7))])
        try await MockServer.withFaults(slow, adjust: { $0.variants.idleTime = .seconds(3) }) { mock in
            try await mock.withClient { client in try await client.expectOutcome("accepted") }
            let number = try #require(mock.arrivals.first).connection
            let record = try await mock.connectionRecord(number, within: .seconds(120)) { $0.end != nil }
            #expect(record.streams.map(\.end) == [.answered])
        }
    }

    @Test func `an idle connection goes silent without an end`() async throws {
        try await MockServer.withFaults(adjust: { $0.variants.silenceAfter = .milliseconds(50) }) { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.wentSilentAt != nil }
            #expect(record.end == nil && record.goAwaysSent.isEmpty)
            try await client.open()
            #expect(mock.arrivalCount == 0)
            await client.close()
        }
    }
}
