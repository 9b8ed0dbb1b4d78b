internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore

/// Logs connections that end with an error. Rate-limited, because thousands of connections can end together.
final class ConnectionLog: Sendable {
    private struct State {
        var notices: EventRateLimiter
        var unnoted = 0
    }

    /// The maximum number of notices in a burst. Beyond it, notices are only counted.
    private static let atOnce = 100
    /// The number of further notices that each second allows after a burst.
    private static let perSecond = 10

    private let logger: Logger
    /// The monotonic clock, in nanoseconds.
    private let now: @Sendable () -> UInt64
    private let state: NIOLockedValueBox<State>

    init(_ logger: Logger, now: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }) {
        self.logger = logger
        self.now = now
        state = NIOLockedValueBox(
            State(notices: EventRateLimiter(size: Self.atOnce, perSecond: Self.perSecond, now: now())))
    }

    func notice(_ message: String) {
        let now = now()
        let unnoted: Int? = state.withLockedValue { state in
            guard state.notices.take(1, at: now) else {
                state.unnoted += 1
                return nil
            }
            defer { state.unnoted = 0 }
            return state.unnoted
        }
        guard let unnoted else { return }
        logger.notice("\(message)\(unnoted > 0 ? " (\(unnoted) earlier notices were left out)" : "")")
    }

    func debug(_ message: String) {
        logger.debug("\(message)")
    }
}
