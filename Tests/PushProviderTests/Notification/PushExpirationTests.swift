import Foundation
import Testing

@testable import PushProvider

@Suite struct PushExpirationTests {
    @Test(arguments: [
        (1_800_000_000.0, "1800000000"), (1_800_000_000.9, "1800000000"), (0, "0"),
        (1e300, "9223372036854775807"), (-1e300, "-9223372036854775808"), (.infinity, "9223372036854775807"),
    ])
    func `a date is sent in whole seconds, and no date is too far`(seconds: Double, value: String) {
        #expect(PushExpiration.until(Date(timeIntervalSince1970: seconds)).headerValue == value)
    }

    @Test func `a duration begins when the client gets the notification`() {
        let expiration = PushExpiration.after(.milliseconds(90_999))
        #expect(expiration.headerValue == nil)
        #expect(expiration.counted(from: 10) == PushExpiration.until(Date(timeIntervalSince1970: 100)))
        #expect(PushExpiration.after(.seconds(Int64.max)).counted(from: 10).headerValue == "9223372036854775807")
    }

    @Test func `the times of a rejection are dates, to the millisecond`() {
        let (died, registered) = (Date(timeIntervalSince1970: 1_454_948_015.25), Date(timeIntervalSince1970: 1e9))
        var rejection = PushOutcome.Rejection(
            status: 410, reason: .unregistered, timestamp: died, registeredAt: registered)
        #expect(rejection.timestampMilliseconds == 1_454_948_015_250)
        #expect(rejection.timestamp == died)
        #expect(rejection.registeredAt == registered)
        #expect(rejection.tokenStatus == .gone)
        rejection.registeredAt = Date(timeIntervalSince1970: 2e9)
        #expect(rejection.tokenStatus != .gone)
        rejection.timestamp = nil
        #expect(rejection.tokenStatus == .unclear)
    }
}
