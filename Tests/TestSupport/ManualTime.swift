import NIOConcurrencyHelpers
package import PushProvider

/// A monotonic clock that stands still until a test moves it.
package final class ManualTime: Sendable {
    private let begin = ContinuousClock.now
    private let time = NIOLockedValueBox(Duration.zero)

    package init() {}

    /// The time that has passed since the start of the clock.
    package var passed: Duration { time.withLockedValue { $0 } }

    /// The time as the client of APNs reads it.
    package var now: MonotonicTime { MonotonicTime(nanoseconds: 1_000_000_000).advanced(by: passed) }

    /// The time as code reads it that uses the clock of the standard library.
    package var instant: ContinuousClock.Instant { begin + passed }

    package func advance(by duration: Duration) {
        time.withLockedValue { $0 += duration }
    }
}
