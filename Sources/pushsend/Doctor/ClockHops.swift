import PushCommandLine
internal import PushJSON
import PushProvider
import PushTime

/// The hop about the clock of this machine, against the `date` of an answer. A pure table.
enum ClockHops {
    /// A larger difference, in seconds, is a warning.
    static let tolerance = 5 * 60
    /// How far this clock may be behind, in seconds. Its provider tokens are up to 40 minutes old, and Apple refuses
    /// one that is older than an hour.
    static let maximumBehind = 20 * 60
    /// How far it may be ahead, in seconds. It isn't known how far in the future Apple accepts a provider token.
    static let maximumAhead = 3600

    /// - Parameters:
    ///   - outcome: The outcome of the test push; `nil` if none was sent.
    ///   - usesToken: Whether the credentials are a key, so that the clock is in each provider token.
    ///   - now: The clock of this machine when the answer arrived, in seconds since 1970.
    /// - Returns: The hop.
    static func hop(_ outcome: PushOutcome?, usesToken: Bool = true, now: Int) -> Hop {
        guard let outcome else { return .skipped(.clock, "Not checked: no request was sent.") }
        guard case .rejected(let rejection) = outcome else {
            return .notKnown(.clock, "The server's time is unknown.")
        }
        guard let server = rejection.serverSeconds else {
            if rejection.reason == .expiredProviderToken {
                return .notKnown(
                    .clock,
                    "The answer has no date, but a new provider token was refused, so this clock is probably wrong.",
                    remedy: remedy)
            }
            return .notKnown(.clock, "The server's time is unknown: its answer has no date.")
        }
        let ahead = now - server
        let size = abs(ahead)
        let fact =
            size < 2
            ? "It agrees with the server's."
            : "It is \(Duration.seconds(size).approximateText) \(ahead > 0 ? "ahead of" : "behind") the server's."
        let hop: Hop =
            switch size {
            case ...tolerance: .ok(.clock, fact)
            case ...(ahead < 0 ? maximumBehind : maximumAhead): .warning(.clock, fact, remedy: remedy)
            case _ where !usesToken: .warning(.clock, fact, remedy: remedy)
            default:
                .failed(
                    .clock, "\(fact) Provider tokens made with this clock are refused.", remedy: remedy, .credentials)
            }
        return hop.with("seconds_ahead", .integer(ahead))
    }

    private static let remedy = "Set the clock, best with NTP: timedatectl set-ntp true."
}
