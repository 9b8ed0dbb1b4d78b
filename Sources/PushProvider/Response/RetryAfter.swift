/// The header field `retry-after`: seconds, or a date (RFC 9110 section 10.2.3). Whatever else it holds is passed over.
enum RetryAfter {
    /// How long to wait from now; `nil` when the field says nothing that can be used, a date in the past for example.
    static func pause(_ text: String?, secondsSince1970 now: Int) -> Duration? {
        guard let text else { return nil }
        if let seconds = Int32(text), seconds >= 0 { return .seconds(seconds) }
        guard let date = HTTPDate.seconds(text), date > now else { return nil }
        return .seconds(date - now)
    }
}
