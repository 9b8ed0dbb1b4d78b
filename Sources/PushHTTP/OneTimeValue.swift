internal import NIOConcurrencyHelpers

/// A value that is set once. Those who read it before wait for it.
package final class OneTimeValue<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = NIOLockedValueBox(State.waiting([]))

    package init() {}

    /// Sets the value. Only the first call counts.
    package func set(_ value: Value) {
        let waiting = state.withLockedValue { state -> [CheckedContinuation<Value, Never>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .set(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLockedValue { state -> Value? in
                    switch state {
                    case .waiting(let waiting):
                        state = .waiting(waiting + [continuation])
                        return nil
                    case .set(let value): return .some(value)
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
