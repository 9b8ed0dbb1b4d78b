internal import PushJSON

extension PushPayload {
    /// The sound of a notification.
    ///
    /// A string literal is the name of a sound file: `sound: "ping.caf"`.
    public struct Sound: Sendable, Hashable, ExpressibleByStringLiteral {
        private enum Form: Hashable {
            case plain(String)
            case critical(String, volume: Double?)
        }

        private let form: Form

        /// The default sound of the device.
        public static let `default` = PushPayload.Sound(form: .plain("default"))

        /// A sound file in the app or in its `Library/Sounds`, shorter than 30 seconds. If it is missing, the device plays
        /// the default sound.
        public static func named(_ name: String) -> PushPayload.Sound {
            PushPayload.Sound(form: .plain(name))
        }

        /// A sound that plays despite mute and Focus. The app needs Apple's entitlement for critical alerts.
        ///
        /// - Parameters:
        ///   - name: The name of a sound file, as in ``named(_:)``.
        ///   - volume: The volume, from 0 to 1; `nil` for the volume of the device.
        /// - Returns: The sound. A volume outside the range throws an error when the payload is built.
        public static func critical(_ name: String = "default", volume: Double? = nil) -> PushPayload.Sound {
            PushPayload.Sound(form: .critical(name, volume: volume))
        }

        private init(form: Form) {
            self.form = form
        }

        /// Creates a sound from the name of a sound file.
        ///
        /// - Parameter value: The name, as in ``named(_:)``.
        public init(stringLiteral value: String) {
            form = .plain(value)
        }

        func tree() throws(PushPayloadError) -> EncodedJSON {
            switch form {
            case .plain(let name): return .text(name)
            case .critical(let name, let volume):
                var members: [String: EncodedJSON] = ["critical": .integer(1), "name": .text(name)]
                if let volume {
                    guard (0...1).contains(volume) else { throw .notBetween0And1("aps.sound.volume") }
                    members["volume"] = .value(.number(volume))
                }
                return .object(members)
            }
        }
    }
}

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
