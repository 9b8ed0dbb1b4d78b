internal import PushProvider

/// Decides when this worker sends pushes of an app: by the rate of the app, by the time between two pushes to a device, and by the
/// worker's share of both. A pure value; time is an argument.
struct AppPace: Equatable {
    private let hasLimits: Bool
    private var bucket: PushRateLimiter?
    private var devices: DevicePace?
    /// Whether this worker sends the app.
    private var isOpen: Bool
    /// When it begins to send; `nil` if that is not known.
    private var opens: MonotonicTime?
    /// When it stops unless its position is confirmed again; `nil` for never.
    private var closes: MonotonicTime?
    /// Another worker may have sent pushes to the same devices until an interval before this time.
    private var rests: MonotonicTime?
    /// The maximum number of connections of this worker.
    private(set) var connections: Int

    /// - Parameters:
    ///   - app: The app.
    ///   - isShared: Whether other workers may send the app, too. Then nothing is sent before ``follow(_:of:at:)``.
    ///   - now: The current time.
    init(_ app: AppSettings, isShared: Bool, now: MonotonicTime) {
        hasLimits = app.rate != nil || app.deviceInterval != nil
        devices = app.deviceInterval.map { DevicePace(interval: $0) }
        connections = app.client.maximumConnections
        isOpen = !isShared
        if !isShared { bucket = app.rate.map { PushRateLimiter(rate: $0, now: now) } }
    }

    // MARK: Shares

    /// Adapts to the position of this worker among the workers of the app. A worker that is not certain of its position still sends an app
    /// without limits.
    mutating func follow(_ standing: WorkerStanding, of app: AppSettings, at now: MonotonicTime) {
        let wasOpen = isOpen(at: now)
        let share: AppShare
        switch standing {
        case .certain(let position, let end):
            share = AppShare(position, of: app)
            (isOpen, opens, closes) = (share.isSender, nil, hasLimits ? end : nil)
        case .uncertain(let position, let start):
            share = AppShare(position, of: app)
            (isOpen, opens, closes) = (share.isSender && !hasLimits, share.isSender ? start : nil, nil)
        }
        connections = share.connections
        guard isOpen else { return }
        if let rate = share.rate { changeRate(rate, wasOpen: wasOpen, at: now) }
        if !wasOpen, let interval = app.deviceInterval { rests = now.advanced(by: interval) }
    }

    private mutating func changeRate(_ rate: Double, wasOpen: Bool, at now: MonotonicTime) {
        guard wasOpen, bucket != nil else { return bucket = PushRateLimiter(rate: rate, now: now, isFull: false) }
        if bucket?.rate != rate { bucket?.change(to: rate, at: now) }
    }

    private func isOpen(at now: MonotonicTime) -> Bool { isOpen && (closes.map { now < $0 } ?? true) }

    // MARK: Pushes

    func allowedPushes(at now: MonotonicTime) -> AllowedPushes {
        guard isOpen(at: now) else { return .none(until: isOpen ? nil : opens) }
        if let rests, now < rests { return .none(until: rests) }
        guard let bucket else { return .all }
        let available = bucket.available(at: now)
        return available > 0 ? .some(available) : .none(until: bucket.nextTime(after: now))
    }

    /// Whether a push that was claimed before may still be sent: another worker may have taken over.
    func maySend(at now: MonotonicTime) -> Bool { isOpen(at: now) && (rests.map { now >= $0 } ?? true) }

    mutating func ask(_ device: String, at now: MonotonicTime) -> DevicePace.Answer {
        devices?.ask(device, at: now) ?? .now
    }

    mutating func sent(at now: MonotonicTime) { bucket?.take(1, at: now) }
}
