internal import NIOConcurrencyHelpers

/// The time within which a request must be answered. It stands still while the server waits for the client.
package final class RequestDeadline: Sendable {
    private struct State {
        var left: Duration
        /// Since when the time has been running; `nil` while it stands still.
        var since: ContinuousClock.Instant?
        /// How many have stopped it, and not resumed it yet.
        var pauses = 0
        var isOver = false
        var whenOver: (@Sendable () -> Void)?
    }

    private let time: Duration
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state: NIOLockedValueBox<State>

    package init(_ time: Duration, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.time, self.clock) = (time, clock)
        state = NIOLockedValueBox(State(left: time, since: clock()))
    }

    package func shorten(to time: Duration) {
        state.withLockedValue { $0.left = min($0.left, time) }
    }

    /// Stops the time, until there was a ``resume()`` for each pause.
    ///
    /// - Throws: ``DeadlinePassed``: the request has been answered, so nothing may read its body any more.
    package func pause() throws(DeadlinePassed) {
        let now = clock()
        let isOver = state.withLockedValue { state in
            if let since = state.since { state.left -= now - since }
            state.since = nil
            if !state.isOver { state.pauses += 1 }
            return state.isOver
        }
        if isOver { throw DeadlinePassed() }
    }

    /// Lets the time run on, unless another one has stopped it, too.
    package func resume() {
        let now = clock()
        state.withLockedValue { state in
            state.pauses -= 1
            if state.pauses == 0 { state.since = now }
        }
    }

    /// Begins to count again: the request has come further.
    package func renew() {
        let now = clock()
        state.withLockedValue { state in
            state.left = time
            if state.since != nil { state.since = now }
        }
    }

    package func whenOver(_ action: @escaping @Sendable () -> Void) {
        state.withLockedValue { $0.whenOver = action }
    }

    /// Forgets the action. The request was answered, or will not be.
    package func end() {
        state.withLockedValue { $0.whenOver = nil }
    }

    package func check(_ now: ContinuousClock.Instant) {
        let action = state.withLockedValue { state -> (@Sendable () -> Void)? in
            guard !state.isOver, let since = state.since, now - since >= state.left else { return nil }
            state.isOver = true
            defer { state.whenOver = nil }
            return state.whenOver
        }
        action?()
    }
}

package struct DeadlinePassed: Error, Hashable, Sendable {}
