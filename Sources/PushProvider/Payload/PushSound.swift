internal import PushJSON

/// What a notification sounds like.
///
/// Where one is expected the name of a file will do: `sound: "ping.caf"`.
public struct PushSound: Sendable, Hashable, ExpressibleByStringLiteral {
    private enum Form: Hashable {
        case plain(String)
        case critical(String, volume: Double?)
    }

    private let form: Form

    /// The device's own sound.
    public static let `default` = PushSound(form: .plain("default"))

    /// A sound file in the app or in its `Library/Sounds`, shorter than 30 seconds; one that is missing is `default`.
    public static func named(_ name: String) -> PushSound {
        PushSound(form: .plain(name))
    }

    /// A sound that mute and Focus do not stop. The app needs Apple's entitlement for critical alerts.
    ///
    /// - Parameters:
    ///   - name: As in ``named(_:)``.
    ///   - volume: From 0 to 1; the device's own where it is left out.
    /// - Returns: The sound; a volume that cannot be is told when the payload is built.
    public static func critical(_ name: String = "default", volume: Double? = nil) -> PushSound {
        PushSound(form: .critical(name, volume: volume))
    }

    private init(form: Form) {
        self.form = form
    }

    /// The name of a file.
    public init(stringLiteral value: String) {
        form = .plain(value)
    }

    func tree() throws(PayloadError) -> EncodedJSON {
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
