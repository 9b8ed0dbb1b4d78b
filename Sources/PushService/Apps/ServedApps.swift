package import PushDelivery

/// The apps of the service, as they are now: a reload of the configuration changes them.
package struct ServedApps: Sendable {
    /// The settings of all apps, by name.
    package var settings: @Sendable () -> [String: AppSettings]
    /// How the apps are doing.
    package var statuses: @Sendable () async -> [AppStatus]
    /// The workers of the queue; none if there can be only one.
    package var workers: @Sendable () async -> [WorkerPresence]
    /// The names of apps that are not configured and have unfinished jobs: renamed ones, or removed ones.
    package var leftOver: @Sendable () -> [String]
    /// Lets an app send nothing, or send again. Returns whether there is such an app.
    package var setPaused: @Sendable (_ app: String, _ isPaused: Bool) async throws -> Bool

    /// Creates the apps of a service.
    ///
    /// - Parameters:
    ///   - settings: Returns the settings of all apps, by name.
    ///   - statuses: Returns how the apps are doing.
    ///   - workers: Returns the workers of the queue; none if there can be only one.
    ///   - leftOver: Returns the names of apps that are not configured and have unfinished jobs.
    ///   - setPaused: Lets an app send nothing, or send again. Returns whether there is such an app.
    package init(
        settings: @escaping @Sendable () -> [String: AppSettings],
        statuses: @escaping @Sendable () async -> [AppStatus] = { [] },
        workers: @escaping @Sendable () async -> [WorkerPresence] = { [] },
        leftOver: @escaping @Sendable () -> [String] = { [] },
        setPaused: @escaping @Sendable (_ app: String, _ isPaused: Bool) async throws -> Bool = { _, _ in false }
    ) {
        (self.settings, self.statuses, self.workers) = (settings, statuses, workers)
        (self.leftOver, self.setPaused) = (leftOver, setPaused)
    }

    /// The names of all apps that have jobs or may get some, in order.
    var names: [String] { Set(settings().keys).union(leftOver()).sorted() }

    subscript(name: String) -> AppSettings? { settings()[name] }
}
