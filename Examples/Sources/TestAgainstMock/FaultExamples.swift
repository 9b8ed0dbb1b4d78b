import MockAPNs
import PushProvider

/// How a test of your own sender makes the mock misbehave.
enum FaultExamples {
    static func run() async throws {
        try await busyServiceIsSurvived()
        try await conditionsCombine()
        try await scriptedFaultIsRead()
        try await wireIsLookedAt()
    }

    static func busyServiceIsSurvived() async throws {
        let mock = try await MockServer.start()
        let client = try TestAgainstMock.makeClient(for: mock)
        let notification = try sample()

        // README: first fault
        let fault = Fault(name: "busy", steps: [.answer(status: 503, reason: .serviceUnavailable)], times: 1)
        let id = try mock.inject(fault)
        let outcome = try await client.outcome(of: notification)
        print(outcome, mock.faultCounts)
        mock.remove(id)
        // README: end

        try TestAgainstMock.check(mock.arrivals.first?.fault?.name == "busy", "the log names the fault")
        await client.shutdown(drainTime: .zero)
        await mock.stop()
    }

    static func conditionsCombine() async throws {
        // README: seed
        var configuration = MockConfiguration()
        configuration.seed = 42
        let mock = try await MockServer.start(configuration)
        // README: end
        let deviceToken = try DeviceToken("5f3ad1c07b9e4286")

        // README: faults
        // One request in a hundred loses its answer, though the push is taken.
        try mock.inject(Fault(when: FaultMatcher(probability: 0.01), steps: [.judge, .noAnswer]))

        // The second request of each connection to this device is refused.
        try mock.inject(
            Fault(
                when: FaultMatcher(deviceToken: deviceToken, requestOnConnection: 2),
                steps: [.resetStream(.refusedStream)]))

        // Each tenth request makes the connection go away in two steps, as a load balancer does it.
        try mock.inject(
            Fault(
                when: FaultMatcher(match: .every(10)),
                steps: [.goAway(.highest), .wait(.milliseconds(100)), .goAway(.newest, reason: .shutdown)]))

        // The first connection gets its SETTINGS after two to three seconds.
        try mock.inject(
            Fault(
                at: .connectionEstablished, when: FaultMatcher(connection: 1),
                steps: [.wait(.seconds(2), upTo: .seconds(3))]))

        // Each third connection is reset as soon as it is there.
        try mock.inject(
            Fault(
                at: .connectionAccepted, when: FaultMatcher(connection: .every(3)),
                steps: [.closeConnection(.tcpReset)]))
        // README: end

        mock.removeAllFaults()
        await mock.stop()
    }

    static func scriptedFaultIsRead() async throws {
        let mock = try await MockServer.start()
        // README: JSON
        let fault = try Fault(
            json: """
                {"name": "slow", "when": {"topic": "com.example.app"}, "steps": [{"wait_ms": 250}], "times": 3}
                """)
        try mock.inject(fault)
        print(fault.json)
        // README: end
        await mock.stop()
    }

    static func wireIsLookedAt() async throws {
        let mock = try await MockServer.start()
        let client = try TestAgainstMock.makeClient(for: mock)

        // README: record
        try await client.send(sample())
        await client.shutdown()
        let record = try await mock.connectionRecord(1, within: .seconds(5)) { $0.end != nil }
        try TestAgainstMock.check(record.mostOpenStreams == 1, "one stream until the first answer")
        try TestAgainstMock.check(record.resetCount == 0, "nothing was reset")
        try TestAgainstMock.check(record.providerTokens.count == 1, "one provider token")
        try TestAgainstMock.check(record.end?.side == .client, "the client hung up")
        // README: end

        await mock.stop()
    }

    private static func sample() throws -> PushNotification {
        PushNotification(
            to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
    }
}
