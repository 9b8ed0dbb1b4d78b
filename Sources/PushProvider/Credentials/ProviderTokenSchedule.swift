/// Which time of issue the provider tokens of a key have. A pure value.
///
/// There is one for all clients of the key, on the grid by this machine's clock. The exception is an environment whose server
/// has refused a token as too old: the clients of that environment, and no others, get one other token, by the server's
/// clock where it is known. When that one is refused too, no more are made: the clock is wrong in a way that no token
/// can mend, and APNs refuses tokens that change often.
struct ProviderTokenSchedule: Equatable {
    /// The shortest time between two tokens on a connection, in seconds: APNs refuses tokens that change more often.
    static let shortestLife = 1200

    /// What the refusals of an environment have taught.
    private enum Lesson: Equatable {
        /// Its tokens follow the server's clock. Next: doubted, or none.
        case followed(LearnedClock)
        /// A token by the server's clock was refused as invalid: tokens follow this machine's clock, and for a while there
        /// is no other. Next: none.
        case doubted(since: ClockReading)

        func isOver(at time: ClockReading) -> Bool {
            switch self {
            case .followed(let clock): clock.isOver(at: time)
            case .doubted(let since):
                time.seconds(since: since) >= ProviderTokenSchedule.shortestLife
                    || abs(time.wallClockStep(since: since)) > LearnedClock.largestStep
            }
        }
    }

    private var usual = SteadyTokenGrid()
    private var lessons: [String: Lesson] = [:]

    /// The time of issue by this machine's clock; both in seconds since 1970.
    mutating func usualIssuedAt(_ now: Int) -> Int {
        usual.issuedAt(now)
    }

    /// The time of issue that is in force for an environment, in seconds since 1970.
    mutating func issuedAt(for environment: String, at time: ClockReading) -> Int {
        // Most processes never have a lesson.
        if lessons.isEmpty { return usual.issuedAt(time.secondsSince1970) }
        if lessons[environment]?.isOver(at: time) == true { lessons[environment] = nil }
        guard case .followed(var clock)? = lessons[environment] else { return usual.issuedAt(time.secondsSince1970) }
        let issuedAt = clock.issuedAt(time)
        lessons[environment] = .followed(clock)
        return issuedAt
    }

    /// A token was refused as too old.
    ///
    /// - Parameters:
    ///   - issuedAt: The token's time of issue.
    ///   - environment: Who has refused it.
    ///   - serverTime: The server's clock, in seconds since 1970; `nil` where the server has not told it.
    ///   - time: When the refusal came.
    /// - Returns: Whether another token is in force for the environment now.
    mutating func refusedAsTooOld(
        _ issuedAt: Int, by environment: String, serverTime: Int?, at time: ClockReading
    ) -> Bool {
        // The refusal on another stream has changed the token already.
        if self.issuedAt(for: environment, at: time) != issuedAt { return true }
        switch lessons[environment] {
        case .doubted?: return false
        case .followed(let clock)? where clock.replacement == issuedAt: return false
        case .followed?, nil:
            let clock = LearnedClock(refused: issuedAt, serverTime: serverTime, at: time)
            guard clock.replacement != issuedAt else { return false }
            lessons[environment] = .followed(clock)
            return true
        }
    }

    /// A token was refused as invalid. If it followed the server's clock, the clock may be the reason.
    mutating func refusedAsInvalid(_ issuedAt: Int, by environment: String, at time: ClockReading) {
        guard case .followed(let clock)? = lessons[environment], clock.latest == issuedAt else { return }
        lessons[environment] = .doubted(since: time)
    }

    /// How old the token was issued that an environment got last, in seconds of the clock that it follows.
    func age(for environment: String, at time: ClockReading) -> Int? {
        guard case .followed(let clock)? = lessons[environment] else {
            return usual.latest.map { time.secondsSince1970 - $0 }
        }
        return time.secondsSince1970 + clock.skew - clock.latest
    }

    /// Whether any environment may still get the token of a time of issue.
    func isInForce(_ issuedAt: Int) -> Bool {
        if usual.latest == issuedAt { return true }
        return lessons.values.contains { lesson in
            if case .followed(let clock) = lesson { clock.latest == issuedAt } else { false }
        }
    }
}
