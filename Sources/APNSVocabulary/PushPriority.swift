/// The priority of a notification: the value of the `apns-priority` header.
///
/// Source: Apple, "Sending notification requests to APNs".
public struct PushPriority: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in the header: 10, 5 or 1.
    public let rawValue: Int

    /// Creates a priority from any number. Apple answers `BadPriority` to an unknown number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// 10: deliver immediately.
    public static let immediate = PushPriority(rawValue: 10)
    /// 5: save power; notifications may be grouped and delayed. Background notifications must use it.
    public static let powerAware = PushPriority(rawValue: 5)
    /// 1: saving power is most important; it never wakes the device.
    public static let low = PushPriority(rawValue: 1)

    /// The three numbers that Apple accepts.
    public static let known: [PushPriority] = [.immediate, .powerAware, .low]

    /// The number in the header.
    public var description: String {
        // Literals are faster, and this runs for every notification.
        switch rawValue {
        case 10: "10"
        case 5: "5"
        default: String(rawValue)
        }
    }
}
