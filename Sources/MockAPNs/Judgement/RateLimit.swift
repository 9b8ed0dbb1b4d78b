/// The maximum number of requests in a time window.
public struct RateLimit: Hashable, Sendable {
    /// The maximum number of requests in one window.
    public let count: Int
    /// The length of the window in seconds. It starts with the first request.
    public let seconds: Double

    /// Creates a limit.
    public init(count: Int, perSeconds seconds: Double) {
        self.count = count
        self.seconds = seconds
    }
}
