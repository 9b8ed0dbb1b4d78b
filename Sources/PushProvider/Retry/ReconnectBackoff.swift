internal import PushTime

/// Delays the next connection: Apple treats connections that open and close quickly as an attack. A pure value; time
/// and randomness are arguments.
struct ReconnectBackoff: Equatable {
    /// How much a connection was used with credentials that the server accepts.
    enum ConnectionUse: Equatable {
        /// It brought no answer that shows that the server accepts the credentials.
        case none
        /// It brought a few such answers, and soon ended.
        case little
        /// It brought enough answers to be worth its handshake.
        case much
    }

    static let backoff = ExponentialBackoff(first: .milliseconds(50), longest: .seconds(5))

    /// The number of connections in a row that brought nothing.
    private(set) var fruitless = 0
    /// No connection begins before this time.
    private(set) var notBefore = MonotonicTime(nanoseconds: 0)

    /// Records the end of a connection, and sets the pause before the next one.
    ///
    /// - Parameters:
    ///   - use: How much it was used. After `none` the pause doubles. After `little` it is reset to the first pause.
    ///     After `much` there is only a short random pause.
    ///   - now: The time.
    ///   - chance: A random number from 0 to 1 that selects the pause within its range, so that many clients do not
    ///     reconnect at the same time.
    mutating func connectionEnded(_ use: ConnectionUse, now: MonotonicTime, chance: Double) {
        switch use {
        case .none:
            notBefore = now.advanced(by: Self.backoff.pause(after: fruitless, chance: chance))
            fruitless += 1
        case .little:
            fruitless = 0
            notBefore = now.advanced(by: Self.backoff.pause(after: 0, chance: chance))
        case .much:
            fruitless = 0
            notBefore = now.advanced(by: Self.backoff.first * chance)
        }
    }
}

/// The pause after APNs has refused the credentials or a topic.
enum RefusalPause {
    /// For this time the client sends nothing, or nothing to the refused topic. Then it tries again.
    static let duration: Duration = .seconds(60)
}
