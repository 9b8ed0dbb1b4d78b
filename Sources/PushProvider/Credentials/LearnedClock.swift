/// The clock of a server that has refused a provider token as too old, and the tokens that follow this clock. A pure value.
struct LearnedClock: Equatable {
    /// The wall clock may be set by this many seconds in all. After a larger step it was probably corrected, and the skew is wrong.
    static let largestStep = 60
    /// How long a skew is trusted, in seconds. A clock that is corrected slowly shows no step.
    static let lifetime = 6 * 3600

    /// How much the server's clock is ahead of this machine's wall clock, in seconds; 0 where the server has not told it.
    let skew: Int
    /// The time of issue of the token that replaces the refused one.
    let replacement: Int
    private let learned: ClockReading
    private var grid: SteadyTokenGrid

    /// - Parameters:
    ///   - refused: The time of issue of the refused token.
    ///   - serverTime: The server's clock, in seconds since 1970; `nil` where the server has not told it.
    ///   - time: When the refusal came.
    init(refused: Int, serverTime: Int?, at time: ClockReading) {
        let serverNow = serverTime ?? time.secondsSince1970
        skew = serverNow - time.secondsSince1970
        let regular = ProviderTokenGrid.issuedAt(serverNow)
        // The grid has nothing newer: the token is of now. A server whose clock is behind the refused token gets an older one.
        replacement = regular <= refused && refused <= serverNow ? serverNow : regular
        learned = time
        grid = SteadyTokenGrid(latest: replacement)
    }

    /// Whether this machine's own clock is to be followed again.
    func isOver(at time: ClockReading) -> Bool {
        if abs(time.wallClockStep(since: learned)) > Self.largestStep { return true }
        if time.seconds(since: learned) >= Self.lifetime { return true }
        // Without a skew the replacement is all that differs, and the grid has overtaken it.
        var grid = grid
        return skew == 0 && grid.issuedAt(time.secondsSince1970) != replacement
    }

    /// The time of issue that is in force, in seconds since 1970.
    mutating func issuedAt(_ time: ClockReading) -> Int {
        grid.issuedAt(time.secondsSince1970 + skew)
    }

    /// The last time of issue that was in force.
    var latest: Int { grid.latest ?? replacement }
}
