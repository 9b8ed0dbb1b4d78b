/// The growth of pauses: each may be twice as long as the one before. The caller waits for a random part of it.
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
}
