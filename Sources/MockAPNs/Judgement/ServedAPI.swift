/// Which part of the provider API a port serves.
package enum ServedAPI: Hashable, Sendable {
    /// Pushes to devices, and broadcasts.
    case pushes
    /// The management of the channels of one environment.
    case channels(MockEnvironment)

    /// Whether the answer to a request has an `apns-request-id` instead of an `apns-id`: about broadcasts, and on every
    /// port that manages channels, whatever the path.
    func usesRequestID(_ target: MockRequestTarget) -> Bool { self != .pushes || target.app != nil }
}
