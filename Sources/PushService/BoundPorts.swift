import NIOConcurrencyHelpers

/// The ports on which the service listens. Callers can wait for them.
final class BoundPorts: Sendable {
    let api = OneTimeValue<Int>()
    let metrics = OneTimeValue<Int>()

    /// Sets the ports that are not set yet to `nil`: nothing listens there.
    func finish() {
        api.set(nil)
        metrics.set(nil)
    }
}

/// A value that is set once. A reader waits until it is set.
final class OneTimeValue<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value?, Never>])
        case set(Value?)
    }

    private let state = NIOLockedValueBox(State.waiting([]))

    /// Sets the value; `nil` if there will be no value. Only the first call counts.
    func set(_ value: Value?) {
        let waiting = state.withLockedValue { state -> [CheckedContinuation<Value?, Never>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .set(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// Waits until the value is set.
    var value: Value? {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLockedValue { state -> Value?? in
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
