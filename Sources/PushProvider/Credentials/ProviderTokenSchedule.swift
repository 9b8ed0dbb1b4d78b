/// Which time of issue the provider token has: that of the grid, unless APNs has refused it as too old. A pure value.
///
/// Then there is one other token for everything: by the server's clock where it is known, by now where it is not. When that
/// one is refused too the clock is wrong in a way that no token can mend, and no more are made: APNs does not like tokens
/// that change often.
struct ProviderTokenSchedule: Equatable {
    /// Apple refuses tokens that change more often.
    static let shortestLife = 1200

    /// How much the server's clock is ahead of this machine's.
    private(set) var skew = 0
    /// The time of issue of the token that was made out of turn.
    private var outOfTurn: Int?

    /// The time of issue that is in force at a time of this machine's clock, in seconds since 1970.
    mutating func issuedAt(_ now: Int) -> Int {
        let regular = ProviderTokenGrid.issuedAt(now + skew)
        guard let outOfTurn else { return regular }
        if regular < outOfTurn + Self.shortestLife { return outOfTurn }
        self.outOfTurn = nil
        return regular
    }

    /// The token of a time of issue was refused as too old.
    ///
    /// - Returns: Whether another one is in force now.
    mutating func refused(_ issuedAt: Int, serverTime: Int?, now: Int) -> Bool {
        // It was another stream's refusal that has changed the token.
        if self.issuedAt(now) != issuedAt { return true }
        guard outOfTurn == nil else { return false }
        skew = serverTime.map { $0 - now } ?? 0
        let regular = ProviderTokenGrid.issuedAt(now + skew)
        outOfTurn = regular == issuedAt ? now + skew : regular
        return outOfTurn != issuedAt
    }
}
