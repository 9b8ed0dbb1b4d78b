public import PushPlatform
internal import PushTime

/// How long Apple stores a notification and tries to deliver it to a device that is offline.
///
/// Source: Apple, "Sending notification requests to APNs", header `apns-expiration`.
public struct PushExpiration: Hashable, Sendable {
    /// The forms of an expiration. Times are in whole seconds, as in the header.
    package enum Form: Hashable, Sendable {
        case apnsDefault
        case once
        case until(secondsSince1970: Int)
        case after(seconds: Int)
        /// A header value that is sent as it is, even if APNs refuses it: the mock's page repeats what another client sent.
        case exact(String)
    }

    package let form: Form

    /// Apple decides: up to 30 days. No header is sent.
    public static let apnsDefault = PushExpiration(form: .apnsDefault)
    /// One delivery attempt by Apple, without storing. Retries of this library are not limited by it.
    public static let once = PushExpiration(form: .once)

    /// Until a time.
    ///
    /// - Parameter date: The time. Fractions of a second are dropped.
    /// - Returns: The expiration.
    public static func until(_ date: Date) -> PushExpiration {
        .until(secondsSince1970: Int(clamping: date.timeIntervalSince1970))
    }

    /// For a time that begins when the client gets the notification. Retries keep the resulting time, and
    /// ``PushResult/notification`` has it as ``until(_:)``.
    ///
    /// - Parameter duration: The duration. Fractions of a second are dropped.
    /// - Returns: The expiration.
    public static func after(_ duration: Duration) -> PushExpiration {
        .after(seconds: Int(clamping: duration.components.seconds))
    }

    package static func until(secondsSince1970 seconds: Int) -> PushExpiration {
        PushExpiration(form: .until(secondsSince1970: seconds))
    }

    package static func after(seconds: Int) -> PushExpiration {
        PushExpiration(form: .after(seconds: seconds))
    }

    /// An expiration with exactly this header value, which is not checked; `nil` if a header cannot have it.
    package init?(exact value: String) {
        guard (1...100).contains(value.utf8.count), value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.init(form: .exact(value))
    }

    private init(form: Form) { self.form = form }

    /// The value of the header; `nil` if no header is sent. For a duration, call ``counted(from:)`` first.
    package var headerValue: String? {
        switch form {
        case .apnsDefault, .after: nil
        case .once: "0"
        case .until(let seconds): String(seconds)
        case .exact(let value): value
        }
    }

    /// Whether it is a duration that has not begun yet.
    package var isDuration: Bool {
        if case .after = form { true } else { false }
    }

    /// Converts a duration that begins now to a time. Other expirations do not change.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    /// - Returns: An expiration that is not a duration.
    package func counted(from now: Int) -> PushExpiration {
        guard case .after(let seconds) = form else { return self }
        let (time, overflow) = now.addingReportingOverflow(seconds)
        return .until(secondsSince1970: overflow ? .max : time)
    }
}

extension PushExpiration {
    /// Reads an expiration as people write it: `once` or `0`, `apple`, a duration such as `2h`, or a time as in ``TimeText``;
    /// `nil` for any other text. A number that is too large for seconds stays as it is, and is refused when the
    /// notification is checked.
    package init?(text: String) {
        switch text {
        case "once", "0": self = .once
        case "apple": self = .apnsDefault
        default:
            if let duration = Duration(unitText: text) {
                self = .after(duration)
                return
            }
            switch TimeText(text) {
            // A part of a second is a duration without its unit, and not the header's 0.
            case .time(1...999): self = .until(secondsSince1970: 1)
            case .time(let milliseconds): self = .until(secondsSince1970: Int(milliseconds / 1000))
            case .tooFine(_, let number): self = .until(secondsSince1970: Int(number))
            case nil: return nil
            }
        }
    }

    package static let advice = "Use once, apple, 2h, seconds since 1970, or 2026-11-22T07:00:00Z."
}

extension PushNotification {
    /// Returns the notification with an expiration that is a time, not a duration. A second call does not change it.
    ///
    /// - Parameter now: The current time, in seconds since 1970; evaluated only if the expiration is a duration.
    /// - Returns: The notification with that time.
    func handedOn(secondsSince1970 now: @autoclosure () -> Int) -> PushNotification {
        guard let expiration, expiration.isDuration else { return self }
        var handedOn = self
        handedOn.expiration = expiration.counted(from: now())
        return handedOn
    }
}

extension Int {
    /// The whole part of a number of seconds, limited to the range of `Int`.
    package init(clamping seconds: Double) {
        self = Int(exactly: seconds.rounded(.towardZero)) ?? (seconds < 0 ? .min : .max)
    }
}
