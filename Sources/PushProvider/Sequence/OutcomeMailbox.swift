internal import NIOConcurrencyHelpers

/// The buffer between the connections, which deliver outcomes, and the reader of a sequence. It holds the sends without
/// an outcome and the outcomes that were not read, and limits their number.
///
/// Outcomes are delivered and fetched in batches. A lock and a thread switch for each outcome would cost more than the
/// sending.
// Unchecked because the superclass is: all properties are constant, and `state` is protected by a lock.
@usableFromInline package final class OutcomeMailbox: OutcomeReceiver, @unchecked Sendable {
    package enum Message {
        case concluded(SequencedSend)
        /// The notification is invalid and was never queued.
        indirect case refused(PushResult)

        package func takeResult() -> PushResult {
            switch self {
            case .concluded(let send): send.takeResult()
            case .refused(let result): result
            }
        }

        /// The notification and its outcome in parts, which costs less than a ``PushResult``. Call it only once.
        package func takeParts() -> (notification: PushNotification, outcome: PushOutcome) {
            switch self {
            case .concluded(let send): (send.takeNotification(), send.takeOutcome())
            case .refused(let result): (result.notification, result.outcome)
            }
        }
    }

    /// Everything behind the lock. One decision, such as whether to read on, needs most of it at the same time.
    struct State {
        var ready: [Message] = []
        /// The sends without an outcome. Each has a slot, so that it can be removed quickly; `freeSlots` has the empty
        /// slots.
        var underWay: [SequencedSend?] = []
        var freeSlots: [Int] = []
        var underWayCount = 0
        /// This mailbox, while any send is without an outcome. It keeps the mailbox alive.
        var keeper: OutcomeMailbox?
        /// The number of outcomes in the last batch of the reader. They count against the limit until the next fetch.
        var fetched = 0
        var reader: UnsafeContinuation<Void, Never>?
        var writer: UnsafeContinuation<Void, Never>?
        var reading: Task<Void, Never>?
        var isBegun = false
        var isCancelled = false
        /// Counts mismatches of token and setup; `nil` if this check is off.
        var watch: MismatchWatch?
        /// Counts notifications that were not sent because the sender is refused.
        var unsent: UnsentWatch
        /// The error if the sequence was stopped because device tokens and setup do not match.
        var mismatch: PushMismatch? { didSet { isStopped = true } }
        /// The error if the sequence was stopped because the credentials or topics are refused.
        var refused: PushCredentialsRefused? { didSet { isStopped = true } }
        /// Whether there is such an error.
        private(set) var isStopped = false
        /// Whether a stop is being logged. The reader gets the error after that.
        var isStopping = false
        var isFinished = false
        /// The error that the sequence of notifications threw.
        var error: (any Error)?
        /// Whether the reader has reached the end. An error is thrown only once.
        var hasEnded = false

        var taken: Int { ready.count + underWayCount + fetched }
        var isOver: Bool { isCancelled || isStopped }
        /// The error at the end, as known now. A notification in flight can still stop the sequence after the last one
        /// was read.
        var ending: (any Error)? {
            if let mismatch { return mismatch }
            if let refused { return refused }
            return error
        }
        var isDone: Bool { isFinished && underWayCount == 0 && !isStopping }
        /// The maximum number of notifications without an outcome or with an unread one, as known now.
        func maximum(_ room: Int) -> Int { min(room, watch?.mayBeUnderWay ?? .max) }
        /// The number of notifications that may be read now.
        func free(_ room: Int) -> Int { min(room - taken, (watch?.mayBeUnderWay ?? .max) - underWayCount) }
    }

    /// The maximum number of notifications without an outcome or with an unread one. It can change.
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

    /// Whether this is the first call. The first call begins the reading.
    func isFirst() -> Bool {
        state.withLockedValue { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
    }

    /// Sets the task that reads the notifications. It is cancelled at once if the sequence has been stopped.
    func begun(_ reading: Task<Void, Never>) {
        let isOver = state.withLockedValue { state in
            state.reading = reading
            return state.isOver
        }
        if isOver { reading.cancel() }
    }

    /// Waits until more notifications may be read. It waits until a quarter of the limit is free, to read them in
    /// batches.
    ///
    /// - Returns: How many to read; 0 if the sequence was stopped.
    @usableFromInline package func waitForRoom() async -> Int {
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
        return overflow || free >= state.maximum(room)
    }

    /// Whether the sequence was stopped because device tokens and setup do not match.
    var isMismatched: Bool { state.withLockedValue { $0.mismatch != nil } }

    /// Why nothing more is queued.
    override var refusal: (cause: PushOutcome.Cause, message: String) {
        state.withLockedValue { state -> (cause: PushOutcome.Cause, message: String) in
            if let mismatch = state.mismatch { return (.mismatch, mismatch.ofOneNotSent) }
            if let refused = state.refused { return (refused.cause, refused.ofOneNotSent) }
            return (.cancelled, "its task was cancelled before it was queued.")
        }
    }

    /// Registers a send before it is queued.
    ///
    /// - Parameter send: The send.
    /// - Returns: `false` if the sequence was cancelled or stopped in the meantime: do not queue it.
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

    override func deliver(_ sends: ArraySlice<PendingSend>) {
        // Release it outside the lock: it may be the last reference to this mailbox.
        var keeper: OutcomeMailbox?
        defer { withExtendedLifetime(keeper) {} }
        add { state in
            var stop: Stop?
            for send in sends {
                // Only a send of a sequence has a mailbox, and only until it is delivered.
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

    /// Reports a notification that is invalid and was never queued.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - index: Its index in the sequence.
    ///   - invalid: Why it is invalid.
    /// - Returns: `false` if nothing more is to be read.
    func refuse(_ notification: PushNotification, index: Int, _ invalid: PushOutcome) -> Bool {
        let result = PushResult(index: index, notification: notification, outcome: invalid)
        return add { state in
            state.ready.append(.refused(result))
            return !state.isOver
        }
    }

    /// Ends the sequence: no further notification will come.
    ///
    /// - Parameter error: The error that the sequence of notifications threw.
    @usableFromInline package func finish(_ error: (any Error)?) {
        add { state in
            state.isFinished = true
            state.error = error
        }
    }

    /// Records that the stop was logged.
    func hasStopped() {
        add { $0.isStopping = false }
    }

    @discardableResult
    private func add<Result>(_ change: (inout State) -> Result, then finish: (Result) -> Void = { _ in }) -> Result {
        let (result, reader, writer) = state.withLockedValue { state in
            let result = change(&state)
            // Fewer sends are without an outcome, or more are allowed.
            return (result, state.reader.take(), hasRoomForMany(state) ? state.writer.take() : nil)
        }
        finish(result)
        reader?.resume()
        writer?.resume()
        return result
    }

    // MARK: Out

    private enum FetchResult {
        case messages
        case end((any Error)?)
        case wait
    }

    /// Waits for outcomes and fetches all that are available, the latest first.
    ///
    /// - Parameter messages: An empty array that receives them; its memory is reused. It stays empty at the end.
    /// - Throws: At the end, the reason why the sequence was stopped, or the error of the sequence of notifications.
    func fetch(into messages: inout [Message]) async throws {
        while true {
            let (result, writer) = read(into: &messages)
            writer?.resume()
            switch result {
            case .messages:
                messages.reverse()
                return
            case .end(let error):
                if let error { throw error }
                return
            case .wait: await waitForMore()
            }
        }
    }

    private func read(into messages: inout [Message]) -> (FetchResult, writer: UnsafeContinuation<Void, Never>?) {
        state.withLockedValue { state in
            state.fetched = state.ready.count
            swap(&state.ready, &messages)
            let writer = hasRoomForMany(state) ? state.writer.take() : nil
            if !messages.isEmpty { return (.messages, writer) }
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

    /// Cancels the sequence: nothing more is read, and all sends without an outcome are cancelled.
    func cancel() {
        let (sends, writer, reading) = state.withLockedValue { state in
            guard !state.isCancelled else {
                return ([SequencedSend](), UnsafeContinuation<Void, Never>?.none, Task<Void, Never>?.none)
            }
            state.isCancelled = true
            // The reading has not begun, and will not begin.
            if !state.isBegun { state.isFinished = true }
            return (state.underWay.compactMap { $0 }, state.writer.take(), state.reading)
        }
        reading?.cancel()
        writer?.resume()
        if !sends.isEmpty { cancelSends(sends) }
    }
}
