/// How long Apple keeps trying to deliver a notification to a device that is away.
///
/// Source: Apple, "Sending notification requests to APNs", header `apns-expiration`.
public enum Expiration: Hashable, Sendable {
    /// Apple decides: up to 30 days. No header is sent.
    case apnsDefault
    /// One attempt, nothing is stored. It limits Apple's attempts, not this library's.
    case doNotStore
    /// Until then, in whole seconds since 1970.
    case until(secondsSince1970: Int)
    /// For this many seconds, counted from the moment at which the client takes the notification. Retries keep the time that
    /// follows from it, and ``PushResult/notification`` has it as ``until(secondsSince1970:)``.
    case after(seconds: Int)

    /// The value of the header; `nil` where none is sent. A duration has none before it is ``counted(from:)``.
    package var headerValue: String? {
        switch self {
        case .apnsDefault, .after: nil
        case .doNotStore: "0"
        case .until(let seconds): String(seconds)
        }
    }

    /// The time that a duration means when it begins now; everything else stays as it is.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: An expiration that is no duration.
    package func counted(from now: Int) -> Expiration {
        guard case .after(let seconds) = self else { return self }
        let (time, overflow) = now.addingReportingOverflow(seconds)
        return .until(secondsSince1970: overflow ? .max : time)
    }
}

extension PushNotification {
    /// The same notification, whose expiration is a time and no duration. One that has been handed on keeps its time, however
    /// often it is handed on again.
    ///
    /// - Parameter now: Seconds since 1970; read only where the expiration is a duration.
    /// - Returns: The notification with that time.
    func handedOn(secondsSince1970 now: @autoclosure () -> Int) -> PushNotification {
        guard case .after = expiration else { return self }
        var handedOn = self
        handedOn.expiration = expiration?.counted(from: now())
        return handedOn
    }
}
