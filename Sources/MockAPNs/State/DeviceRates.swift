import PushPlatform

/// The number of requests for each device token in its current time window.
///
/// A window starts with the first request after the previous window has ended. Memory is bounded: ended windows are
/// removed. If 100 000 tokens have open windows, all of them are removed and the counting starts again.
package struct DeviceRates: Equatable, Sendable {
    private struct Window: Equatable {
        let start: Date
        var count: Int

        func isOpen(under limit: MockDeviceRateLimit, at now: Date) -> Bool {
            now - start < limit.seconds
        }
    }

    /// The maximum number of device tokens that are counted. Beyond it, all counts start again at zero.
    private static let maximumWindows = 100_000

    private var windows: [String: Window] = [:]
    private var sweepAt = 1024

    func isExhausted(for token: String, under limit: MockDeviceRateLimit, at now: Date) -> Bool {
        guard let window = windows[token.lowercased()], window.isOpen(under: limit, at: now) else {
            return limit.count <= 0
        }
        return window.count >= limit.count
    }

    mutating func requestAccepted(for token: String, under limit: MockDeviceRateLimit, at now: Date) {
        let key = token.lowercased()
        if windows[key]?.isOpen(under: limit, at: now) == true {
            windows[key]?.count += 1
            return
        }
        if windows.count >= sweepAt { sweep(under: limit, at: now) }
        windows[key] = Window(start: now, count: 1)
    }

    private mutating func sweep(under limit: MockDeviceRateLimit, at now: Date) {
        windows = windows.filter { $0.value.isOpen(under: limit, at: now) }
        if windows.count >= Self.maximumWindows { windows.removeAll() }
        sweepAt = min(Self.maximumWindows, max(1024, windows.count * 2))
    }
}
