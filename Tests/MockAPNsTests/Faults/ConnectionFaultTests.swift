import MockAPNs
import NIOCore
import PushProvider
import PushWire
import TestSupport
import Testing

/// Faults of whole connections over real sockets.
@Suite(.timeLimit(.minutes(10))) struct ConnectionFaultTests {
    // MARK: Settings

    @Test func `settings can be late, and nothing is sent before them`() async throws {
        let fault = MockFault(name: "late", at: .connectionEstablished, steps: [.wait(.milliseconds(300))])
        try await MockServer.withFaults(fault) { mock in
            let clock = ContinuousClock()
            let start = clock.now
            try await mock.expectOutcome("accepted")
            #expect(clock.now - start >= .milliseconds(300))
            let record = mock.connectionRecords[0]
            #expect(record.faults.map(\.name) == ["late"])
            let established = try #require(record.establishedAt)
            let sent = try #require(record.settings.first?.sentAt)
            #expect(sent - established >= 0.29)
            let opened = try #require(record.streams.first).openedAt
            #expect(opened > sent)
        }
    }

    @Test func `settings that never come are not waited for without end`() async throws {
        try await MockServer.withFaults(MockFault(at: .connectionEstablished, steps: [.noAnswer])) { mock in
            let record = try await mock.expectNotSent { $0.settingsTimeout = .milliseconds(200) }
            #expect(record.settings.isEmpty)
            #expect(record.streamCount == 0)
            #expect(record.end?.side == .client)
            #expect(mock.arrivalCount == 0)
        }
    }

    @Test func `settings can be other ones, and change later`() async throws {
        let fault = MockFault(
            at: .connectionEstablished,
            steps: [
                .settings(MockFault.Settings(maxConcurrentStreams: 0, maxHeaderListSize: 4000)),
                .wait(.milliseconds(100)),
                .settings(maxConcurrentStreams: 7),
            ])
        try await MockServer.withFaults(fault) { mock in
            let client = try await WireClient.connect(to: mock)
            let seen = try await client.wait { $0.settings.count == 2 }
            #expect(seen.settings.map(\.maxConcurrentStreams) == [0, 7])
            #expect(seen.settings[0].maxHeaderListSize == 4000)
            try await client.open()
            try await client.wait { $0.ends.count == 1 }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) {
                $0.settings.last?.acknowledgedAt != nil
            }
            // The mock does not raise by itself what a fault has set.
            #expect(record.settings.map(\.settings.maxConcurrentStreams) == [0, 7])
            #expect(record.settings[0].settings.maxHeaderListSize == 4000)
            #expect(record.settings[0].settings.initialWindowSize == nil)
            await client.close()
        }
    }

    @Test func `an empty frame of settings leaves everything at its default`() async throws {
        let fault = MockFault(at: .connectionEstablished, steps: [.settings(MockFault.Settings())])
        try await MockServer.withFaults(fault) { mock in
            let client = try await WireClient.connect(to: mock)
            let seen = try await client.wait { $0.settings.count == 1 }
            #expect(seen.settings[0].maxConcurrentStreams == nil)
            await client.close()
        }
    }

    @Test func `a limit lowered in mid-connection is kept`() async throws {
        let fault = MockFault(when: MockFault.Matcher(request: 2), steps: [.settings(maxConcurrentStreams: 1)])
        try await MockServer.withFaults(fault) { mock in
            try await mock.withClient { client in
                for _ in 1...2 { try await client.send(.sample()) }
                _ = try await mock.connectionRecord(1, within: .seconds(120)) {
                    $0.settings.last?.acknowledgedAt != nil
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...20 { group.addTask { try await client.send(.sample()) } }
                    try await group.waitForAll()
                }
            }
            let record = mock.connectionRecords[0]
            #expect(record.settings.map(\.settings.maxConcurrentStreams) == [1, 1000, 1])
            #expect(record.streamCount == 22)
            #expect(record.maximumOpenStreams == 1)
        }
    }

    // MARK: Ends

    @Test(arguments: MockFault.Closing.allCases)
    func `a connection can end with a request in flight, and the client knows how`(how: MockFault.Closing) async throws
    {
        let fault = MockFault(steps: [.closeConnection(how)], times: 2)
        try await MockServer.withFaults(fault) { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            let seen = try await client.wait { $0.closing != nil }
            #expect(seen.closedTLS == (how == .tlsClosed))
            #expect(seen.closing == (how == .tcpReset ? "reset of TCP" : "end of TCP"))
            let end = try #require(mock.connectionRecords[0].end)
            #expect(end.side == .fault)
            #expect(end.how == how.rawValue)
            #expect(mock.arrivals.map(\.wasAnswered) == [false])

            try await mock.expectOutcome("unknown: connection_lost")
        }
    }

    @Test func `a request can be taken before the connection ends`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.judge, .closeConnection(.tcpReset)])) { mock in
            try await mock.expectOutcome("unknown: connection_lost")
            #expect(mock.arrivals.map(\.verdict.status) == [200])
        }
    }

    @Test(arguments: [MockFault.Closing.tcpClosed, .tcpReset])
    func `a connection can end as soon as it is there, and the next one works`(how: MockFault.Closing) async throws {
        let fault = MockFault(
            at: .connectionAccepted, when: MockFault.Matcher(connection: 1), steps: [.closeConnection(how)])
        try await MockServer.withFaults(fault) { mock in
            try await mock.expectSuccessOnSecondConnection()
            #expect(mock.connectionRecords[0].establishedAt == nil)
            #expect(mock.connectionRecords[0].end?.side == .fault)
        }
    }

    @Test(arguments: MockFault.Closing.allCases)
    func `a connection can end after its handshake, and the next one works`(how: MockFault.Closing) async throws {
        let fault = MockFault(
            at: .connectionEstablished, when: MockFault.Matcher(connection: 1), steps: [.closeConnection(how)])
        try await MockServer.withFaults(fault) { mock in
            try await mock.expectSuccessOnSecondConnection()
            #expect(mock.connectionRecords[0].establishedAt != nil)
            #expect(mock.connectionRecords[0].settings.isEmpty)
        }
    }

    @Test func `TLS may never begin`() async throws {
        try await MockServer.withFaults(MockFault(at: .connectionAccepted, steps: [.noAnswer])) { mock in
            let record = try await mock.expectNotSent { $0.handshakeTimeout = .milliseconds(200) }
            #expect(record.establishedAt == nil)
            #expect(record.end?.side == .client)
        }
    }

    @Test func `TLS may begin late`() async throws {
        try await MockServer.withFaults(MockFault(at: .connectionAccepted, steps: [.wait(.milliseconds(300))])) {
            mock in
            try await mock.expectOutcome("accepted")
            let record = mock.connectionRecords[0]
            let established = try #require(record.establishedAt)
            #expect(established - record.openedAt >= 0.29)
        }
    }

    @Test func `a GOAWAY can be the first word after the settings, and the next connection works`() async throws {
        let fault = MockFault(
            at: .connectionEstablished, when: MockFault.Matcher(connection: 1),
            steps: [.goAway(.none, reason: .shutdown)])
        try await MockServer.withFaults(fault) { mock in
            try await mock.expectSuccessOnSecondConnection()
            #expect(mock.connectionRecords[0].goAwaysSent.map(\.lastStreamID) == [0])
        }
    }

    @Test func `a connection can end properly behind an answer, and the next one works`() async throws {
        let fault = MockFault(
            when: MockFault.Matcher(request: 1),
            steps: [
                .answer(status: 200), .goAway(.newest, reason: .idleTimeout), .closeConnection(.tlsClosed),
            ])
        try await MockServer.withFaults(fault) { mock in
            try await mock.withClient { client in
                try await client.expectOutcome("accepted")
                _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
                try await client.expectOutcome("accepted")
            }
            #expect(mock.arrivals.map(\.connection) == [1, 2])
        }
    }

    @Test func `a fault that repeats a wait without a time leaves the others their turns`() async throws {
        // A client doesn't wait for its connection until 30 million steps are done.
        let waits = Array(repeating: MockFault.Step.wait(.zero), count: 99)
        let fault = MockFault(
            at: .connectionAccepted, when: MockFault.Matcher(connection: 1), steps: [.repeated(waits, times: 300_000)]
        )
        try await MockServer.withFaults(fault) { mock in
            let held = try await WireClient.connect(to: mock)
            // Until the mock has counted it, another connection can become its first.
            _ = try await mock.connectionRecord(1, within: .seconds(120))
            // The mock has several loops. One of these connections shares that of the first.
            for _ in 0..<System.coreCount { try await mock.expectOutcome("accepted") }
            #expect(mock.connectionRecords.first?.end == nil)
            _ = held
        }
    }

    @Test func `a mock that sends slowly stops`() async throws {
        let fault = MockFault(at: .connectionEstablished, steps: [.trickle(bytes: 1, every: .seconds(60))])
        try await MockServer.withFaults(fault) { mock in
            let client = try await WireClient.connect(to: mock)
            _ = try await mock.connectionRecord(1, within: .seconds(120)) { !$0.settings.isEmpty }
            await mock.stop()
            #expect(mock.connectionRecords[0].end?.how == "the mock was stopped")
            await client.close()
        }
    }

    @Test func `a mock with faults under way stops`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.wait(.seconds(3600))])) { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.streamCount == 1 }
            await mock.stop()
            #expect(mock.arrivals.map(\.wasAnswered) == [false])
            #expect(mock.connectionRecords[0].end?.how == "the mock was stopped")
        }
    }
}

extension MockServer {
    /// Expects that a push is not sent as long as the mock does not say what the client waits for, and returns the record of the
    /// first connection, when the client has given it up.
    fileprivate func expectNotSent(
        sourceLocation: SourceLocation = #_sourceLocation, _ adjust: (inout PushConfiguration) -> Void
    ) async throws -> MockConnectionRecord {
        try await withClient(adjust) { client in
            let sending = await client.start(try .sample())
            let record = try await connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            await client.shutdown(drainTime: .zero)
            let summary = try await sending.value.summary
            #expect(summary.hasPrefix("not sent: "), "\(summary)", sourceLocation: sourceLocation)
            return record
        }
    }
}
