package import PushDelivery

/// The apps of the service, as they are now: a reload of the configuration changes them.
package struct ServedApps: Sendable {
    /// The settings of all apps, by name.
    package var settings: @Sendable () -> [String: AppSettings]
    /// How the apps are doing.
    package var statuses: @Sendable () async -> [AppStatus]
    /// Lets an app send nothing, or send again. Returns whether there is such an app.
    package var setPaused: @Sendable (_ app: String, _ isPaused: Bool) async throws -> Bool

    /// Creates the apps of a service.
    ///
    /// - Parameters:
    ///   - settings: Returns the settings of all apps, by name.
    ///   - statuses: Returns how the apps are doing.
    ///   - setPaused: Lets an app send nothing, or send again. Returns whether there is such an app.
    package init(
        settings: @escaping @Sendable () -> [String: AppSettings],
        statuses: @escaping @Sendable () async -> [AppStatus] = { [] },
        setPaused: @escaping @Sendable (_ app: String, _ isPaused: Bool) async throws -> Bool = { _, _ in false }
    ) {
        (self.settings, self.statuses, self.setPaused) = (settings, statuses, setPaused)
    }

    /// The names, in order.
    var names: [String] { settings().keys.sorted() }

    subscript(name: String) -> AppSettings? { settings()[name] }
}
