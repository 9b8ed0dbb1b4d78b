internal import PushProvider

/// The part of an app that a worker sends. A pure value.
///
/// An app has only as many senders as its limits allow: the others wait in case one of them ends.
struct AppShare: Equatable {
    /// Whether this worker sends jobs of the app.
    var isSender: Bool
    /// How many pushes this worker sends in a second; `nil` for no limit.
    var rate: Double?
    /// The maximum number of connections of this worker; 0 if it sends nothing.
    var connections: Int

    /// How many pushes a second a worker needs for a steady flow: one for each tenth of a second.
    private static let leastRate = 10.0

    init(_ position: WorkerPosition, of app: AppSettings) {
        let total = app.client.maximumConnections
        let senders = min(position.count, Self.maximumSenders(of: app))
        isSender = position.rank < senders
        rate = app.rate.map { $0 / Double(senders) }
        connections = isSender ? total / senders + (position.rank < total % senders ? 1 : 0) : 0
    }

    /// The maximum number of workers that send an app: at most as many as it may have connections, each with a rate that needs no
    /// burst. The time between two pushes to a device is kept by one worker, in its memory.
    private static func maximumSenders(of app: AppSettings) -> Int {
        if app.deviceInterval != nil { return 1 }
        let maximum = app.client.maximumConnections
        guard let rate = app.rate, rate < Double(maximum) * leastRate else { return maximum }
        return max(1, Int(rate / leastRate))
    }
}

extension AppSettings {
    /// How many pushes of the app all workers together send in a second; `nil` for no limit.
    var rate: Double? { ratePerSecond.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }
}
