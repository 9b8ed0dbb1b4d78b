/// The time of issue of the provider tokens of a key. A pure value.
///
/// All clients of the key share one time of issue, on the grid by this machine's clock. There is one exception: if the
/// server of an environment refused a token as too old, only the clients of that environment get one other token, by
/// the server's clock if it is known. If that token is refused too, no further token is created: a new token cannot
/// correct the clock, and APNs refuses tokens that change often.
struct ProviderTokenSchedule: Equatable {
    /// The minimum time between two tokens on a connection, in seconds. APNs refuses tokens that change more often.
    static let shortestLife = 1200

    /// The state of an environment after a refusal.
    private enum EnvironmentState: Equatable {
        /// The tokens follow the server's clock. Next: doubted, or none.
        case followed(LearnedClock)
        /// A token by the server's clock was refused as invalid. The tokens follow this machine's clock, and for some
        /// time no other token is created. Next: none.
        case doubted(since: ClockSample)

        func isOver(at time: ClockSample) -> Bool {
            switch self {
            case .followed(let clock): clock.isOver(at: time)
            case .doubted(let since):
                time.seconds(since: since) >= ProviderTokenSchedule.shortestLife
                    || abs(time.wallClockStep(since: since)) > LearnedClock.largestStep
            }
        }
    }

    private var steady = SteadyTokenGrid()
    private var states: [String: EnvironmentState] = [:]

    /// Returns the time of issue by this machine's clock, both in seconds since 1970.
    mutating func steadyIssuedAt(_ now: Int) -> Int {
        steady.issuedAt(now)
    }

    /// Returns the current time of issue for an environment, in seconds since 1970.
    mutating func issuedAt(for environment: String, at time: ClockSample) -> Int {
        // In most processes there is never a refusal.
        if states.isEmpty { return steady.issuedAt(time.secondsSince1970) }
        if states[environment]?.isOver(at: time) == true { states[environment] = nil }
        guard case .followed(var clock)? = states[environment] else { return steady.issuedAt(time.secondsSince1970) }
        let issuedAt = clock.issuedAt(time)
        states[environment] = .followed(clock)
        return issuedAt
    }

    /// Records that a token was refused as too old.
    ///
    /// - Parameters:
    ///   - issuedAt: The token's time of issue.
    ///   - environment: The environment that refused it.
    ///   - serverTime: The server's clock, in seconds since 1970; `nil` if the server did not send its time.
    ///   - time: The time of the refusal.
    /// - Returns: Whether the environment has another token now.
    mutating func refusedAsTooOld(
        _ issuedAt: Int, by environment: String, serverTime: Int?, at time: ClockSample
    ) -> Bool {
        // A refusal on another stream has already changed the token.
        if self.issuedAt(for: environment, at: time) != issuedAt { return true }
        switch states[environment] {
        case .doubted?: return false
        case .followed(let clock)? where clock.replacement == issuedAt: return false
        case .followed?, nil:
            let clock = LearnedClock(refused: issuedAt, serverTime: serverTime, at: time)
            guard clock.replacement != issuedAt else { return false }
            states[environment] = .followed(clock)
            return true
        }
    }

    /// Records that a token was refused as invalid. If it followed the server's clock, this clock may be the cause.
    mutating func refusedAsInvalid(_ issuedAt: Int, by environment: String, at time: ClockSample) {
        guard case .followed(let clock)? = states[environment], clock.latest == issuedAt else { return }
        states[environment] = .doubted(since: time)
    }

    /// The age of the last token of an environment, in seconds, by the clock that it follows.
    func age(for environment: String, at time: ClockSample) -> Int? {
        guard case .followed(let clock)? = states[environment] else {
            return steady.latest.map { time.secondsSince1970 - $0 }
        }
        return time.secondsSince1970 + clock.skew - clock.latest
    }

    /// Whether the token with this time of issue is still in use for any environment.
    func isInForce(_ issuedAt: Int) -> Bool {
        if steady.latest == issuedAt { return true }
        return states.values.contains { state in
            if case .followed(let clock) = state { clock.latest == issuedAt } else { false }
        }
    }
}
