internal import NIOConcurrencyHelpers

package final class ChangeSubscribers: Sendable {
    private struct State {
        var next = 0
        var streams: [Int: (kind: QueueChange, continuation: AsyncStream<Void>.Continuation)] = [:]
        var isFinished = false
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    package func stream(of kind: QueueChange) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLockedValue { state -> Int? in
            if state.isFinished { return nil }
            state.next += 1
            state.streams[state.next] = (kind, continuation)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLockedValue { _ = $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    package func notify(_ kind: QueueChange) {
        let streams = state.withLockedValue { $0.streams.values.filter { $0.kind == kind } }
        for stream in streams { stream.continuation.yield() }
    }

    /// Ends all streams, also streams that are made later.
    package func finish() {
        let streams = state.withLockedValue { state in
            state.isFinished = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.continuation.finish() }
    }
}
