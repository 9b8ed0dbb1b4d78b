internal import NIOConcurrencyHelpers

/// Wakes one task that waits. A signal that is sent before the wait is not lost.
package final class WakeUpSignal: Sendable {
    private struct State {
        var isSent = false
        var waits = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    package func send() { wake(onlyIn: nil) }

    /// Ends a wait, or any wait.
    private func wake(onlyIn wait: Int?) {
        let waiter = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            guard wait == nil || wait == state.waits else { return nil }
            let waiter = state.waiter.take()
            // The task may not have begun to wait.
            if waiter == nil { state.isSent = true }
            return waiter
        }
        waiter?.resume()
    }

    /// Waits for the signal, at most for a duration; `nil` for no limit. Only one task may wait.
    package func wait(for duration: Duration? = nil) async {
        let number = state.withLockedValue { state -> Int? in
            if state.isSent {
                state.isSent = false
                return nil
            }
            state.waits += 1
            return state.waits
        }
        guard let number else { return }
        let alarm = duration.map { duration in
            Task.detached { [weak self] in
                try await Task.sleep(for: duration)
                self?.wake(onlyIn: number)
            }
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLockedValue { state in
                if state.isSent || state.waits != number {
                    state.isSent = false
                    return true
                }
                state.waiter = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
        alarm?.cancel()
    }

    /// Waits for the signal, for the end of a duration, or for the end of the task; `nil` for no limit.
    package func waitUnlessCancelled(for duration: Duration?) async {
        await withTaskCancellationHandler {
            await wait(for: duration)
        } onCancel: {
            send()
        }
    }
}
