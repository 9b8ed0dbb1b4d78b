/// The instants at which provider tokens are issued, the same for every process of a fleet.
///
/// Apple refuses tokens older than an hour and tokens that change more often than every 20 minutes. A token's time of
/// issue is therefore put on a grid of half hours, seen ten minutes late: its age is always between 10 and 40 minutes,
/// and twenty servers that have never heard of each other switch at the same instant to the same time of issue.
enum ProviderTokenGrid {
    static let step = 1800
    static let shift = 600

    /// The time of issue that is in force at a time, both in seconds since 1970.
    static func issuedAt(_ now: Int) -> Int {
        let shifted = now - shift
        let steps = shifted >= 0 ? shifted / step : (shifted - step + 1) / step
        return steps * step
    }
}

/// The time of issue in force by one clock. It stays when the clock is set back a little. A pure value.
///
/// A clock that NTP sets back by a second can cross the same step of the grid twice. The token changes only the first time:
/// APNs refuses tokens that change often.
struct SteadyTokenGrid: Equatable {
    /// How far in the future the time of issue may lie before the grid replaces it, in seconds.
    static let longestLead = 60

    /// The last one that was in force.
    private(set) var latest: Int?

    /// Begins with a time of issue that need not lie on the grid.
    init(latest: Int? = nil) {
        self.latest = latest
    }

    /// The time of issue that is in force at a time, both in seconds since 1970: less than an hour ago, and no more than
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
