internal import NIOConcurrencyHelpers

/// Between the one who reads the lines of a campaign and the one who takes their outcomes: how many may be marked without an
/// outcome, and whether any more are to be read.
final class BatchGate: Sendable {
    private struct State {
        /// Marked in the journal, and without an outcome.
        var outstanding = 0
        /// How many bytes those lines have.
        var outstandingBytes = 0
        /// Marked, and not handed on: in the order in which they will be, the next one last.
        var chunk: [Int] = []
        var stop: BatchStop?
        /// The task that reads is to end.
        var isReadingCancelled = false
        /// How far it is read.
        var position = InputPosition()
        var reader: CheckedContinuation<Void, Never>?
    }

    /// How many lines may be marked without an outcome.
    let window: Int
    /// However few they are, no more is read while they have so many bytes.
    private static let mostBytes = 16 << 20
    private let state = NIOLockedValueBox(State())

    init(window: Int) {
        self.window = window
    }

    /// Reads no more; what was handed on has its outcome. The first reason counts.
    func stop(_ stop: BatchStop) {
        let reader = state.withLockedValue { state in
            if state.stop == nil { state.stop = stop }
            return state.reader.take()
        }
        reader?.resume()
    }

    /// How far the input is read.
    var position: InputPosition {
        get { state.withLockedValue { $0.position } }
        set { state.withLockedValue { $0.position = newValue } }
    }

    var stopped: BatchStop? { state.withLockedValue { $0.stop } }
    var isStopped: Bool { stopped != nil }
    var isReadingCancelled: Bool { state.withLockedValue { $0.isReadingCancelled } }

    /// Nothing more is waited for: who has cancelled it says why.
    func cancelReading() {
        state.withLockedValue { $0.isReadingCancelled = true }
    }

    /// Waits until so many more may be marked, or all that are marked have their outcomes.
    ///
    /// - Returns: `false` when no more are to be read.
    func waitForRoom(_ count: Int) async -> Bool {
        while true {
            let known = state.withLockedValue { state -> Bool? in
                if state.stop != nil { return false }
                return hasRoom(count, state) ? true : nil
            }
            if let known { return known }
            await withCheckedContinuation { continuation in
                let goesOn = state.withLockedValue { state in
                    if state.stop != nil || hasRoom(count, state) { return true }
                    state.reader = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    private func hasRoom(_ count: Int, _ state: State) -> Bool {
        state.outstanding == 0
            || state.outstanding + count <= window && state.outstandingBytes < Self.mostBytes
    }

    /// Lines were marked.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - bytes: How many bytes they have.
    ///   - releasable: Those of them that have not gone out before, in the order in which they will be handed on.
    func marked(_ count: Int, bytes: Int, releasable: [Int]) {
        state.withLockedValue { state in
            state.outstanding += count
            state.outstandingBytes += bytes
            state.chunk = releasable.reversed()
        }
    }

    /// Asks whether a line may be handed on, and notes that it is.
    func give(_ place: Int) -> Bool {
        state.withLockedValue { state in
            guard state.stop == nil else { return false }
            if state.chunk.last == place { state.chunk.removeLast() }
            return true
        }
    }

    /// Lines have their outcomes, or were released.
    func concluded(_ count: Int, bytes: Int) {
        let reader = state.withLockedValue { state in
            state.outstanding -= count
            state.outstandingBytes -= bytes
            return state.reader.take()
        }
        reader?.resume()
    }

    /// The lines that were marked and never handed on.
    func leftovers() -> [Int] {
        state.withLockedValue { state in
            defer { state.chunk = [] }
            return state.chunk.reversed()
        }
    }
}
