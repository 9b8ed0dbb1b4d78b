import NIOConcurrencyHelpers

@testable import PushProvider

/// The clocks of a client, which a test can stop: while they stand still, no deadline passes and no silence grows, however
/// slow the machine is. A timer of the client that fires meanwhile finds that its time has not come, and is set again.
final class StoppableTime: Sendable {
    private struct State {
        /// What the monotonic clock shows while it stands still.
        var stoppedAt: MonotonicTime?
        /// How long it has stood still before, in nanoseconds.
        var lag: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())
    private let real = ClientTiming.real(PushConfiguration())

    /// Stops the clocks for as long as the body runs, and lets them go on from where they are.
    func whileStopped<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        stop()
        defer { goOn() }
        return try await body()
    }

    /// Makes a client use these clocks.
    func drive(_ timing: inout ClientTiming) {
        timing.now = { self.readings.shown }
        timing.wallSeconds = { [wallSeconds = timing.wallSeconds] in
            let readings = self.readings
            return wallSeconds() - Int((readings.real.nanoseconds - readings.shown.nanoseconds) / 1_000_000_000)
        }
    }

    private func stop() {
        state.withLockedValue { state in
            let lag = state.lag
            state.stoppedAt = state.stoppedAt ?? MonotonicTime(nanoseconds: real.now().nanoseconds - lag)
        }
    }

    private func goOn() {
        state.withLockedValue { state in
            guard let stoppedAt = state.stoppedAt else { return }
            state.lag = real.now().nanoseconds - stoppedAt.nanoseconds
            state.stoppedAt = nil
        }
    }

    /// What the monotonic clock shows, and what the system's own does.
    private var readings: (shown: MonotonicTime, real: MonotonicTime) {
        state.withLockedValue { state in
            let now = real.now()
            return (state.stoppedAt ?? MonotonicTime(nanoseconds: now.nanoseconds - state.lag), now)
        }
    }
}
