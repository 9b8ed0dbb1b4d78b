internal import NIOConcurrencyHelpers

/// Between those who give outcomes and the one who reads them: holds what is under way and what has not been read, and lets
/// no more in than there is room for.
///
/// Outcomes come by the handful, and are fetched by the handful: a lock and a change of thread for each of them would cost
/// more than the sending.
// Not checked by the compiler, because its superclass is not: everything in it is constant, and `state` is behind a lock.
package final class OutcomeMailbox: OutcomeReceiver, @unchecked Sendable {
    /// What the reader fetches.
    package enum Letter {
        case concluded(SequencedSend)
        /// It was never taken in.
        indirect case refused(PushResult)

        package func takeResult() -> PushResult {
            switch self {
            case .concluded(let send): send.takeResult()
            case .refused(let result): result
            }
        }
    }

    struct State {
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
        /// What the answers say of token and setup; `nil` where nobody wants to know.
        var watch: MismatchWatch?
        /// What was not sent because the sender is refused.
        var unsent: UnsentWatch
        /// They do not fit.
        var mismatch: PushMismatch?
        /// The client has stopped for its credentials.
        var refused: PushCredentialsRefused?
        /// What stopped it is being told; the reader learns of it after that.
        var isStopping = false
        var isFinished = false
        /// What the sequence of notifications threw.
        var error: (any Error)?
        /// The reader was told the end.
        var hasEnded = false

        var taken: Int { ready.count + underWayCount + fetched }
        /// No more are to be taken in.
        var isOver: Bool { isCancelled || mismatch != nil || refused != nil }
        /// Why it ends, as far as it is known now: what is in flight when the last one is read can still stop it.
        var ending: (any Error)? {
            if let mismatch { return mismatch }
            if let refused { return refused }
            return error
        }
        /// Nothing comes any more, but what is unread.
        var isDone: Bool { isFinished && underWayCount == 0 && !isStopping }
        /// How many may be under way or unread at a time, as far as it is known now.
        func most(_ room: Int) -> Int { min(room, watch?.mayBeUnderWay ?? .max) }
        func free(_ room: Int) -> Int { min(room - taken, (watch?.mayBeUnderWay ?? .max) - underWayCount) }
    }

    /// How much may be under way and unread; it may change.
    private let room: @Sendable () -> Int
    private let cancelSends: @Sendable ([PendingSend]) -> Void
    let breaker: Breaker?
    private let state: NIOLockedValueBox<State>

    init(
        room: @escaping @Sendable () -> Int, breaker: Breaker? = nil, pausesForItsSends: Bool = false,
        cancelSends: @escaping @Sendable ([PendingSend]) -> Void
    ) {
        self.room = room
        self.breaker = breaker
        self.cancelSends = cancelSends
        state = NIOLockedValueBox(State(watch: breaker?.watch, unsent: UnsentWatch(readsOn: pausesForItsSends)))
        super.init(pausesForItsSends: pausesForItsSends)
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
        let isOver = state.withLockedValue { state in
            state.reading = reading
            return state.isOver
        }
        if isOver { reading.cancel() }
    }

    /// Waits until more may be taken in: for a handful at once, where that many can become free.
    ///
    /// - Returns: How many; 0 when no more are to be.
    func waitForRoom() async -> Int {
        while true {
            let (isOver, free) = state.withLockedValue { ($0.isOver, $0.free(room())) }
            if isOver { return 0 }
            if free > 0 { return free }
            await withUnsafeContinuation { continuation in
                let goesOn = state.withLockedValue { state in
                    if state.isOver || hasRoomForMany(state) { return true }
                    state.writer = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    private func hasRoomForMany(_ state: State) -> Bool {
        let room = room()
        let (free, overflow) = state.free(room).multipliedReportingOverflow(by: 4)
        return overflow || free >= state.most(room)
    }

    /// It is stopped because device tokens and setup do not fit.
    var isMismatched: Bool { state.withLockedValue { $0.mismatch != nil } }

    /// Why no more are taken in.
    override var refusal: (cause: NotSent.Cause, words: String) {
        state.withLockedValue { state -> (cause: NotSent.Cause, words: String) in
            if let mismatch = state.mismatch { return (.mismatch, mismatch.ofOneNotSent) }
            if let refused = state.refused { return (refused.cause, refused.ofOneNotSent) }
            return (.cancelled, "its task was cancelled before it was taken in.")
        }
    }

    /// Notes a send before it is handed in.
    ///
    /// - Returns: `false` when it is not to be: it was read before and cancelled or stopped with the others.
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
            return !state.isOver
        }
    }

    /// Takes in some that have their outcomes, and were under way in this mailbox.
    override func deliver(_ sends: ArraySlice<PendingSend>) {
        // Let go after the lock: it may be the last to hold this mailbox.
        var keeper: OutcomeMailbox?
        defer { withExtendedLifetime(keeper) {} }
        add { state in
            var stop: Stop?
            for send in sends {
                // Only those of a sequence have a mailbox, and none once it was delivered.
                guard send.mailbox != nil else { continue }
                let send = unsafeDowncast(send, to: SequencedSend.self)
                send.mailbox = nil
                state.underWay[send.slot] = nil
                state.freeSlots.append(send.slot)
                state.underWayCount -= 1
                if breaker != nil { stop = stop ?? see(send, &state) }
                state.ready.append(.concluded(send))
            }
            if state.underWayCount == 0 { keeper = state.keeper.take() }
            return stop
        } then: { stop in
            if let stop { perform(stop) }
        }
    }

    /// One that was never taken in.
    ///
    /// - Returns: `false` when no more are to be read.
    func refuse(_ notification: PushNotification, index: Int, _ error: PushError) -> Bool {
        let result = PushResult(index: index, notification: notification, outcome: .failure(error))
        return add { state in
            state.ready.append(.refused(result))
            return !state.isOver
        }
    }

    /// No more will come.
    func finish(_ error: (any Error)?) {
        add { state in
            state.isFinished = true
            state.error = error
        }
    }

    /// What stopped it has been told.
    func hasStopped() {
        add { $0.isStopping = false }
    }

    @discardableResult
    private func add<Result>(_ change: (inout State) -> Result, then finish: (Result) -> Void = { _ in }) -> Result {
        let (result, reader, writer) = state.withLockedValue { state in
            let result = change(&state)
            // What is under way has become less, or may be more.
            return (result, state.reader.take(), hasRoomForMany(state) ? state.writer.take() : nil)
        }
        finish(result)
        reader?.resume()
        writer?.resume()
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
    /// - Throws: At the end, why it was stopped, or what the sequence of notifications threw.
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
            guard state.isDone else { return (.wait, writer) }
            defer { state.hasEnded = true }
            return (.end(state.hasEnded ? nil : state.ending), writer)
        }
    }

    private func waitForMore() async {
        await withUnsafeContinuation { continuation in
            let goesOn = state.withLockedValue { state in
                if !state.ready.isEmpty || state.isDone { return true }
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
        if !sends.isEmpty { cancelSends(sends) }
    }
}
