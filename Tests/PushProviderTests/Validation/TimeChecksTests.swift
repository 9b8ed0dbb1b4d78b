import TestSupport
import Testing

@testable import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times of a push that cannot be meant.
struct TimeChecksTests {
    private static let now = 1_795_330_800

    @Test(
        arguments: [
            (0, "The expiration 0 is 1970-01-01T00:00:00Z, which has passed", "Did you mean once?"),
            (2026, "The expiration 2026 is 1970-01-01T00:33:46Z, which has passed", "Did you mean 2026s?"),
            (3600, "The expiration 3600 is 1970-01-01T01:00:00Z, which has passed", "Did you mean 3600s?"),
            (1_577_836_800, "The expiration is 2020-01-01T00:00:00Z, which has passed", "Give a future time"),
            (now, "by the clock here it is 2026-11-22T07:00:00Z.", "Give a future time"),
        ] as [(Int, String, String)])
    func `an expiration that has passed`(seconds: Int, problem: String, advice: String) throws {
        let mistake = try #require(TimeChecks.mistake(inExpiration: seconds, secondsSince1970: Self.now))
        #expect(mistake.problem.contains(problem), "\(mistake)")
        #expect(mistake.advice.hasPrefix(advice), "\(mistake)")
    }

    @Test func `an expiration to come, and one that the notification itself refuses`() {
        for seconds in [Self.now + 1, -1, .max] {
            #expect(TimeChecks.mistake(inExpiration: seconds, secondsSince1970: Self.now) == nil)
        }
    }

    @Test func `a registration is neither in the future nor older than Apple's service`() throws {
        func mistake(_ seconds: Double) -> TimeChecks.Mistake? {
            TimeChecks.mistake(inRegistration: Date(timeIntervalSince1970: seconds), secondsSince1970: Self.now)
        }
        for seconds in [Double(Self.now), Double(Self.now) + 300, 1_245_196_800] { #expect(mistake(seconds) == nil) }
        #expect(mistake(Double(Self.now) + 301)?.problem.contains("which is in the future") == true)
        #expect(mistake(32_472_144_000)?.problem.hasPrefix("\"registered_at\" is 2999-01-01T00:00:00Z") == true)
        for seconds in [0, 2026, 1_245_196_799.0] {
            #expect(mistake(seconds)?.problem.hasSuffix("when there were no device tokens yet.") == true)
        }
    }

    @Test(
        arguments: [
            (3_600_000, "is 1970-01-01T01:00:00Z", "write 1795334400 or \"2026-11-22T08:00:00Z\"."),
            (3_600_500, "is 1970-01-01T01:00:00Z", "For 3600 seconds from now"), (0, "is 1970", "leave it out"),
            (-1, "is before 1970", "leave it out"), (.min, "is before 1970", "leave it out"),
            (1_577_836_800_000, "is 2020-01-01T00:00:00Z", "Give a future time"),
        ] as [(Int64, String, String)])
    func `a delivery time of more than a year ago is a mistake`(time: Int64, problem: String, advice: String) throws {
        let mistake = try #require(
            TimeChecks.mistake(inDelivery: time, of: "deliver_at", secondsSince1970: Self.now))
        #expect(mistake.problem.hasPrefix("\"deliver_at\" \(problem)"), "\(mistake)")
        #expect(mistake.advice.contains(advice), "\(mistake)")
    }

    @Test func `a delivery that is late is no mistake`() {
        for seconds in [Self.now - 365 * 86_400, Self.now, Self.now + 1] {
            let time = Int64(seconds) * 1000
            #expect(TimeChecks.mistake(inDelivery: time, of: "deliver_at", secondsSince1970: Self.now) == nil)
        }
    }

    @Test func `of a notification both times are checked, and the clock is not read without one`() throws {
        var notification = try PushNotification.sample()
        var looks = 0
        func now() -> Int {
            looks += 1
            return Self.now
        }
        #expect(TimeChecks.mistake(in: notification, secondsSince1970: now()) == nil)
        #expect(looks == 0)
        notification.expiration = .after(seconds: 5)
        #expect(TimeChecks.mistake(in: notification, secondsSince1970: now()) == nil)
        notification.registeredAt = Date(timeIntervalSince1970: 5)
        #expect(TimeChecks.mistake(in: notification, secondsSince1970: now())?.subject == .registration)
        notification.expiration = .until(secondsSince1970: 5)
        #expect(TimeChecks.mistake(in: notification, secondsSince1970: now())?.subject == .expiration)
    }

    @Test(arguments: [
        ("9999-12-31", "The expiration 253402214400 is too far in the future."),
        ("1000000000000000000", "The expiration 1000000000000000000 is too far in the future."),
        ("1e12", "The expiration 1000000000000 is too far in the future."),
        ("1795330800000", "1795330800000 isn't an expiration in seconds since 1970."),
    ])
    func `a date that is too far is not called milliseconds`(text: String, problem: String) throws {
        var notification = try PushNotification.sample()
        let expiration = try #require(PushExpiration(text: text))
        notification.expiration = expiration
        let mistake = try #require(TimeChecks.mistake(in: notification, secondsSince1970: Self.now))
        #expect(mistake.problem == problem)
        #expect(mistake.advice.contains("30 days") != mistake.advice.contains("milliseconds"))
    }

    @Test func `an exact expiration is sent as it is, and is not judged`() throws {
        for value in ["0", "5", "18446744073709551615", "soon"] {
            var notification = try PushNotification.sample()
            let expiration = try #require(PushExpiration(exact: value))
            notification.expiration = expiration
            #expect(expiration.headerValue == value)
            #expect(TimeChecks.mistake(in: notification, secondsSince1970: Self.now) == nil)
        }
        for value in ["", "a b", "a\nb", "é", String(repeating: "1", count: 101)] {
            #expect(PushExpiration(exact: value) == nil)
        }
    }

    @Test func `a part of a second is not the header's 0`() throws {
        let expiration = try #require(PushExpiration(text: "0.5"))
        #expect(expiration.form == .until(secondsSince1970: 1))
        #expect(PushExpiration(text: "1795330800.9")?.form == .until(secondsSince1970: Self.now))
    }

    @Test func `a number in another unit says which`() throws {
        let notification = try PushNotification.sample()
        for (number, words) in [
            (1_795_330_800_000, "milliseconds: divide by 1000"),
            (1_795_330_800_000_000, "microseconds: did you mean 1795330800?"),
            (1_795_330_800_000_000_000, "nanoseconds: did you mean 1795330800?"),
        ] {
            var request = CheckedRequest(notification, notification.inferred)
            request.expiration = .until(secondsSince1970: number)
            #expect(HeaderChecks.expirationIsInSeconds(request)?.advice.contains(words) == true)
        }
    }
}
