import PushProvider

/// Where to send to, as the options say it.
struct Target: Sendable {
    var place: PushEnvironment
    /// The file of the authorities that are trusted in place of the system's.
    var authoritiesFile: String?
    /// What should be said about how it was chosen.
    var note: String?
    /// What stands between.
    var proxy = ProxyChoice.none
    /// Whether a phone can be at the other end.
    var isApple: Bool
}
