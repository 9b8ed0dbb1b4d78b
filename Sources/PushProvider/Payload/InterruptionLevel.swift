/// How far a notification may interrupt: the value of `interruption-level`.
///
/// The type is open: a word that Apple adds tomorrow is sent as it is. Source: Apple, "Generating a remote notification".
public struct InterruptionLevel: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The word in the payload.
    public let rawValue: String

    /// Takes any word; nothing is checked here.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Takes any word; nothing is checked here.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Into the list, without light or sound.
    public static let passive = InterruptionLevel(rawValue: "passive")
    /// With light and sound, which is what happens without a level.
    public static let active = InterruptionLevel(rawValue: "active")
    /// Through Focus and the scheduled summary, where the person allows it. The app needs the capability.
    public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
    /// Through everything. The app needs Apple's entitlement, and the sound is ``PushSound/critical(_:volume:)``.
    public static let critical = InterruptionLevel(rawValue: "critical")
}
