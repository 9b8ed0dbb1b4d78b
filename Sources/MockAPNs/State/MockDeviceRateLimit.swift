/// The maximum number of requests in a time window.
public struct MockDeviceRateLimit: Hashable, Sendable {
    /// The maximum number of requests in one window.
    public let count: Int
    /// The length of the window. It starts with the first request.
    public let window: Duration

    /// The length of the window, in seconds.
    var seconds: Double { window / .seconds(1) }

    /// Creates a limit.
    public init(count: Int, per window: Duration) {
        self.count = count
        self.window = window
    }
}
