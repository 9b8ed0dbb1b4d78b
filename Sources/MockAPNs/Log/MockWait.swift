internal import NIOConcurrencyHelpers
package import NIOCore
internal import NIOPosix

/// Why a wait for a request ended without one.
public struct MockWaitError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Error, Hashable {
        let name: String
        package static let timeout = Code(name: "timeout")
        package static let stopped = Code(name: "stopped")
        package static let cancelled = Code(name: "cancelled")
        /// The request is no longer in the log.
        package static let dropped = Code(name: "dropped")
    }

    package let code: Code
    /// What the caller waited for and how many requests had arrived, in a sentence.
    public let description: String
}

/// One wait of one task. It ends by what comes first: a value, the deadline, or the end of the task.
package final class MockWait<Value: Sendable>: Sendable {
    package typealias Result = Swift.Result<Value, MockWaitError.Code>

    private enum State {
        case open
        case waiting(CheckedContinuation<Result, Never>)
        case ended(Result)
    }

    private let state = NIOLockedValueBox(State.open)

    package init() {}

    /// Ends the wait, also before it has begun. Later calls do nothing.
    package func end(_ result: Result) {
        let continuation = state.withLockedValue { state -> CheckedContinuation<Result, Never>? in
            switch state {
            case .ended: return nil
            case .open:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(result)
                return continuation
            }
        }
        continuation?.resume(returning: result)
    }

    /// Waits. Called once.
    package func result(before deadline: NIODeadline?) async -> Result {
        let timer = deadline.map { deadline in
            MockThreads.group.next().scheduleTask(deadline: deadline) { self.end(.failure(.timeout)) }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ended = state.withLockedValue { state -> Result? in
                    if case .ended(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let ended { continuation.resume(returning: ended) }
            }
        } onCancel: {
            end(.failure(.cancelled))
        }
    }
}

/// The waits of several tasks. Each is removed by its task when it has ended.
package struct MockWaits<Value: Sendable>: Sendable {
    private var waits: [ObjectIdentifier: MockWait<Value>] = [:]

    package init() {}

    package mutating func add(_ wait: MockWait<Value>) { waits[ObjectIdentifier(wait)] = wait }

    package mutating func remove(_ wait: MockWait<Value>) { waits[ObjectIdentifier(wait)] = nil }

    package mutating func removeAll() -> [MockWait<Value>] {
        guard !waits.isEmpty else { return [] }
        defer { waits.removeAll() }
        return Array(waits.values)
    }
}

/// The threads of all mocks: the shared event loops of the process.
enum MockThreads {
    static let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
}
