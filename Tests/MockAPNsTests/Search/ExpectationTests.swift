import PushPlatform
import PushProvider
import TestSupport
import Testing

@testable import MockAPNs

@Suite(.timeLimit(.minutes(10))) struct ExpectationTests {
    private let one: MockArrivalExpectation
    private let everything: MockArrivalSearch

    init() throws {
        one = MockArrivalExpectation(
            .exactly(1), of: try MockArrivalSearch("title:Wanted"), settlingTime: .milliseconds(200))
        everything = try MockArrivalSearch("")
    }

    private func push(_ title: String, with client: PushClient) async throws {
        _ = await client.outcome(
            of: PushNotification(
                to: try DeviceToken(DeviceToken.sampleHex), topic: "com.example.app",
                payload: .alert(title: title, body: "World")))
    }

    @Test func `requests that do not match do not delay an exact number`() async throws {
        try await MockServer.withFaults { mock in
            try await mock.withClient { client in
                try await push("Wanted", with: client)
                let others = Task { while !Task.isCancelled { try await push("Other", with: client) } }
                let result = await mock.check(one, within: .seconds(3600))
                others.cancel()
                _ = await others.result
                #expect(result.holds, "\(result.explanation)")
            }
        }
    }

    @Test func `a check that is cancelled leaves nothing behind`() async throws {
        let ledger = RunLedger()
        try await MockServer.withFaults(adjust: { $0.ledger = ledger }) { mock in
            let check = Task { await mock.check(one, within: .seconds(3600)) }
            check.cancel()
            #expect(await !check.value.holds)
            #expect(ledger.expectations.isEmpty)
        }
    }

    @Test func `a check for nothing does not hold when the mock stops before its end`() async throws {
        try await MockServer.withFaults { mock in
            async let result = mock.check(
                MockArrivalExpectation(.exactly(0), of: everything), within: .seconds(3600))
            await mock.stop()
            #expect(await !result.holds)
            #expect(await result.explanation.contains("stopped"))
        }
    }

    @Test(arguments: [Int.max, Int.max - 1, Int.min, -1])
    func `any number can be the one after which requests count`(number: Int) async throws {
        try await MockServer.withFaults { mock in
            try await mock.withClient { try await push("Wanted", with: $0) }
            var expectation = one
            expectation.after = number
            #expect(await mock.check(expectation).count == (number < 0 ? 1 : 0))
        }
    }

    @Test func `a log of many pages is checked to its end at once`() async throws {
        var arrivals: [JudgedRequest] = []
        for _ in 0..<2500 {
            arrivals.append(
                JudgedRequest(
                    MockRequest(method: "POST", path: "/3/device/0f", fields: [], body: []), on: 1,
                    MockVerdict(status: 200, messageID: "", fact: .accepted),
                    by: MockArrival.Sender(token: nil, certificate: nil, environment: .sandbox)))
        }
        try await MockServer.withFaults { mock in
            mock.state.journal.append(arrivals, connection: 1, time: Date(timeIntervalSince1970: 0))
            #expect(await mock.check(MockArrivalExpectation(.exactly(2500), of: everything)).holds)
        }
    }
}
