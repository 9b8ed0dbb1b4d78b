/// The clock of a server that refused a provider token as too old, and the provider tokens by this clock. A pure value.
struct LearnedClock: Equatable {
    /// The maximum total change of the wall clock, in seconds. After a larger change the clock was probably corrected,
    /// and the skew is no longer used.
    static let largestStep = 60
    /// How long a skew is used, in seconds. A slow correction of the clock has no visible step.
    static let lifetime = 6 * 3600

    /// How far the server's clock is ahead of this machine's wall clock, in seconds; 0 if the server did not send its
    /// time.
    let skew: Int
    /// The time of issue of the token that replaces the refused one.
    let replacement: Int
    private let learned: ClockSample
    private var grid: SteadyTokenGrid

    /// - Parameters:
    ///   - refused: The time of issue of the refused token.
    ///   - serverTime: The server's clock, in seconds since 1970; `nil` if the server did not send its time.
    ///   - time: The time of the refusal.
    init(refused: Int, serverTime: Int?, at time: ClockSample) {
        let serverNow = serverTime ?? time.secondsSince1970
        skew = serverNow - time.secondsSince1970
        let regular = ProviderTokenGrid.issuedAt(serverNow)
        // If the grid has no newer time, the token is issued now. A server whose clock is behind the refused token gets
        // an older one.
        replacement = regular <= refused && refused <= serverNow ? serverNow : regular
        learned = time
        grid = SteadyTokenGrid(latest: replacement)
    }

    /// Whether to use this machine's own clock again.
    func isOver(at time: ClockSample) -> Bool {
        if abs(time.wallClockStep(since: learned)) > Self.largestStep { return true }
        if time.seconds(since: learned) >= Self.lifetime { return true }
        // Without a skew, only the replacement differs. It is no longer needed when the grid has a newer time.
        var grid = grid
        return skew == 0 && grid.issuedAt(time.secondsSince1970) != replacement
    }

    /// The current time of issue, in seconds since 1970.
    mutating func issuedAt(_ time: ClockSample) -> Int {
        grid.issuedAt(time.secondsSince1970 + skew)
    }

    /// The last time of issue that was used.
    var latest: Int { grid.latest ?? replacement }
}
