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
