internal import APNSVocabulary
package import PushPlatform
internal import PushTime

/// Checks the times of a push against the clock. Whatever takes a push from people uses it before the push is sent or queued: the
/// client itself only sees that it has expired, and cannot tell a mistake from a long wait.
package enum TimeChecks {
    /// A time that cannot be meant.
    package struct Mistake: Hashable, Sendable, CustomStringConvertible {
        package enum Subject: Hashable, Sendable {
            case expiration
            case registration
            case delivery
        }

        package var subject: Subject
        package var problem: String
        package var advice: String

        package var description: String { "\(problem) \(advice)" }
    }

    /// By this much, in seconds, the clock of the program that noted a registration can be ahead. A later time is a mistake.
    private static let skew = 300.0
    /// When Apple's push service began, in seconds since 1970: 2009-06-17. A device token cannot be older.
    private static let beginning = 1_245_196_800.0
    /// A smaller number is taken for a duration whose unit is missing, and not for a time.
    private static let secondsOfAYear = 366 * 86_400

    /// Finds the first mistake in the times of a notification.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - now: The current time, in seconds since 1970; evaluated only if the notification has a time.
    /// - Returns: The mistake; `nil` if there is none.
    package static func mistake(
        in notification: borrowing PushNotification, secondsSince1970 now: @autoclosure () -> Int
    ) -> Mistake? {
        if let form = notification.expiration?.form, let mistake = mistake(of: form, secondsSince1970: now()) {
            return mistake
        }
        guard let time = notification.registeredAt else { return nil }
        return mistake(inRegistration: time, secondsSince1970: now())
    }

    /// Refuses an expiration that has passed, or that can't be one at any time.
    package static func mistake(
        of form: PushExpiration.Form, secondsSince1970 now: @autoclosure () -> Int
    ) -> Mistake? {
        if let mistake = mistake(inUnitOf: form) { return mistake }
        guard case .until(let seconds) = form else { return nil }
        return mistake(inExpiration: seconds, secondsSince1970: now())
    }

    /// Refuses an expiration that can't be one at any time.
    package static func mistake(inUnitOf form: PushExpiration.Form) -> Mistake? {
        switch form {
        case .until(let seconds): mistake(inUnitOf: seconds)
        case .after(let seconds) where seconds < 1:
            Mistake(
                subject: .expiration, problem: "The expiration comes within a second, or before.",
                advice: "Use a duration such as 2h, or \"once\" to try only once.")
        case .after(let seconds) where Double(seconds) > APNSLimit.firstMilliseconds:
            Mistake(
                subject: .expiration, problem: "\(seconds) seconds isn't a valid duration for a notification.",
                advice: "Use a duration of up to 30 days, or \"once\".")
        case .after, .apnsDefault, .once, .exact: nil
        }
    }

    /// Refuses an expiration that is no number of seconds since 1970: a negative one, and milliseconds.
    package static func mistake(inUnitOf seconds: Int) -> Mistake? {
        guard seconds < 0 || Double(seconds) > APNSLimit.firstMilliseconds else { return nil }
        let unit = TimeText.Unit(of: Int64(seconds))
        // A date such as 9999-12-31 is no number of milliseconds: it would be in the year 1978.
        if let unit, Double(Int64(seconds) / unit.rawValue) < beginning {
            return Mistake(
                subject: .expiration, problem: "The expiration \(seconds) is too far in the future.",
                advice: "APNs stores a push for at most 30 days: use an earlier time, or \"apple\".")
        }
        return Mistake(
            subject: .expiration, problem: "\(seconds) isn't an expiration in seconds since 1970.",
            advice: unit?.advice(for: seconds) ?? "Use a time in the future, or \"once\".")
    }

    /// Refuses an expiration that has passed. A negative one is refused when the notification is checked.
    package static func mistake(inExpiration seconds: Int, secondsSince1970 now: Int) -> Mistake? {
        guard (0...max(0, now)).contains(seconds) else { return nil }
        let isSmall = seconds <= secondsOfAYear
        let number = isSmall ? " \(seconds)" : ""
        let advice =
            seconds == 0
            ? "Did you mean once? It is Apple's apns-expiration: 0."
            : isSmall
                ? "Did you mean \(seconds)s? A duration needs a unit."
                : "Give a future time, a duration such as 2h, or once to try only once."
        return Mistake(
            subject: .expiration,
            problem: "The expiration\(number) is \(shown(Double(seconds))), which has passed: by the clock here it is "
                + "\(shown(Double(now))).",
            advice: advice)
    }

    /// Refuses a registration in the future, which would hide for ever that the token is gone, and one from before there were tokens.
    package static func mistake(inRegistration time: Date, secondsSince1970 now: Int) -> Mistake? {
        let seconds = time.timeIntervalSince1970
        let why: String
        if seconds > Double(now) + skew {
            why = "which is in the future: by the clock here it is \(shown(Double(now)))."
        } else if seconds < beginning {
            why = "when there were no device tokens yet."
        } else {
            return nil
        }
        return Mistake(
            subject: .registration, problem: "\"registered_at\" is \(shown(seconds)), \(why)",
            advice: "Give the time at which the app registered the token, or leave it out if it is unknown.")
    }

    /// Refuses a delivery time of more than a year ago, which would be due at once. A later one can be a push that is late.
    package static func mistake(
        inDelivery milliseconds: Int64, of name: String, secondsSince1970 now: Int
    ) -> Mistake? {
        let seconds = Int(milliseconds / 1000)
        guard milliseconds < 0 || seconds < now - secondsOfAYear else { return nil }
        let time = milliseconds < 0 ? "before 1970" : shown(Double(seconds))
        let soon = now + seconds
        let advice =
            (1...secondsOfAYear).contains(seconds)
            ? "For \(seconds) seconds from now, write \(soon) or \"\(shown(Double(soon)))\"."
            : "Give a future time, in seconds since 1970 or as 2026-11-22T07:00:00Z. To send immediately, leave it out."
        return Mistake(
            subject: .delivery,
            problem: "\"\(name)\" is \(time), more than a year ago: by the clock here it is \(shown(Double(now))).",
            advice: advice)
    }

    private static func shown(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds).rfc3339Seconds }
}

extension TimeText.Unit {
    package func advice(for number: Int) -> String {
        self == .milliseconds
            ? "It looks like milliseconds: divide by 1000."
            : "It looks like \(self): did you mean \(Int64(number) / rawValue)?"
    }
}
