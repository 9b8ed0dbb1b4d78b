import NIOConcurrencyHelpers
package import NIOCore
import NIOPosix

/// A value between threads that a test can wait on: nothing is polled, and no wait is for ever.
package final class Watched<Value: Sendable>: Sendable {
    package typealias Condition = @Sendable (Value) -> Bool

    private struct Waiter {
        var condition: Condition
        var continuation: CheckedContinuation<Value, any Error>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var waitersSoFar = 0
    }

    private let state: NIOLockedValueBox<State>

    package init(_ value: Value) {
        state = NIOLockedValueBox(State(value: value))
    }

    package var value: Value { state.withLockedValue { $0.value } }

    package func change(_ body: (inout Value) -> Void) {
        let (satisfied, value) = state.withLockedValue { state in
            body(&state.value)
            let satisfied = state.waiters.filter { $0.value.condition(state.value) }
            for number in satisfied.keys { state.waiters[number] = nil }
            return (satisfied.values.map(\.continuation), state.value)
        }
        for continuation in satisfied { continuation.resume(returning: value) }
    }

    /// Waits until the value is as wanted.
    @discardableResult
    package func wait(
        for happening: String, within limit: TimeAmount = .seconds(600), until condition: @escaping Condition
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let (number, value) = state.withLockedValue { state -> (Int?, Value) in
                if condition(state.value) { return (nil, state.value) }
                state.waitersSoFar += 1
                state.waiters[state.waitersSoFar] = Waiter(condition: condition, continuation: continuation)
                return (state.waitersSoFar, state.value)
            }
            guard let number else { return continuation.resume(returning: value) }
            MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: limit) { [weak self] in
                self?.giveUp(number, on: happening)
            }
        }
    }

    private func giveUp(_ number: Int, on happening: String) {
        let (waiter, value) = state.withLockedValue { ($0.waiters.removeValue(forKey: number), $0.value) }
        waiter?.continuation.resume(throwing: NeverHappened(happening: happening, instead: "\(value)"))
    }
}

/// What a test waited for did not come.
package struct NeverHappened: Error, CustomStringConvertible {
    package var happening: String
    package var instead: String

    package var description: String { "\(happening): this never happened. Instead: \(instead.prefix(2000))" }
}
