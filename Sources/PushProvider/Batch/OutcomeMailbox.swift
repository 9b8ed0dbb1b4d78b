internal import DequeModule
internal import NIOConcurrencyHelpers

/// Between those who give outcomes and the one who reads them: holds what is under way and what has not been read, and lets
/// no more in than there is room for.
final class OutcomeMailbox: Sendable {
    private struct State {
        var ready: Deque<PushResult> = []
        var underWay: [Int: (send: PendingSend, notification: PushNotification)] = [:]
        var reader: UnsafeContinuation<Void, Never>?
        var writer: UnsafeContinuation<Void, Never>?
        var reading: Task<Void, Never>?
        var isBegun = false
        var isCancelled = false
        var isFinished = false
        var error: (any Error)?

        var taken: Int { ready.count + underWay.count }
    }

    private let room: Int
    private let cancelSend: @Sendable (PendingSend) -> Void
    private let state = NIOLockedValueBox(State())

    init(room: Int, cancelSend: @escaping @Sendable (PendingSend) -> Void) {
        self.room = room
        self.cancelSend = cancelSend
    }

    // MARK: In

    /// Whether it is the first to ask.
    func isFirst() -> Bool {
        state.withLockedValue { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
    }

    /// The task that reads the notifications.
    func begun(_ reading: Task<Void, Never>) {
        let isCancelled = state.withLockedValue { state in
            state.reading = reading
            return state.isCancelled
        }
        if isCancelled { reading.cancel() }
    }

    /// Waits until another one may be taken in.
    ///
    /// - Returns: `false` when no more are to be.
    func waitForRoom() async -> Bool {
        while true {
            let (isOver, hasRoom) = state.withLockedValue { ($0.isCancelled, $0.taken < room) }
            if isOver { return false }
            if hasRoom { return true }
            await withUnsafeContinuation { continuation in
                let goesOn = state.withLockedValue { state in
                    if state.isCancelled || state.taken < room { return true }
                    state.writer = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    /// Notes a send before it is handed in.
    ///
    /// - Returns: `false` when it is not to be: it was read before and cancelled with the others.
    func expect(_ send: PendingSend, _ notification: PushNotification, index: Int) -> Bool {
        state.withLockedValue { state in
            state.underWay[index] = (send, notification)
            return !state.isCancelled
        }
    }

    /// The outcome of one that is under way.
    func deliver(_ index: Int, _ outcome: PushOutcome) {
        add { state in
            guard let entry = state.underWay.removeValue(forKey: index) else { return }
            state.ready.append(
                PushResult(index: index, notification: entry.notification, outcome: .success(outcome)))
        }
    }

    /// One that was never taken in.
    func refuse(_ notification: PushNotification, index: Int, _ error: PushError) {
        add { $0.ready.append(PushResult(index: index, notification: notification, outcome: .failure(error))) }
    }

    /// No more will come.
    func finish(_ error: (any Error)?) {
        add { state in
            state.isFinished = true
            state.error = error
        }
    }

    private func add(_ change: (inout State) -> Void) {
        let reader = state.withLockedValue { state in
            change(&state)
            return state.reader.take()
        }
        reader?.resume()
    }

    // MARK: Out

    private enum Reading {
        case result(PushResult, writer: UnsafeContinuation<Void, Never>?)
        case end((any Error)?)
        case wait
    }

    /// The next outcome; `nil` at the end.
    func next() async throws -> PushResult? {
        while true {
            switch read() {
            case .result(let result, let writer):
                writer?.resume()
                return result
            case .end(let error):
                if let error { throw error }
                return nil
            case .wait: await waitForMore()
            }
        }
    }

    private func read() -> Reading {
        state.withLockedValue { state in
            if let result = state.ready.popFirst() { return .result(result, writer: state.writer.take()) }
            guard state.isFinished, state.underWay.isEmpty else { return .wait }
            defer { state.error = nil }
            return .end(state.error)
        }
    }

    private func waitForMore() async {
        await withUnsafeContinuation { continuation in
            let goesOn = state.withLockedValue { state in
                if !state.ready.isEmpty || (state.isFinished && state.underWay.isEmpty) { return true }
                state.reader = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    // MARK: Cancelling

    /// No more are taken in, and what is under way ends.
    func cancel() {
        let (sends, writer, reading) = state.withLockedValue { state in
            guard !state.isCancelled else {
                return ([PendingSend](), UnsafeContinuation<Void, Never>?.none, Task<Void, Never>?.none)
            }
            state.isCancelled = true
            // Nobody has begun, and nobody will.
            if !state.isBegun { state.isFinished = true }
            return (state.underWay.values.map(\.send), state.writer.take(), state.reading)
        }
        reading?.cancel()
        writer?.resume()
        for send in sends { cancelSend(send) }
    }
}
