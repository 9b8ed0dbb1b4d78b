import MockAPNs
import PushProvider
import PushWire
import TestSupport
import Testing

/// The record says what a client did on the wire.
@Suite(.timeLimit(.minutes(10))) struct MockConnectionRecordTests {
    @Test func `a whole connection`() async throws {
        try await MockServer.withFaults { mock in
            try await mock.withClient { client in
                for _ in 1...3 { try await client.send(.sample()) }
            }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            #expect(record.number == 1)
            #expect(record.end?.side == .client)
            // Its GOAWAY and its closing of TLS travel one behind the other: either can be seen first.
            #expect(
                ["the client closed TLS", "the client sent GOAWAY and no stream is open"].contains(record.end?.how))
            #expect(record.certificate == nil)
            #expect(record.requestCount == 3)
            #expect(record.streamCount == 3)
            #expect(record.maximumOpenStreams == 1)
            #expect(record.streams.map(\.id) == [1, 3, 5])
            #expect(record.streams.map(\.end) == [.answered, .answered, .answered])
            #expect(record.settings.map(\.settings.maxConcurrentStreams) == [1, 1000])
            #expect(record.settings.allSatisfy { $0.acknowledgedAt != nil })
            #expect(record.resetCount == 0)
            #expect(record.framesReceived[.headers] == 3)
            #expect(record.framesReceived[.data] == 3)
            #expect(record.framesReceived[.pushPromise] == nil)
            #expect(record.framesSent[.headers] == 3)
            #expect(record.framesSent[.settings] == 3, "two of the mock's own, and one acknowledgement")
            let frames = try #require(record.stream(3)?.frames)
            #expect(frames.map(\.type) == [.headers, .data, .headers])
            #expect(frames.map(\.isSent) == [false, false, true])
            #expect(frames.map(\.endsStream) == [false, true, true])
            let windows = try #require(record.windows)
            #expect((1...65_535).contains(windows.receiving) && windows.sending >= 65_535)
            #expect(record.settingsReceived != nil)
            #expect(record.providerTokens.map(\.keyID) == [mock.credentials.keyID])
            #expect(record.providerTokens.map(\.teamID) == [mock.credentials.teamID])
            let use = try #require(record.providerTokens.first)
            #expect((0...3600).contains(use.firstSeen - use.issuedAt))
            let established = try #require(record.establishedAt)
            #expect(record.openedAt <= established)
        }
    }

    @Test func `resets, pings and a GOAWAY of the client`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.noAnswer])) { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            let streamID = try #require(try await client.open())
            _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.requestCount == 1 }
            try await client.reset(streamID, .internalError)
            try await client.perform { $0.http2.ping(7) }
            try await client.wait { !$0.isEmpty && $0.contains { if case .pong = $0 { true } else { false } } }
            try await client.perform { $0.http2.goAway(code: .enhanceYourCalm, debugData: Array("bye".utf8)) }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { !$0.goAwaysReceived.isEmpty }
            #expect(record.resetsReceived.map(\.streamID) == [streamID])
            #expect(record.resetsReceived.map(\.code) == [.internalError])
            #expect(record.stream(streamID)?.end == .resetByClient(.internalError))
            #expect(record.pingCount == 1)
            #expect(record.goAwaysReceived.map(\.code) == [.enhanceYourCalm])
            #expect(record.goAwaysReceived.map(\.text) == ["bye"])
            await client.close()
            let end = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }.end
            #expect(end?.how != "the mock was stopped")
        }
    }

    @Test func `many streams at once`() async throws {
        try await MockServer.withFaults(
            MockFault(steps: [.noAnswer]), adjust: { $0.variants.streamsBeforeAuthentication = 100 }
        ) { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            for _ in 1...50 { try await client.open() }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.requestCount == 50 }
            #expect(record.maximumOpenStreams == 50)
            await client.close()
        }
    }

    @Test func `records are bounded, the oldest give way, and the numbers go on`() async throws {
        try await MockServer.withFaults(adjust: { $0.recordCount = 2 }) { mock in
            for _ in 1...4 { _ = try await mock.outcome() }
            #expect(mock.connectionRecords.map(\.number) == [3, 4])
            #expect(mock.connectionCount == 4)
        }
    }

    @Test func `lists are bounded and counts go on`() async throws {
        try await MockServer.withFaults(adjust: { $0.recordLength = 100 }) { mock in
            let count = 300
            try await mock.withClient { client in
                try await client.send(.sample())
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 2...count { group.addTask { try await client.send(.sample()) } }
                    try await group.waitForAll()
                }
            }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            #expect(record.streamCount == count)
            #expect(record.streams.count <= 100)
            #expect(record.streams.last?.id == Int32(count * 2 - 1))
            #expect(record.stream(1) == nil)
        }
    }

    @Test func `a wait ends when its time is over, when it is cancelled and when the mock stops`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        await #expect { try await mock.connectionRecord(1, within: .milliseconds(20)) } throws: {
            ($0 as? MockWaitError)?.code == .timeout
        }
        let cancelled = Task { try await mock.connectionRecord(1, within: .seconds(60)) }
        cancelled.cancel()
        await #expect { try await cancelled.value } throws: { ($0 as? MockWaitError)?.code == .cancelled }
        let stopped = Task { try await mock.connectionRecord(1, within: .seconds(60)) }
        await mock.stop()
        await #expect { try await stopped.value } throws: { ($0 as? MockWaitError)?.code == .stopped }
    }
}
