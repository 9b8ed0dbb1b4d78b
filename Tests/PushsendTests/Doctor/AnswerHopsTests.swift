import PushCommandLine
import PushProvider
import Testing

@testable import pushsend

/// The hops about the credentials and the clock, from answers.
struct AnswerHopsTests {
    private static func hop(_ status: Int, _ reason: RejectionReason?) -> Hop {
        AnswerHops.hop(
            .rejected(PushOutcome.Rejection(status: status, reason: reason)), topic: "com.example.app", isApple: true)
    }

    @Test(arguments: [
        (400, RejectionReason.badDeviceToken), (400, .deviceTokenNotForTopic), (410, .unregistered),
        (410, .expiredToken), (410, nil),
    ])
    func `only the made-up token is wrong`(status: Int, reason: RejectionReason?) {
        let hop = Self.hop(status, reason)
        #expect(hop.result == .ok && hop.status == .success)
    }

    @Test(arguments: [
        (403, RejectionReason.invalidProviderToken), (403, .expiredProviderToken), (403, .badCertificate),
        (403, .badCertificateEnvironment), (403, .badEnvironmentKeyInToken), (403, .missingProviderToken),
        (403, .forbidden), (403, "NewReason"), (403, nil), (400, .topicDisallowed), (400, .missingTopic),
        (400, .badTopic),
    ])
    func `the credentials or the topic are refused, with a remedy`(status: Int, reason: RejectionReason?) {
        let hop = Self.hop(status, reason)
        #expect(hop.result == .failed && hop.status == .credentials)
        #expect(hop.remedy?.isEmpty == false)
        if let reason { #expect(hop.fact.contains(reason.rawValue)) }
    }

    @Test(arguments: [
        (429, RejectionReason.tooManyRequests), (500, .internalServerError), (503, .serviceUnavailable), (503, nil),
        (400, .payloadEmpty), (418, nil),
    ])
    func `other answers say nothing about the credentials`(status: Int, reason: RejectionReason?) {
        let hop = Self.hop(status, reason)
        #expect(hop.result == .notKnown && hop.status == .tryAgain)
    }

    @Test func `an unknown path means that the server is not APNs`() {
        #expect(Self.hop(404, .badPath).status == .cannotConnect)
    }

    @Test func `an acceptance is a mock, and on Apple's host a warning`() {
        let accepted = PushOutcome.accepted(PushOutcome.Acceptance(apnsID: "x"))
        let mock = AnswerHops.hop(accepted, topic: "x", isApple: false)
        #expect(mock.result == .note && mock.status == .success)
        #expect(mock.fact.contains("a mock that accepts unknown tokens"))
        #expect(AnswerHops.hop(accepted, topic: "x", isApple: true).status == .rejected)
    }

    @Test func `what was not answered keeps its cause`() {
        let unknown = PushOutcome.unknown(PushOutcome.Unknown(cause: .deadline, description: "no answer came."))
        #expect(AnswerHops.hop(unknown, topic: "x", isApple: true).status == .tryAgain)
        for (cause, status) in [
            (PushOutcome.Cause.credentials, PushCommandLine.ExitStatus.credentials), (.noConnection, .cannotConnect),
            (.deadline, .tryAgain),
        ] {
            let outcome = PushOutcome.notSent(PushOutcome.NotSent(cause: cause, description: "it is so."))
            #expect(AnswerHops.hop(outcome, topic: "x", isApple: true).status == status)
        }
    }

    // MARK: The clock

    private static func clock(ahead: Int) -> Hop {
        var rejection = PushOutcome.Rejection(status: 400, reason: .badDeviceToken)
        rejection.serverSeconds = 1_795_262_400
        return ClockHops.hop(.rejected(rejection), now: 1_795_262_400 + ahead)
    }

    @Test(arguments: [
        (0, Hop.Result.ok), (300, .ok), (-300, .ok), (301, .warning), (-301, .warning), (3600, .warning),
        (3601, .failed), (-1200, .warning), (-1201, .failed),
    ])
    func `five minutes are fine, tokens allow an hour ahead and twenty minutes behind`(ahead: Int, result: Hop.Result) {
        #expect(Self.clock(ahead: ahead).result == result)
        #expect(Self.clock(ahead: ahead).details["seconds_ahead"] == .integer(ahead))
    }

    @Test func `the direction is said, and without a date nothing is guessed`() {
        #expect(Self.clock(ahead: 7200).fact.hasPrefix("It is 2 hours ahead of the server's."))
        #expect(Self.clock(ahead: -600).fact == "It is 10 minutes behind the server's.")
        #expect(ClockHops.hop(nil, now: 1).result == .skipped)
        let expired = PushOutcome.rejected(PushOutcome.Rejection(status: 403, reason: .expiredProviderToken))
        #expect(ClockHops.hop(expired, now: 1).result == .notKnown)
        #expect(ClockHops.hop(expired, now: 1).remedy?.contains("NTP") == true)
        #expect(ClockHops.hop(.accepted(PushOutcome.Acceptance(apnsID: "")), now: 1).status == .success)
    }

    // MARK: The push

    @Test(arguments: [
        ("com.example.app", PushType.background, 5), ("com.example.app.voip", .voip, 10),
        ("com.example.app.push-type.liveactivity", .liveactivity, 10), ("com.apple.mgmt.External.x", .mdm, 10),
    ])
    func `the test push fits the topic, and is stored nowhere`(
        topic: String, type: PushType, priority: Int
    ) throws {
        let push = try TestPush.notification(topic: topic)
        #expect(push.effectivePushType == type)
        #expect(push.effectivePriority.rawValue == priority)
        #expect(push.effectiveTopic == topic)
        #expect(push.expiration == .once)
        #expect(push.deviceToken.hex == TestPush.deviceToken)
        #expect(TestPush.deviceToken.hasPrefix("646f63746f72"))
        #expect(TestPush.deviceToken.count == 64)
    }
}
