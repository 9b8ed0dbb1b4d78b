import NIOConcurrencyHelpers
package import PushQueue

/// The clocks of a machine that a test moves.
package final class ManualClock: Sendable {
    private struct State {
        var wall = QueueTime(milliseconds: 1_800_000_000_000)
        var uptime: Duration = .seconds(1000)
        var starts = 1
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The wall clock.
    package var now: QueueTime { state.withLockedValue { $0.wall } }
    /// How long the machine has run.
    package var uptime: Duration { state.withLockedValue { $0.uptime } }
    /// The name of the last start of the machine.
    package var boot: String { state.withLockedValue { "start \($0.starts)" } }

    /// Lets time go by.
    package func advance(by duration: Duration) {
        state.withLockedValue { state in
            state.wall = state.wall + duration
            state.uptime += duration
        }
    }

    /// Sets the wall clock forward, or back if the duration is negative.
    package func jump(by duration: Duration) {
        state.withLockedValue { $0.wall = $0.wall + duration }
    }

    /// Lets the machine sleep: only the wall clock goes on.
    package func sleep(for duration: Duration) { jump(by: duration) }

    /// Starts the machine again after it was off. Queues that are opened afterwards need new options.
    package func restart(after off: Duration) {
        state.withLockedValue { state in
            state.wall = state.wall + off
            state.uptime = .seconds(5)
            state.starts += 1
        }
    }
}
