/// The header field `retry-after`: seconds, or a date (RFC 9110 section 10.2.3). Any other value is ignored.
enum RetryAfter {
    /// The longest pause, in seconds. A longer one counts as this one, as RFC 9111 section 1.2.2 has it.
    static let longestPause = 2_147_483_648

    /// How long to wait from now; `nil` when the field says nothing that can be used, a date in the past for example.
    static func pause(_ text: String?, secondsSince1970 now: Int) -> Duration? {
        guard let text else { return nil }
        if let seconds = seconds(text) { return .seconds(seconds) }
        guard let date = HTTPDate.seconds(text), date > now else { return nil }
        return .seconds(min(date - now, longestPause))
    }

    /// Digits and nothing else; there can be more of them than fit a number.
    private static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int(text) ?? longestPause, longestPause)
    }
}
