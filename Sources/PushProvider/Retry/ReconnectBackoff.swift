/// Holds back the next connection: Apple treats connections that come and go quickly as an attack. A pure value; time and
/// chance are arguments.
struct ReconnectBackoff: Equatable {
    /// What a connection was good for.
    enum Worth: Equatable {
        /// It brought no answer that shows that the server takes this client for who it is.
        case none
        /// It brought such answers, but few, and soon ended.
        case little
        /// It has earned its handshake.
        case much
    }

    static let first: Duration = .milliseconds(50)
    static let longest: Duration = .seconds(5)

    /// How many in a row brought nothing.
    private(set) var fruitless = 0
    /// No connection is begun before.
    private(set) var notBefore = MonotonicTime(nanoseconds: 0)

    /// A connection is over.
    ///
    /// - Parameters:
    ///   - worth: What it was good for. One that brought nothing doubles the pause, one that brought little begins it anew,
    ///     after one that brought much there is none but for chance.
    ///   - now: The time.
    ///   - chance: From 0 to 1: how much of what may vary is waited, so that a fleet does not reconnect in step.
    mutating func connectionEnded(_ worth: Worth, now: MonotonicTime, chance: Double) {
        switch worth {
        case .none:
            let pause = min(Self.first * (1 << min(fruitless, 16)), Self.longest)
            fruitless += 1
            notBefore = now.advanced(by: pause * (0.5 + chance / 2))
        case .little:
            fruitless = 0
            notBefore = now.advanced(by: Self.first * (0.5 + chance / 2))
        case .much:
            fruitless = 0
            notBefore = now.advanced(by: Self.first * chance)
        }
    }
}
