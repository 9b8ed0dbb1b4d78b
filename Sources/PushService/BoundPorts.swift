import NIOConcurrencyHelpers

/// The ports on which the service listens. Callers can wait for them.
final class BoundPorts: Sendable {
    let api = Announcement<Int>()
    let metrics = Announcement<Int>()

    /// Announces that nothing listens, where nothing was announced.
    func finish() {
        api.set(nil)
        metrics.set(nil)
    }
}

/// A value that is set once. A reader waits until it is set.
final class Announcement<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value?, Never>])
        case announced(Value?)
    }

    private let state = NIOLockedValueBox(State.open([]))

    /// Announces the value; `nil` if there will be no value. Only the first announcement counts.
    func set(_ value: Value?) {
        let waiting = state.withLockedValue { state -> [CheckedContinuation<Value?, Never>] in
            guard case .open(let waiting) = state else { return [] }
            state = .announced(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// The value, when it is announced.
    var value: Value? {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLockedValue { state -> Value?? in
                    switch state {
                    case .open(let waiting):
                        state = .open(waiting + [continuation])
                        return nil
                    case .announced(let value): return .some(value)
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
