extension PushPayload {
    /// How much a notification may interrupt the user: the value of `interruption-level`.
    ///
    /// Any value can be sent, also one that Apple adds later. Source: Apple, "Generating a remote notification".
    public struct InterruptionLevel: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The value in the payload.
        public let rawValue: String

        /// Creates a level from any value, without a check.
        ///
        /// - Parameter rawValue: The value in the payload.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Creates a level from any value, without a check.
        ///
        /// - Parameter value: The value in the payload.
        public init(stringLiteral value: String) {
            rawValue = value
        }

        /// Adds the notification to the list, without light or sound.
        public static let passive = PushPayload.InterruptionLevel(rawValue: "passive")
        /// Shows the notification with light and sound; the default of the device.
        public static let active = PushPayload.InterruptionLevel(rawValue: "active")
        /// Breaks through Focus and the scheduled summary, if the user allows it. The app needs the capability.
        public static let timeSensitive = PushPayload.InterruptionLevel(rawValue: "time-sensitive")
        /// Breaks through everything. The app needs Apple's entitlement, and the sound is
        /// ``PushPayload/Sound/critical(_:volume:)``.
        public static let critical = PushPayload.InterruptionLevel(rawValue: "critical")
    }
}
