import NIOConcurrencyHelpers
import PushQueue

/// A clock that a test moves.
final class ManualClock: Sendable {
    private let time = NIOLockedValueBox(QueueTime(milliseconds: 1_800_000_000_000))

    var now: QueueTime { time.withLockedValue { $0 } }

    /// Moves the clock forward, or back if the duration is negative.
    func advance(by duration: Duration) {
        time.withLockedValue { $0 = $0 + duration }
    }
}
