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

    var headerValue: String? {
        switch self {
        case .apnsDefault: nil
        case .doNotStore: "0"
        case .until(let seconds): String(seconds)
        }
    }
}
