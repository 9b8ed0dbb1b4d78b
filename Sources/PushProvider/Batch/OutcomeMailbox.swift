internal import NIOConcurrencyHelpers

/// Between those who give outcomes and the one who reads them: holds what is under way and what has not been read, and lets
/// no more in than there is room for.
///
/// Outcomes come by the handful, and are fetched by the handful: a lock and a change of thread for each of them would cost
/// more than the sending.
final class OutcomeMailbox: Sendable {
    /// What the reader fetches.
    enum Letter {
        case concluded(SequencedSend)
        /// It was never taken in.
        indirect case refused(PushResult)

        func takeResult() -> PushResult {
            switch self {
            case .concluded(let send): send.takeResult()
            case .refused(let result): result
            }
        }
    }

    private struct State {
        var ready: [Letter] = []
        /// Each has a slot, so that it is found again; which of them are free stands in `freeSlots`.
        var underWay: [SequencedSend?] = []
        var freeSlots: [Int] = []
        var underWayCount = 0
        /// This mailbox, as long as any is under way.
        var keeper: OutcomeMailbox?
        /// How many the reader had the last time; they count until it comes again.
        var fetched = 0
        var reader: UnsafeContinuation<Void, Never>?
        var writer: UnsafeContinuation<Void, Never>?
        var reading: Task<Void, Never>?
        var isBegun = false
        var isCancelled = false
        var isFinished = false
        var error: (any Error)?

        var taken: Int { ready.count + underWayCount + fetched }
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

    /// Waits until more may be taken in: for a handful at once, where that many can become free.
    ///
    /// - Returns: How many; 0 when no more are to be.
    func waitForRoom() async -> Int {
        while true {
            let (isOver, free) = state.withLockedValue { ($0.isCancelled, room - $0.taken) }
            if isOver { return 0 }
            if free > 0 { return free }
            await withUnsafeContinuation { continuation in
                let goesOn = state.withLockedValue { state in
                    if state.isCancelled || hasRoomForMany(state) { return true }
                    state.writer = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    private func hasRoomForMany(_ state: State) -> Bool { (room - state.taken) * 4 >= room }

    /// Notes a send before it is handed in.
    ///
    /// - Returns: `false` when it is not to be: it was read before and cancelled with the others.
    func expect(_ send: SequencedSend) -> Bool {
        state.withLockedValue { state in
            if let slot = state.freeSlots.popLast() {
                send.slot = slot
                state.underWay[slot] = send
            } else {
                send.slot = state.underWay.count
                state.underWay.append(send)
            }
            if state.underWayCount == 0 { state.keeper = self }
            state.underWayCount += 1
            return !state.isCancelled
        }
    }

    /// Takes in some that have their outcomes, and were under way in this mailbox.
    func deliver(_ sends: some Sequence<PendingSend>) {
        // Let go after the lock: it may be the last to hold this mailbox.
        var keeper: OutcomeMailbox?
        defer { withExtendedLifetime(keeper) {} }
        add { state in
            for send in sends {
                // Only those of a sequence have a mailbox, and none once it was delivered.
                guard send.mailbox != nil else { continue }
                let send = unsafeDowncast(send, to: SequencedSend.self)
                send.mailbox = nil
                state.underWay[send.slot] = nil
                state.freeSlots.append(send.slot)
                state.underWayCount -= 1
                state.ready.append(.concluded(send))
            }
            if state.underWayCount == 0 { keeper = state.keeper.take() }
        }
    }

    /// One that was never taken in.
    ///
    /// - Returns: `false` when no more are to be read.
    func refuse(_ notification: PushNotification, index: Int, _ error: PushError) -> Bool {
        let result = PushResult(index: index, notification: notification, outcome: .failure(error))
        return add { state in
            state.ready.append(.refused(result))
            return !state.isCancelled
        }
    }

    /// No more will come.
    func finish(_ error: (any Error)?) {
        add { state in
            state.isFinished = true
            state.error = error
        }
    }

    private func add<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, reader) = state.withLockedValue { (change(&$0), $0.reader.take()) }
        reader?.resume()
        return result
    }

    // MARK: Out

    private enum Reading {
        case letters
        case end((any Error)?)
        case wait
    }

    /// Fetches all outcomes that are there, the latest first, once there are any.
    ///
    /// - Parameter letters: Is empty, and gets them; its memory is used again. It stays empty at the end.
    /// - Throws: What the sequence of notifications threw, at the end.
    func fetch(into letters: inout [Letter]) async throws {
        while true {
            let (reading, writer) = read(into: &letters)
            writer?.resume()
            switch reading {
            case .letters:
                letters.reverse()
                return
            case .end(let error):
                if let error { throw error }
                return
            case .wait: await waitForMore()
            }
        }
    }

    private func read(into letters: inout [Letter]) -> (Reading, writer: UnsafeContinuation<Void, Never>?) {
        state.withLockedValue { state in
            state.fetched = state.ready.count
            swap(&state.ready, &letters)
            let writer = hasRoomForMany(state) ? state.writer.take() : nil
            if !letters.isEmpty { return (.letters, writer) }
            guard state.isFinished, state.underWayCount == 0 else { return (.wait, writer) }
            defer { state.error = nil }
            return (.end(state.error), writer)
        }
    }

    private func waitForMore() async {
        await withUnsafeContinuation { continuation in
            let goesOn = state.withLockedValue { state in
                if !state.ready.isEmpty || (state.isFinished && state.underWayCount == 0) { return true }
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
                return ([SequencedSend](), UnsafeContinuation<Void, Never>?.none, Task<Void, Never>?.none)
            }
            state.isCancelled = true
            // Nobody has begun, and nobody will.
            if !state.isBegun { state.isFinished = true }
            return (state.underWay.compactMap { $0 }, state.writer.take(), state.reading)
        }
        reading?.cancel()
        writer?.resume()
        for send in sends { cancelSend(send) }
    }
}
