internal import NIOConcurrencyHelpers

/// Lets only some requests do heavy work at the same time, and one holder at most half of them. The others wait, so that their
/// work doesn't keep the requests of other keys from the processor.
package final class WorkTurns: Sendable {
    private struct State {
        var queue: TurnQueue
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var next = 0
    }

    private let state: NIOLockedValueBox<State>

    package init(_ maximum: Int) {
        state = NIOLockedValueBox(State(queue: TurnQueue(maximum)))
    }

    /// Waits for a turn, and does the work.
    ///
    /// - Throws: Errors of the work, and `CancellationError`.
    package func run<Value>(
        for holder: SharedLimit.Holder, _ work: () async throws -> Value
    ) async throws -> Value {
        guard await begin(holder) else { throw CancellationError() }
        defer { end(holder) }
        return try await work()
    }

    private func begin(_ holder: SharedLimit.Holder) async -> Bool {
        let number = state.withLockedValue { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLockedValue { state -> Bool? in
                    if Task.isCancelled { return false }
                    if state.queue.ask(number, for: holder) { return true }
                    state.waiting[number] = continuation
                    return nil
                }
                if let begins { continuation.resume(returning: begins) }
            }
        } onCancel: {
            let waiting = state.withLockedValue { state -> CheckedContinuation<Bool, Never>? in
                guard state.queue.cancel(number, of: holder) else { return nil }
                return state.waiting.removeValue(forKey: number)
            }
            waiting?.resume(returning: false)
        }
    }

    private func end(_ holder: SharedLimit.Holder) {
        let next = state.withLockedValue { state in
            state.queue.end(of: holder).flatMap { state.waiting.removeValue(forKey: $0) }
        }
        next?.resume(returning: true)
    }
}
