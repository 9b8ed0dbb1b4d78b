/// How long Apple stores a notification and tries to deliver it to a device that is offline.
///
/// Source: Apple, "Sending notification requests to APNs", header `apns-expiration`.
public enum Expiration: Hashable, Sendable {
    /// Apple decides: up to 30 days. No header is sent.
    case apnsDefault
    /// One delivery attempt by Apple, without storing. Retries of this library are not limited by it.
    case doNotStore
    /// Until this time, in whole seconds since 1970.
    case until(secondsSince1970: Int)
    /// For this number of seconds, from the moment when the client gets the notification. Retries keep the resulting
    /// time, and ``PushResult/notification`` has it as ``until(secondsSince1970:)``.
    case after(seconds: Int)

    /// The value of the header; `nil` if no header is sent. For a duration, call ``counted(from:)`` first.
    package var headerValue: String? {
        switch self {
        case .apnsDefault, .after: nil
        case .doNotStore: "0"
        case .until(let seconds): String(seconds)
        }
    }

    /// Converts a duration that begins now to a time. Other expirations do not change.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    /// - Returns: An expiration that is not a duration.
    package func counted(from now: Int) -> Expiration {
        guard case .after(let seconds) = self else { return self }
        let (time, overflow) = now.addingReportingOverflow(seconds)
        return .until(secondsSince1970: overflow ? .max : time)
    }
}

extension PushNotification {
    /// Returns the notification with an expiration that is a time, not a duration. A second call does not change it.
    ///
    /// - Parameter now: The current time, in seconds since 1970; evaluated only if the expiration is a duration.
    /// - Returns: The notification with that time.
    func handedOn(secondsSince1970 now: @autoclosure () -> Int) -> PushNotification {
        guard case .after = expiration else { return self }
        var handedOn = self
        handedOn.expiration = expiration?.counted(from: now())
        return handedOn
    }
}
