/// The growth of pauses: each may be twice as long as the one before. The caller may wait for a random part of it.
package struct ExponentialBackoff: Hashable, Sendable {
    /// The maximum of the first pause.
    package var first: Duration
    /// The maximum of every pause.
    package var longest: Duration

    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// Returns the maximum pause.
    ///
    /// - Parameter pauses: The number of pauses before it.
    /// - Returns: The first pause, doubled for each pause before it, up to the longest.
    package func pause(after pauses: Int) -> Duration {
        var pause = min(first, longest)
        for _ in 0..<pauses {
            guard pause < longest else { break }
            pause = min(pause * 2, longest)
        }
        return pause
    }

    /// Returns a random pause, so that many callers do not try again at the same moment.
    ///
    /// - Parameters:
    ///   - pauses: The number of pauses before it.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: Between half of the maximum and the maximum.
    package func pause(after pauses: Int, chance: Double) -> Duration {
        pause(after: pauses) * (0.5 + chance / 2)
    }
}
