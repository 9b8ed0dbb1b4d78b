public import APNSVocabulary

/// The device tokens that the mock knows. Their letter case does not matter.
public struct DeviceRegistry: Equatable, Sendable {
    private var devicesByHex: [String: Device] = [:]

    /// A registry without devices.
    public init() {}

    /// How many devices there are.
    public var count: Int { devicesByHex.count }

    /// Every device, in the order of the tokens.
    public var all: [Device] {
        devicesByHex.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Adds a device, or replaces the one with the same token.
    public mutating func register(_ device: Device) {
        devicesByHex[device.token.hex.lowercased()] = device
    }

    /// The app is gone from a device: the token gets 410 `Unregistered` from now on.
    ///
    /// - Parameters:
    ///   - token: A token; one that is not registered is added, dead for every topic.
    ///   - since: When APNs is said to have noticed, the `timestamp` of its answers.
    public mutating func unregister(_ token: DeviceToken, since: Moment) {
        devicesByHex[token.hex.lowercased(), default: Device(token: token)].state = .unregistered(since: since)
    }

    /// A token has run out: it gets 410 `ExpiredToken` from now on.
    ///
    /// - Parameters:
    ///   - token: A token; one that is not registered is added, dead for every topic.
    ///   - since: When APNs is said to have noticed, the `timestamp` of its answers.
    public mutating func expire(_ token: DeviceToken, since: Moment) {
        devicesByHex[token.hex.lowercased(), default: Device(token: token)].state = .expired(since: since)
    }

    /// Takes a device out, as if it had never been known.
    public mutating func forget(_ token: DeviceToken) {
        devicesByHex[token.hex.lowercased()] = nil
    }

    /// Finds a device.
    ///
    /// - Parameter hex: The hex digits of its token, in any letter case.
    /// - Returns: The device, or `nil` when the token is not registered.
    public func device(hex: String) -> Device? {
        if devicesByHex.isEmpty { return nil }
        return devicesByHex[hex] ?? devicesByHex[hex.lowercased()]
    }
}
