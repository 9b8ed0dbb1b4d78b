import PushProvider
import Testing

@testable import pushsend

@Suite struct TokenEnvironmentTests {
    private func rejected(_ reason: RejectionReason, _ status: Int = 400) -> PushOutcome {
        .rejected(PushOutcome.Rejection(status: status, reason: reason))
    }

    @Test func `an environment that knows the device token is its own`() {
        let known = TokenEnvironment.known(.production)
        #expect(
            TokenEnvironment(.accepted(PushOutcome.Acceptance(apnsID: "")), in: .production, isSecond: true) == known)
        for reason in [RejectionReason.deviceTokenNotForTopic, .unregistered, .expiredToken] {
            #expect(TokenEnvironment(rejected(reason), in: .production, isSecond: false) == known)
        }
        #expect(known.sentence(wasGuessed: true).contains("belongs to production, not to sandbox: use -e production"))
    }

    @Test func `only BadDeviceToken is a reason to try the other one`() {
        #expect(TokenEnvironment(rejected(.badDeviceToken), in: .sandbox, isSecond: false) == .tryOther)
        #expect(TokenEnvironment(rejected(.badDeviceToken), in: .production, isSecond: true) == .unknownToBoth)
        for reason in [RejectionReason.invalidProviderToken, .topicDisallowed, .payloadTooLarge, .tooManyRequests] {
            #expect(TokenEnvironment(rejected(reason), in: .sandbox, isSecond: false) == .undecided)
        }
    }
}
