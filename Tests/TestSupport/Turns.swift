import Dispatch
import NIOConcurrencyHelpers

/// Lets only a limited number run at the same time. With more, the machine would be too slow for the time limits of
/// other tests.
package final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: NIOLockedValueBox<State>

    package init(_ count: Int) {
        state = NIOLockedValueBox(State(free: count))
    }

    package func take<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFree = state.withLockedValue { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { giveBack() }
        return try await body()
    }

    private func giveBack() {
        let next = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}

/// Runs work that blocks its thread for seconds. Swift's pool has one thread for each core, so the other tests would wait.
package enum Blocking {
    /// Runs a body on a thread outside the pool.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
