/// The times at which provider tokens are issued, the same for all processes.
///
/// Apple refuses tokens older than an hour, and tokens that change more often than every 20 minutes. So the time of
/// issue is a multiple of half an hour, at least ten minutes ago. The age of a token is always between 10 and 40
/// minutes, and all servers change to the same time of issue at the same time, without communication.
enum ProviderTokenGrid {
    /// The time between two times of issue, in seconds.
    static let step = 1800
    /// The minimum age of a token, in seconds.
    static let shift = 600

    /// Returns the time of issue to use at a time, both in seconds since 1970.
    static func issuedAt(_ now: Int) -> Int {
        let shifted = now - shift
        let steps = shifted >= 0 ? shifted / step : (shifted - step + 1) / step
        return steps * step
    }
}

/// The current time of issue by one clock. It does not change if the clock is set back a little. A pure value.
///
/// If NTP sets a clock back by a second, the clock can pass the same step of the grid twice. The token changes only the
/// first time, because APNs refuses tokens that change often.
struct SteadyTokenGrid: Equatable {
    /// How far the time of issue may be in the future before it is replaced, in seconds.
    static let longestLead = 60

    /// The last time of issue that was used. One that it starts with need not be on the grid.
    private(set) var latest: Int?

    /// Returns the time of issue to use at a time, both in seconds since 1970: less than an hour ago, and at most
    /// ``longestLead`` in the future.
    mutating func issuedAt(_ now: Int) -> Int {
        let regular = ProviderTokenGrid.issuedAt(now)
        if let latest, regular < latest + ProviderTokenSchedule.shortestLife, latest <= now + Self.longestLead {
            return latest
        }
        latest = regular
        return regular
    }
}
