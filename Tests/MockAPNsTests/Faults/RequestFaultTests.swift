import MockAPNs
import PushPlatform
import PushProvider
import PushWire
import TestSupport
import Testing

/// Faults of requests over real sockets: what the client makes of them, and what the log and the record say.
@Suite(.timeLimit(.minutes(10))) struct RequestFaultTests {
    // MARK: Answers

    @Test(arguments: [
        ([MockFault.Step.wait(.milliseconds(1))], ["push-after-rejected-token"]),
        ([.judge, .resetStream(.cancel)], []),
    ])
    func `a rule is about what the client knows, however late`(steps: [MockFault.Step], rules: [String]) async throws {
        try await MockServer.withFaults(MockFault(steps: steps)) { mock in
            mock.unregister(try DeviceToken("abcd"))
            try await mock.withClient { client in
                for _ in 1...2 { _ = try await client.outcome(of: .sample("abcd")) }
            }
            #expect(mock.arrivals.map { $0.violations.map(\.id) } == [[], rules])
        }
    }

    @Test func `an ordered answer comes with status, reason, time and headers`() async throws {
        let fault = MockFault(
            name: "gone",
            steps: [
                .answer(
                    status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000),
                    headers: ["retry-after": "30", "apns-id": "another"])
            ])
        try await MockServer.withFaults(fault) { mock in
            guard case .rejected(let rejection) = try await mock.outcome() else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.status == 410)
            #expect(rejection.reason == .unregistered)
            #expect(rejection.timestampMilliseconds == 1_700_000_000_000)
            #expect(rejection.retryAfter == "30")
            #expect(rejection.apnsID == "another")
            let arrival = mock.arrivals[0]
            #expect(arrival.wasForced && arrival.wasAnswered && arrival.verdict.fact.id == "forced-answer")
            #expect(arrival.fault?.name == "gone")
            #expect(arrival.streamID == 1)
            #expect(mock.connectionRecords[0].stream(1)?.fault == arrival.fault)
        }
    }

    @Test func `a body can be anything`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.answer(status: 400, body: "<html>")])) { mock in
            guard case .rejected(let rejection) = try await mock.outcome() else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.reason == nil)
            #expect(rejection.body == Array("<html>".utf8))
        }
    }

    @Test func `a fault acts only on its device token, and only the given number of times`() async throws {
        let fault = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken("ABCD")),
            steps: [.answer(status: 400, reason: .badTopic)],
            times: 1)
        try await MockServer.withFaults(fault) { mock in
            let summaries = try await mock.withClient { client in
                var summaries: [String] = []
                for token in ["0123", "abcd", "abcd"] {
                    summaries.append(try await client.outcome(of: .sample(token)).summary)
                }
                return summaries
            }
            #expect(summaries == ["accepted", "rejected 400 BadTopic", "accepted"])
            #expect(mock.faultCounts.map(\.applied) == [1])
            #expect(mock.arrivals.map { $0.fault != nil } == [false, true, false])
        }
    }

    @Test func `a removed fault no longer acts`() async throws {
        try await MockServer.withFaults { mock in
            let fault = MockFault(steps: [.answer(status: 400, reason: .badTopic)])
            let id = try mock.inject(fault)
            try await mock.withClient { client in
                try await client.expectOutcome("rejected 400 BadTopic")
                #expect(mock.remove(id))
                try await client.expectOutcome("accepted")
                try mock.inject(fault)
                mock.answerNext(status: 400)
                mock.removeAllFaults()
                try await client.expectOutcome("accepted")
            }
        }
    }

    @Test func `what no mock can do is refused when it is injected`() async throws {
        try await MockServer.withFaults { mock in
            #expect(throws: MockFaultError.self) { try mock.inject(MockFault(steps: [])) }
            #expect(mock.faultCounts.isEmpty)
        }
    }

    // MARK: Waits

    @Test func `a delayed request is judged after its wait`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.wait(.milliseconds(200))])) { mock in
            let clock = ContinuousClock()
            let start = clock.now
            try await mock.expectOutcome("accepted")
            #expect(clock.now - start >= .milliseconds(200))
            #expect(mock.arrivals.map { $0.fault != nil } == [true])
            #expect(mock.arrivals.map(\.wasForced) == [false])
        }
    }

    @Test func `other streams go on while one waits`() async throws {
        try await MockServer.withFaults(try Self.forABCD([.wait(.seconds(3600))])) { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { $0.settings.count == 1 }
            // An accepted request raises the limit, so that two streams can be open.
            try await client.open()
            try await client.wait { $0.settings.count == 2 && $0.ends.count == 1 }
            try await client.open(token: "abcd")
            try await client.open()
            try await client.wait { $0.ends.count == 2 }
            #expect(mock.arrivals.map(\.streamID) == [1, 5])
            await client.close()
            // The end of the connection is the end of the wait.
            let last = try await mock.arrival(3, within: .seconds(120))
            #expect(last.streamID == 3)
            #expect(!last.wasAnswered)
        }
    }

    @Test func `a stream that the client resets during a wait is passed over, and the log says so`() async throws {
        try await MockServer.withFaults(try Self.forABCD([.wait(.seconds(3600))])) { mock in
            try await mock.expectLateOutcome("unknown: deadline")
            let arrival = try await mock.arrival(2, within: .seconds(120))
            #expect(!arrival.wasAnswered)
            #expect(arrival.verdict.status == 0)
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.resetCount > 0 }
            #expect(record.resetsReceived.map(\.code) == [.cancel])
            #expect(record.stream(3)?.end == .resetByClient(.cancel))
        }
    }

    // MARK: No answer

    @Test func `a request without an answer is unknown at its deadline`() async throws {
        try await MockServer.withFaults(try Self.forABCD([.noAnswer])) { mock in
            try await mock.expectLateOutcome("unknown: deadline")
            #expect(mock.arrivals.map(\.wasAnswered) == [true, false])
            #expect(mock.arrivals.map(\.verdict.status) == [200, 0])
            #expect(mock.arrivals.map(\.verdict.fact.id) == ["accepted", "forced-answer"])
        }
    }

    @Test func `a request can be taken and its answer lost`() async throws {
        try await MockServer.withFaults(try Self.forABCD([.judge, .noAnswer])) { mock in
            try await mock.expectLateOutcome("unknown: deadline")
            #expect(mock.arrivals.map(\.wasAnswered) == [true, false])
            #expect(mock.arrivals.map(\.verdict.status) == [200, 200])
            #expect(mock.arrivals.map(\.wasForced) == [false, false])
        }
    }

    private static func forABCD(_ steps: [MockFault.Step]) throws -> MockFault {
        MockFault(when: MockFault.Matcher(deviceToken: try DeviceToken("abcd")), steps: steps)
    }

    // MARK: Resets

    @Test func `a refused stream is not sent`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.resetStream(.refusedStream)])) { mock in
            guard case .notSent = try await mock.outcome() else {
                Issue.record("sent")
                return
            }
            #expect(mock.arrivals.map(\.verdict.status) == [0])
            #expect(mock.connectionRecords[0].stream(1)?.end == .resetByMock(.refusedStream))
        }
    }

    @Test(arguments: [MockHTTP2Code.cancel, .internalError, .enhanceYourCalm, MockHTTP2Code(rawValue: 99)])
    func `any code can reset a stream before its headers`(code: MockHTTP2Code) async throws {
        try await MockServer.withFaults(MockFault(steps: [.resetStream(code)])) { mock in
            try await mock.expectOutcome("unknown: stream_reset")
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            let end = try await client.wait { !$0.ends.isEmpty }.ends[0]
            #expect(end.cause == .resetByPeer(code.rawValue))
            #expect(end.response.status == nil)
            await client.close()
        }
    }

    @Test func `a stream can be reset after the headers of its answer, whose status counts`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.resetStream(.internalError, afterHeaders: true)])) { mock in
            try await mock.expectOutcome("accepted")
            #expect(mock.arrivals.map(\.verdict.status) == [200])
            #expect(mock.arrivals.map(\.wasAnswered) == [true])
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            let end = try await client.wait { !$0.ends.isEmpty }.ends[0]
            #expect(end.cause == .resetByPeer(2))
            #expect(end.response.status == 200)
            await client.close()
        }
    }

    // MARK: Order of the faults

    @Test func `the third request on the second connection, and no other`() async throws {
        let fault = MockFault(
            when: MockFault.Matcher(requestOnConnection: 3, connection: 2),
            steps: [.answer(status: 429, reason: .tooManyRequests)])
        try await MockServer.withFaults(fault) { mock in
            for _ in 1...2 {
                let client = try await WireClient.connect(to: mock)
                for count in 1...4 {
                    try await client.wait { !$0.settings.isEmpty && $0.ends.count == count - 1 }
                    try await client.open()
                }
                try await client.wait { $0.ends.count == 4 }
                await client.close()
            }
            let forced = mock.arrivals.filter { $0.wasForced }
            #expect(forced.map(\.connection) == [2])
            #expect(forced.map(\.streamID) == [5])
        }
    }
}
