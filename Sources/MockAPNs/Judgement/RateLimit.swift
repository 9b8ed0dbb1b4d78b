/// So many requests in so many seconds.
public struct RateLimit: Hashable, Sendable {
    /// How many requests are let through.
    public let count: Int
    /// In how many seconds, counted from the first of them.
    public let seconds: Double

    /// Takes a count and the seconds that it holds for.
    public init(count: Int, perSeconds seconds: Double) {
        self.count = count
        self.seconds = seconds
    }
}
