internal import HTTPTypes
internal import NIOConcurrencyHelpers

/// Requests that are being answered, and event streams that are being sent. The end of the server ends those that wait.
package final class AnswersInProgress: Sendable {
    /// Requests of which there can be many at the same time, because they wait.
    package struct Kind: Hashable, Sendable {
        /// The maximum number at the same time. More are refused.
        package let maximum: Int
        fileprivate let words: String

        package static let wait = Kind(maximum: 1000, words: "requests that wait")
        package static let eventStream = Kind(maximum: 100, words: "readers of events")
        /// Each has a connection of its own to a receiver.
        package static let webhookTest = Kind(maximum: 16, words: "tests of webhooks")
    }

    private struct State {
        var cancellations: [Int: @Sendable () -> Void] = [:]
        var deadlines: [Int: RequestDeadline] = [:]
        var limits: [Kind: SharedLimit] = [:]
        var next = 0
        var isOver = false
    }

    /// How often deadlines are compared with the clock.
    private static let pace = Duration.milliseconds(250)

    private let hasShares: Bool
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    /// Creates a list of nothing.
    ///
    /// - Parameters:
    ///   - hasShares: Whether one holder gets at most half of each limit.
    ///   - clock: The clock of the deadlines.
    package init(
        hasShares: Bool = false, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.hasShares, self.clock) = (hasShares, clock)
    }

    package func deadline(in time: Duration) -> RequestDeadline { RequestDeadline(time, clock: clock) }

    /// Runs an operation that ends when the server ends, or its client is gone.
    ///
    /// - Parameters:
    ///   - client: The client that waits for it; `nil` if it does not end with a client.
    ///   - operation: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: Errors of the operation, and `CancellationError` after the end.
    package func run<Value: Sendable>(
        for client: ConnectedClients.Client? = nil, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await operation() }
        guard let id = register({ task.cancel() }) else {
            task.cancel()
            throw CancellationError()
        }
        let whenGone = client?.whenGone { task.cancel() }
        defer {
            state.withLockedValue { _ = $0.cancellations.removeValue(forKey: id) }
            if let whenGone { client?.forget(whenGone) }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Runs an operation that must end in time. When its deadline has passed, the operation is cancelled, and this doesn't wait
    /// for it: what a database holds up can't end at once.
    ///
    /// - Throws: Errors of the operation, ``DeadlinePassed``, and `CancellationError` after the end.
    package func run<Value: Sendable>(
        within deadline: RequestDeadline, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let first = OneTimeValue<Result<Value, any Error>>()
        let task = Task {
            do { first.set(.success(try await operation())) } catch { first.set(.failure(error)) }
        }
        deadline.whenOver {
            first.set(.failure(DeadlinePassed()))
            task.cancel()
        }
        guard let id = register({ task.cancel() }, deadline) else {
            task.cancel()
            deadline.end()
            throw CancellationError()
        }
        defer {
            state.withLockedValue { state in
                state.cancellations[id] = nil
                state.deadlines[id] = nil
            }
            // The answer can have the request with its deadline, and what it has reserved. A circle would keep all of it for ever.
            deadline.end()
        }
        return try await withTaskCancellationHandler {
            try await first.value.get()
        } onCancel: {
            task.cancel()
        }
    }

    private func register(_ cancel: @escaping @Sendable () -> Void, _ deadline: RequestDeadline? = nil) -> Int? {
        state.withLockedValue { state -> Int? in
            guard !state.isOver else { return nil }
            state.next += 1
            state.cancellations[state.next] = cancel
            state.deadlines[state.next] = deadline
            return state.next
        }
    }

    /// Ends operations whose deadlines have passed, until the task is cancelled.
    package func watchDeadlines() async {
        while (try? await Task.sleep(for: Self.pace)) != nil {
            let now = clock()
            let deadlines = state.withLockedValue { Array($0.deadlines.values) }
            for deadline in deadlines { deadline.check(now) }
        }
    }

    /// Counts a request that waits.
    ///
    /// - Parameters:
    ///   - kind: How it waits.
    ///   - holder: Who waits.
    /// - Returns: The reservation of the request. The request no longer counts when this object is released.
    /// - Throws: ``TooManyWaiting``.
    package func reserve(
        _ kind: Kind, for holder: SharedLimit.Holder = .address("")
    ) throws(TooManyWaiting) -> Reservation {
        let refusal = state.withLockedValue { state in
            state.limits[kind, default: SharedLimit(kind.maximum, maximumOfOne: hasShares ? nil : kind.maximum)]
                .take(1, for: holder)
        }
        if let refusal { throw TooManyWaiting(kind: kind, refusal: hasShares ? refusal : .whole) }
        return Reservation { [self] in state.withLockedValue { _ = $0.limits[kind]?.giveBack(1, of: holder) } }
    }

    /// One of the requests that wait. It counts until the object is released.
    package final class Reservation: Sendable {
        private let cancel: @Sendable () -> Void

        fileprivate init(cancel: @escaping @Sendable () -> Void) {
            self.cancel = cancel
        }

        deinit { cancel() }
    }

    package var isOver: Bool { state.withLockedValue { $0.isOver } }

    package func end() {
        let cancellations = state.withLockedValue { state in
            state.isOver = true
            defer { state.cancellations = [:] }
            return Array(state.cancellations.values)
        }
        for cancel in cancellations { cancel() }
    }
}

package struct TooManyWaiting: ProblemError, Hashable, Sendable {
    package var kind: AnswersInProgress.Kind
    /// Whether the client has its share, or all clients together have everything.
    package var refusal: SharedLimit.Refusal

    package var problem: APIProblem {
        .later(
            .tooManyRequests, code: "too_many_waiting",
            refusal == .whole
                ? "There are \(kind.maximum) \(kind.words) already."
                : """
                This key has \(SharedLimit.half(of: kind.maximum)) \(kind.words) already, half of the limit of \(kind.maximum).
                """,
            afterSeconds: 1, remedy: "End some of them, or ask again later.")
    }
}
