/// How urgently Apple delivers a notification: the value of the `apns-priority` header.
///
/// Source: Apple, "Sending notification requests to APNs".
public struct PushPriority: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire: 10, 5 or 1.
    public let rawValue: Int

    /// Takes any number; Apple answers `BadPriority` to those that it does not know.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// 10: at once.
    public static let immediate = PushPriority(rawValue: 10)
    /// 5: with regard to the device's power; may be grouped and delayed. Background notifications must use it.
    public static let powerAware = PushPriority(rawValue: 5)
    /// 1: power before everything else; never wakes the device.
    public static let low = PushPriority(rawValue: 1)

    /// The three numbers that Apple accepts.
    public static let known: [PushPriority] = [.immediate, .powerAware, .low]

    /// The number on the wire.
    public var description: String {
        // Literals: this is asked for every notification.
        switch rawValue {
        case 10: "10"
        case 5: "5"
        default: String(rawValue)
        }
    }
}
