internal import NIOConcurrencyHelpers

/// The buffer between the task that reads a sequence and the task that takes its elements.
final class SequenceBuffer: Sendable {
    private struct State {
        var entries: [BatchEntry] = []
        /// How many more elements are requested.
        var wanted = 0
        var isOver = false
        var error: (any Error)?
        var isClosed = false
        /// Resumed when more elements are requested.
        var reader: CheckedContinuation<Void, Never>?
        /// Resumed when there are enough elements.
        var taker: CheckedContinuation<Void, Never>?
        var enough = 0
        /// The number of the current wait. A wait that has ended is not resumed again.
        var wait = 0

        var isServed: Bool { entries.count >= enough || isOver }
    }

    private let state = NIOLockedValueBox(State())

    // MARK: The reading task

    /// Waits until more elements are requested.
    ///
    /// - Returns: `false` when no more will be requested.
    func isAskedForMore() async -> Bool {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLockedValue { state in
                if state.wanted > 0 || state.isClosed { return true }
                state.reader = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
        return state.withLockedValue { !$0.isClosed }
    }

    func put(_ entry: BatchEntry) {
        let taker = state.withLockedValue { state in
            state.entries.append(entry)
            state.wanted = max(0, state.wanted - 1)
            return state.isServed ? state.taker.take() : nil
        }
        taker?.resume()
    }

    func end(_ error: (any Error)?) {
        let taker = state.withLockedValue { state in
            (state.isOver, state.error) = (true, error)
            return state.taker.take()
        }
        taker?.resume()
    }

    // MARK: The taking task

    var isEmpty: Bool { state.withLockedValue { $0.entries.isEmpty && !$0.isOver } }

    /// Requests elements until there are `count` of them.
    func ask(_ count: Int) {
        let reader = state.withLockedValue { state in
            state.wanted = max(0, count - state.entries.count)
            return state.wanted > 0 ? state.reader.take() : nil
        }
        reader?.resume()
    }

    /// Waits until there are enough elements, the sequence ends, the time has passed, or the task is cancelled.
    func wait(for count: Int, atMost time: Duration) async {
        let wait = state.withLockedValue { state -> Int? in
            state.enough = count
            state.wait += 1
            return state.isServed ? nil : state.wait
        }
        guard let wait else { return }
        let timer = Task { [self] in
            try await Task.sleep(for: time)
            endWait(wait)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLockedValue { state in
                    if state.isServed || state.wait != wait { return true }
                    state.taker = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            endWait(wait)
        }
        timer.cancel()
    }

    private func endWait(_ wait: Int) {
        let taker = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            guard state.wait == wait else { return nil }
            state.wait += 1
            return state.taker.take()
        }
        taker?.resume()
    }

    /// Takes the elements that are there. Nothing more is read until it is requested, except the element that is being
    /// read.
    func take(_ most: Int) throws -> [BatchEntry] {
        let (entries, error) = state.withLockedValue { state in
            let entries = Array(state.entries.prefix(most))
            state.entries.removeFirst(entries.count)
            state.wanted = 0
            return (entries, entries.isEmpty ? state.error : nil)
        }
        if let error { throw error }
        return entries
    }

    // MARK: The end

    /// Closes the buffer: no more elements will be taken.
    func close() {
        let reader = state.withLockedValue { state in
            state.isClosed = true
            return state.reader.take()
        }
        reader?.resume()
    }
}
