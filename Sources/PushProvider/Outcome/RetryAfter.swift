/// The header field `retry-after`: seconds, or a date (RFC 9110 section 10.2.3). Any other value is ignored.
package enum RetryAfter {
    /// The maximum pause, in seconds. A longer pause is reduced to this one (RFC 9111 section 1.2.2).
    static let longestPause = 2_147_483_648

    /// Returns how long to wait from now; `nil` if the value is not usable, for example a date in the past.
    package static func pause(_ text: String?, secondsSince1970 now: Int) -> Duration? {
        guard let text else { return nil }
        if let seconds = seconds(text) { return .seconds(seconds) }
        guard let date = HTTPDate.seconds(text), date > now else { return nil }
        return .seconds(min(date - now, longestPause))
    }

    /// Returns the number of seconds; `nil` if the text has other characters than digits. A number that is too large
    /// for an `Int` counts as the maximum pause.
    private static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int(text) ?? longestPause, longestPause)
    }
}
