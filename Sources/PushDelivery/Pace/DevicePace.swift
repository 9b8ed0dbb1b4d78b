internal import PushProvider

/// Keeps the shortest time between two pushes to one device. A pure value.
struct DevicePace: Equatable {
    enum Answer: Equatable {
        /// It may be sent now, and counts as sent.
        case now
        /// It comes too early. It gets its turn after this duration.
        case after(Duration)
    }

    private struct Device: Equatable {
        var next: MonotonicTime
        /// When the next push that comes too early gets its turn.
        var turn: MonotonicTime
    }

    /// The maximum number of devices that are remembered. Beyond it, the oldest half is forgotten, and their next pushes are
    /// sent at once.
    static let maximumDevices = 100_000

    private let interval: Duration
    private var devices: [String: Device] = [:]

    var count: Int { devices.count }

    /// - Parameter interval: The shortest time between two pushes.
    init(interval: Duration) {
        self.interval = interval
    }

    mutating func ask(_ device: String, at now: MonotonicTime) -> Answer {
        guard var known = devices[device], now < known.next else {
            if devices.count >= Self.maximumDevices { forget(at: now) }
            // Pushes that were sent back keep their turns.
            let next = now.advanced(by: interval)
            devices[device] = Device(next: next, turn: max(next, devices[device]?.turn ?? next))
            return .now
        }
        let turn = max(known.turn, known.next)
        known.turn = turn.advanced(by: interval)
        devices[device] = known
        return .after(now.duration(to: turn))
    }

    private mutating func forget(at now: MonotonicTime) {
        devices = devices.filter { now < max($0.value.next, $0.value.turn) }
        guard devices.count >= Self.maximumDevices else { return }
        let oldest = devices.sorted { $0.value.next < $1.value.next }.prefix(devices.count / 2)
        for (device, _) in oldest { devices[device] = nil }
    }
}
