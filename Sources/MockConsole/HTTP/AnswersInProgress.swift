internal import HTTPTypes
internal import Hummingbird
internal import NIOConcurrencyHelpers

/// Requests that are being answered, and event streams that are being sent. The end of the console ends those that wait.
final class AnswersInProgress: Sendable {
    /// Requests of which there can be many at the same time, because they wait.
    enum Kind: Hashable, Sendable {
        case wait, eventStream

        /// The maximum number at the same time. More are refused.
        var most: Int {
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

    /// Runs an operation that ends when the console ends, or its client is gone.
    ///
    /// - Parameters:
    ///   - client: The client that waits for it; `nil` if it does not end with a client.
    ///   - operation: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: Errors of the operation, and `CancellationError` after the end.
    func run<Value: Sendable>(
        for client: ConsoleClients.Client? = nil, _ operation: @escaping @Sendable () async throws -> Value
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
    /// - Returns: The place of the request, which is free again when it is released.
    /// - Throws: ``ConsoleProblem`` if there are too many.
    func place(for kind: Kind) throws(ConsoleProblem) -> Place {
        let isFree = state.withLockedValue { state in
            guard state.counts[kind, default: 0] < kind.most else { return false }
            state.counts[kind, default: 0] += 1
            return true
        }
        guard isFree else {
            let what = kind == .wait ? "requests that wait" : "readers of events"
            throw ConsoleProblem(
                status: .tooManyRequests, code: "too_many_waiting", detail: "There are \(kind.most) \(what) already.",
                remedy: "End some of them, or ask again later.", headers: [HTTPField(name: .retryAfter, value: "1")])
        }
        return Place { [self] in state.withLockedValue { $0.counts[kind, default: 1] -= 1 } }
    }

    /// A place among the requests that wait.
    final class Place: Sendable {
        private let leave: @Sendable () -> Void

        fileprivate init(leave: @escaping @Sendable () -> Void) {
            self.leave = leave
        }

        deinit { leave() }
    }

    /// Ends all that wait, and begins no others.
    func end() {
        let cancellations = state.withLockedValue { state in
            state.isOver = true
            defer { state.cancellations = [:] }
            return Array(state.cancellations.values)
        }
        for cancel in cancellations { cancel() }
    }
}
