import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

/// What a 410 means for the device token.
@Suite(.timeLimit(.minutes(10))) struct TokenStatusTests {
    private func rejection(_ status: Int, diedAt: Int64?, registeredAt: Int64?) -> PushOutcome.Rejection {
        var rejection = PushOutcome.Rejection.sample(status, status == 410 ? .unregistered : .badDeviceToken)
        rejection.timestampMilliseconds = diedAt
        rejection.registeredMilliseconds = registeredAt
        return rejection
    }

    static let statuses: [(Int64?, Int64?, PushOutcome.TokenStatus)] = [
        (1001, 1000, .gone), (1000, 1000, .registeredSince), (999, 1000, .registeredSince),
        (nil, 1000, .unclear), (1000, nil, .unclear), (nil, nil, .unclear), (1, -1, .gone),
    ]

    @Test(arguments: statuses)
    func `only a timestamp later than the registration says gone`(
        diedAt: Int64?, registeredAt: Int64?, tokenStatus: PushOutcome.TokenStatus
    ) {
        let rejection = rejection(410, diedAt: diedAt, registeredAt: registeredAt)
        #expect(rejection.tokenStatus == tokenStatus)
        #expect(rejection.isTokenGone(atFaceValue: false) == (tokenStatus == .gone))
    }

    // As seconds: a Date of no time cannot even be printed.
    static let registrations: [(Double?, Int64?)] = [
        (1.0019, 1001), (-0.5, -500), (64_092_211_200, 64_092_211_200_000), (1e300, nil), (.infinity, nil),
        (.nan, nil), (nil, nil),
    ]

    @Test(arguments: registrations)
    func `a registration counts in whole milliseconds, and what is no time is none`(
        seconds: Double?, milliseconds: Int64?
    ) throws {
        let notification = try PushNotification.sample {
            $0.registeredAt = seconds.map { Date(timeIntervalSince1970: $0) }
        }
        #expect(notification.registeredMilliseconds == milliseconds)
    }

    @Test func `the time of the registration comes back with the answer, and decides`() async throws {
        let body = #"{"reason":"Unregistered","timestamp":1700000000000}"#
        let server = try await ScriptedServer.start(.answering(410, body: body))
        let client = try PushClient.sample(to: server)
        for (seconds, tokenStatus) in [
            (1_699_999_999, PushOutcome.TokenStatus.gone), (1_700_000_000, .registeredSince),
        ] {
            let notification = try PushNotification.sample {
                $0.registeredAt = Date(timeIntervalSince1970: TimeInterval(seconds))
            }
            guard case .rejected(let rejection) = await client.outcome(of: notification) else {
                Issue.record("it was not rejected")
                continue
            }
            #expect(rejection.tokenStatus == tokenStatus)
            #expect(rejection.registeredMilliseconds == Int64(seconds) * 1000)
        }
    }
}
