internal import NIOConcurrencyHelpers

/// Requests that are being answered, and event streams that are being sent. The end of the server ends those that wait.
package final class AnswersInProgress: Sendable {
    /// Requests of which there can be many at the same time, because they wait.
    package enum Kind: Hashable, Sendable {
        case wait, eventStream

        /// The maximum number at the same time. More are refused.
        package var most: Int {
            switch self {
            case .wait: 1000
            case .eventStream: 100
            }
        }
    }

    private struct State {
        var cancellations: [Int: @Sendable () -> Void] = [:]
        var counts: [Kind: Int] = [:]
        var next = 0
        var isOver = false
    }

    private let state = NIOLockedValueBox(State())

    /// Creates a list of nothing.
    package init() {}

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
        let id = state.withLockedValue { state -> Int? in
            guard !state.isOver else { return nil }
            state.next += 1
            state.cancellations[state.next] = { task.cancel() }
            return state.next
        }
        guard let id else {
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

    /// Counts a request that waits.
    ///
    /// - Returns: The reservation of the request. The request no longer counts when this object is released.
    /// - Throws: ``TooManyWaiting``.
    package func reserve(_ kind: Kind) throws(TooManyWaiting) -> Reservation {
        let isFree = state.withLockedValue { state in
            guard state.counts[kind, default: 0] < kind.most else { return false }
            state.counts[kind, default: 0] += 1
            return true
        }
        guard isFree else { throw TooManyWaiting(kind: kind) }
        return Reservation { [self] in state.withLockedValue { $0.counts[kind, default: 1] -= 1 } }
    }

    /// One of the requests that wait. It counts until the object is released.
    package final class Reservation: Sendable {
        private let cancel: @Sendable () -> Void

        fileprivate init(cancel: @escaping @Sendable () -> Void) {
            self.cancel = cancel
        }

        deinit { cancel() }
    }

    /// Whether the server ends.
    package var isOver: Bool { state.withLockedValue { $0.isOver } }

    /// Ends all that wait, and begins no others.
    package func end() {
        let cancellations = state.withLockedValue { state in
            state.isOver = true
            defer { state.cancellations = [:] }
            return Array(state.cancellations.values)
        }
        for cancel in cancellations { cancel() }
    }
}

/// There are too many requests that wait.
package struct TooManyWaiting: Error, Hashable, Sendable {
    /// What there is too much of.
    package var kind: AnswersInProgress.Kind

    /// What is wrong, in a sentence.
    package var detail: String {
        let what = kind == .wait ? "requests that wait" : "readers of events"
        return "There are \(kind.most) \(what) already."
    }

    /// How to correct it.
    package var remedy: String { "End some of them, or ask again later." }
}
