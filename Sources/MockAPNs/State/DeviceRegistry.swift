package import APNSVocabulary
package import PushPlatform

/// The registered device tokens. Their letter case does not matter.
package struct DeviceRegistry: Equatable, Sendable {
    private var devicesByHex: [String: MockDevice] = [:]

    package var count: Int { devicesByHex.count }

    package var all: [MockDevice] {
        devicesByHex.sorted { $0.key < $1.key }.map(\.value)
    }

    package mutating func register(_ device: MockDevice) {
        devicesByHex[device.token.hex.lowercased()] = device
    }

    /// Marks a token as unregistered: from now on it gets 410 `Unregistered`.
    ///
    /// - Parameters:
    ///   - token: The token. If it is not registered, it is added for all topics.
    ///   - since: The `timestamp` of the answers.
    package mutating func unregister(_ token: DeviceToken, since: Date) {
        devicesByHex[token.hex.lowercased(), default: MockDevice(token: token)].state = .unregistered(since: since)
    }

    /// Removes a device. Its token is then unknown.
    package mutating func forget(_ token: DeviceToken) {
        devicesByHex[token.hex.lowercased()] = nil
    }

    /// Finds a device.
    ///
    /// - Parameter hex: The hex digits of the token, in any letter case.
    /// - Returns: The device, or `nil` if the token is not registered.
    package func device(hex: String) -> MockDevice? {
        if devicesByHex.isEmpty { return nil }
        return devicesByHex[hex] ?? devicesByHex[hex.lowercased()]
    }
}
