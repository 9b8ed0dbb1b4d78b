internal import NIOConcurrencyHelpers

/// Ends the wait of one task. A signal that comes before the wait is not lost; several signals end one wait.
final class WakeUp: Sendable {
    private struct State {
        var isSignalled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = NIOLockedValueBox(State())

    func signal() {
        let waiter = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            defer { state.waiter = nil }
            if state.waiter == nil { state.isSignalled = true }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for a signal, for the end of a duration, or for the end of the task.
    func wait(atMost duration: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: duration)
            if !Task.isCancelled { signal() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSignalled = state.withLockedValue { state in
                    if state.isSignalled || Task.isCancelled {
                        state.isSignalled = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isSignalled { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
        timer.cancel()
    }
}
