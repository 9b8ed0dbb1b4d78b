import NIOConcurrencyHelpers
import PushProvider

/// A monotonic clock that a test moves.
final class ManualTime: Sendable {
    private let time = NIOLockedValueBox(MonotonicTime(nanoseconds: 1_000_000_000))

    var now: MonotonicTime { time.withLockedValue { $0 } }

    func advance(by duration: Duration) {
        time.withLockedValue { $0 = $0.advanced(by: duration) }
    }
}
