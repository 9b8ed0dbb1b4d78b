/// Holds back the next connection after ones that brought no answer: Apple treats connections that come and go quickly
/// as an attack. A pure value; time and chance are arguments.
struct ReconnectBackoff: Equatable {
    static let first: Duration = .milliseconds(50)
    static let longest: Duration = .seconds(5)

    private(set) var fruitless = 0
    /// No connection is begun before.
    private(set) var notBefore = MonotonicTime(nanoseconds: 0)

    /// A connection is over.
    ///
    /// - Parameters:
    ///   - hadAnswer: It has brought an answer at least.
    ///   - now: The time.
    ///   - chance: From 0 to 1: how much of the second half of the pause is waited, so that a fleet does not reconnect in step.
    mutating func connectionEnded(hadAnswer: Bool, now: MonotonicTime, chance: Double) {
        guard !hadAnswer else {
            self = ReconnectBackoff()
            return
        }
        let doublings = min(fruitless, 16)
        fruitless += 1
        let pause = min(Self.first * (1 << doublings), Self.longest)
        notBefore = now.advanced(by: pause * (0.5 + chance / 2))
    }
}
