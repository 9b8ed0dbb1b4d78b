import MockAPNs
import PushProvider
import PushTesting

/// Faults of the mock, for tests of a sender.
enum FaultExamples {
    static func run() async throws {
        try await busyServiceIsSurvived()
        try await conditionsCombine()
        try await rulesAreBroken()
        try await accountingUnderFaults()
        try await scriptedFaultIsRead()
    }

    static func busyServiceIsSurvived() async throws {
        let mock = try await MockServer.start()
        let client = try mock.client()
        let notification = try sample()

        // README: first fault
        let fault = MockFault(name: "busy", steps: [.answer(status: 503, reason: .serviceUnavailable)], times: 1)
        let id = try mock.inject(fault)
        let outcome = await client.outcome(of: notification)
        print(outcome, mock.count(of: id))
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
        // One request in a hundred is accepted, but its answer is lost.
        try mock.inject(MockFault(when: MockFault.Matcher(probability: 0.01), steps: [.judge, .noAnswer]))

        // The second request of each connection to this device is refused.
        try mock.inject(
            MockFault(
                when: MockFault.Matcher(deviceToken: deviceToken, requestOnConnection: 2),
                steps: [.resetStream(.refusedStream)]))

        // Every tenth request shuts the connection down in two steps, as a load balancer does.
        try mock.inject(
            MockFault(
                when: MockFault.Matcher(match: .every(10)),
                steps: [.goAway(.highest), .wait(.milliseconds(100)), .goAway(.newest, reason: .shutdown)]))

        // The first connection gets its SETTINGS after two to three seconds.
        try mock.inject(
            MockFault(
                at: .connectionEstablished, when: MockFault.Matcher(connection: 1),
                steps: [.wait(.seconds(2), upTo: .seconds(3))]))

        // Every third connection is reset as soon as it is accepted.
        try mock.inject(
            MockFault(
                at: .connectionAccepted, when: MockFault.Matcher(connection: .every(3)),
                steps: [.closeConnection(.tcpReset)]))
        // README: end

        mock.removeAllFaults()
        await mock.stop()
    }

    static func rulesAreBroken() async throws {
        let mock = try await MockServer.start()

        // README: answers
        try mock.inject(
            MockFault(steps: [
                .answer(
                    MockFault.Answer(status: 200) {
                        $0.interim = [100, 103]
                        $0.leftOut = ["apns-id"]
                        $0.trailers = ["x-checksum": "1"]
                    })
            ]))
        // README: end
        let client = try mock.client()
        let acceptance = try await client.send(sample())
        try TestAgainstMock.check(acceptance.apnsID.isEmpty, "no id, and accepted all the same")
        await client.shutdown()
        mock.removeAllFaults()

        // README: below
        // On each connection, a flood of PING frames comes before the answer to the fifth request.
        try mock.inject(
            MockFault(
                when: MockFault.Matcher(requestOnConnection: 5),
                steps: [.repeated([.frame(MockFault.Frame(.ping, payload: .filled(8)))], times: 10_000)]))

        // The first connection gets an expired server certificate.
        try mock.inject(
            MockFault(
                at: .connectionAccepted, when: MockFault.Matcher(connection: 1),
                steps: [.tls(.expiredCertificate)]))

        // Realistic latency: half of the answers take up to 50 ms, one in a hundred takes longer than 800 ms.
        try mock.inject(MockFault(steps: [.wait(.quantiles(median: .milliseconds(50), p99: .milliseconds(800)))]))
        // README: end

        await mock.stop()
    }

    static func accountingUnderFaults() async throws {
        // README: own test
        let mock = try await MockServer.start()
        let client = try mock.client()
        // The third request of each connection is checked, but the connection is reset before the answer is sent.
        try mock.inject(
            MockFault(
                name: "dies", when: MockFault.Matcher(requestOnConnection: 3),
                steps: [.judge, .closeConnection(.tcpReset)]))
        var accepted = 0
        var unknown = 0
        for _ in 1...7 {
            switch await client.outcome(of: try sample()) {
            case .accepted: accepted += 1
            case .unknown: unknown += 1
            case .rejected, .notSent, .invalid: break
            }
        }
        try TestAgainstMock.check(accepted == 5 && unknown == 2, "five outcomes are known, two are unknown")
        try TestAgainstMock.check(mock.arrivals.count { $0.verdict.isAccepted } == 7, "no push was sent twice")
        // README: end
        await client.shutdown(drainTime: .zero)
        await mock.stop()
    }

    static func scriptedFaultIsRead() async throws {
        let mock = try await MockServer.start()
        // README: JSON
        let fault = try MockFault(
            json: """
                {"name": "slow", "when": {"topic": "com.example.app"}, "steps": [{"wait_ms": 250}], "times": 3}
                """)
        try mock.inject(fault)
        print(fault.json)
        // README: end
        await mock.stop()
    }

    private static func sample() throws -> PushNotification {
        PushNotification(
            to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
    }
}
