package import PushDelivery

/// The apps of the service, as they are now: a reload of the configuration changes them.
package struct ServedApps: Sendable {
    /// The settings of all apps, by name.
    package var settings: @Sendable () -> [String: AppSettings]
    /// How the apps are doing, by name.
    package var statuses: @Sendable () async -> [String: AppStatus]

    /// Creates the apps of a service.
    ///
    /// - Parameters:
    ///   - settings: Returns the settings of all apps, by name.
    ///   - statuses: Returns how the apps are doing, by name.
    package init(
        settings: @escaping @Sendable () -> [String: AppSettings],
        statuses: @escaping @Sendable () async -> [String: AppStatus] = { [:] }
    ) {
        (self.settings, self.statuses) = (settings, statuses)
    }

    /// The names, in order.
    var names: [String] { settings().keys.sorted() }

    subscript(name: String) -> AppSettings? { settings()[name] }
}

/// How an app is doing.
package struct AppStatus: Sendable, Hashable {
    /// Whether a connection to APNs is open.
    package var isConnected: Bool
    /// Whether APNs accepts the credentials; `nil` if that is not known yet.
    package var credentialsAccepted: Bool?
    /// How many whole days the certificate is still valid; `nil` for a key.
    package var certificateDaysLeft: Int?
    /// Why nothing is sent for the app until the operator acts; `nil` if it is sent.
    package var pausedBecause: String?
    /// How many pushes are being sent.
    package var inFlight: Int

    /// Creates a status.
    package init(
        isConnected: Bool = false, credentialsAccepted: Bool? = nil, certificateDaysLeft: Int? = nil,
        pausedBecause: String? = nil, inFlight: Int = 0
    ) {
        (self.isConnected, self.credentialsAccepted) = (isConnected, credentialsAccepted)
        (self.certificateDaysLeft, self.pausedBecause) = (certificateDaysLeft, pausedBecause)
        self.inFlight = inFlight
    }
}
