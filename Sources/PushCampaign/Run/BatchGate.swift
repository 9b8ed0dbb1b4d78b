internal import NIOConcurrencyHelpers
internal import PushProvider

/// Coordinates the task that reads the lines of a campaign and the task that processes their results. Limits the number
/// of marked lines without an outcome, keeps the lines that must be sent again, and decides when a line may be sent.
final class BatchGate: Sendable {
    /// How long a line waits before it is sent again.
    struct Pause: Sendable {
        var time: Duration
        /// Whether the server asked for this pause.
        var isAsked = false
    }

    /// The maximum number of marked lines without an outcome.
    let window: Int
    /// The maximum size in bytes of the marked lines without an outcome, whatever their number. Above it, no more lines
    /// are read.
    private static let maximumBytes = 16 << 20
    private let state: NIOLockedValueBox<State>
    /// Wakes the reading task. A change before it waits is not lost.
    private let wakeUp = WakeUpSignal()
    private let clock: @Sendable () -> MonotonicTime

    init(
        window: Int, outageWait: Duration = .seconds(1800),
        clock: @escaping @Sendable () -> MonotonicTime = BatchGate.sinceStart()
    ) {
        self.window = window
        self.clock = clock
        state = NIOLockedValueBox(State(outage: OutageState(longestOutage: outageWait)))
    }

    private static func sinceStart() -> @Sendable () -> MonotonicTime {
        let start = ContinuousClock.now
        return { MonotonicTime(nanoseconds: UInt64(max(0, start.duration(to: .now).clampedNanoseconds))) }
    }

    var now: MonotonicTime { clock() }

    // MARK: Stopping

    /// Stops reading. Lines that were released still get their outcomes. The first reason is kept.
    func stop(_ stop: BatchStop) {
        wake { if $0.stop == nil { $0.stop = stop } }
    }

    var position: InputPosition {
        get { state.withLockedValue { $0.position } }
        set { state.withLockedValue { $0.position = newValue } }
    }

    var stopped: BatchStop? { state.withLockedValue { $0.stop } }
    var isStopped: Bool { stopped != nil }
    var isReadingCancelled: Bool { state.withLockedValue { $0.isReadingCancelled } }

    /// Why no lines are sent now; `nil` while lines are sent.
    var pause: BatchPause? {
        state.withLockedValue { state in
            state.outage.pause.map { pause in
                BatchPause(
                    reason: pause.refusal.message, lasting: pause.since.duration(to: now),
                    nextTry: now.duration(to: pause.until))
            }
        }
    }

    /// Ends the wait of the reading task. The caller that cancels reports the reason.
    func cancelReading() {
        wake { $0.isReadingCancelled = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        state.withLockedValue(change)
        wakeUp.send()
    }

    // MARK: Reading

    enum Step {
        /// More lines may be read and marked.
        case read
        case sendAgain([PushNotification])
        case end
    }

    /// Waits until there is something to do.
    ///
    /// - Parameters:
    ///   - count: How many lines are read at a time.
    ///   - isAtEnd: Whether the input has no more lines, so that only lines to send again are possible.
    /// - Returns: The next step; ``Step/end`` also if the campaign was stopped.
    func next(_ count: Int, isAtEnd: Bool) async -> Step {
        while true {
            if Task.isCancelled { return .end }
            switch look(count, isAtEnd: isAtEnd) {
            case .step(let step): return step
            case .wait(let due): await waitForChange(until: due)
            }
        }
    }

    /// What the reading task finds.
    enum Sight {
        case step(Step)
        /// Nothing is to be done until this time, or until something changes.
        case wait(until: MonotonicTime?)
    }

    func look(_ count: Int, isAtEnd: Bool) -> Sight {
        let now = now
        return state.withLockedValue { state -> Sight in
            if state.stop != nil || state.isReadingCancelled { return .step(.end) }
            let again = Self.takeDue(&state, count, now)
            if !again.isEmpty { return .step(.sendAgain(again)) }
            if isAtEnd, state.outstanding == 0 { return .step(.end) }
            if !isAtEnd, hasRoom(count, state) { return .step(.read) }
            let first = state.returned.min { $0.due < $1.due }
            if let stop = state.outage.giveUp(now: now, asked: first.flatMap { $0.isAsked ? $0.due : nil }) {
                state.stop = stop
                return .step(.end)
            }
            return .wait(until: Self.nextTime(state))
        }
    }

    /// Waits for results, a stop, or a time. May end early: a change that came before the look ends it, too.
    func waitForChange(until due: MonotonicTime?) async {
        await wakeUp.waitUnlessCancelled(for: due.map { now.duration(to: $0) })
    }

    private func hasRoom(_ count: Int, _ state: State) -> Bool {
        state.outstanding == 0
            || state.outstanding + count <= window && state.outstandingBytes < Self.maximumBytes
    }

    /// When the next line is to be sent again, or when the campaign stops.
    private static func nextTime(_ state: State) -> MonotonicTime? {
        let time = (state.returned.map(\.due) + [state.outage.end].compactMap { $0 }).min()
        return time == .never ? nil : time
    }

    private static func takeDue(_ state: inout State, _ maximum: Int, _ now: MonotonicTime) -> [PushNotification] {
        guard !state.returned.isEmpty else { return [] }
        var due: [PushNotification] = []
        state.returned.removeAll { line in
            guard due.count < maximum, line.due <= now else { return false }
            due.append(line.notification)
            return true
        }
        return due
    }

    // MARK: Lines in flight

    /// Records that lines were marked.
    ///
    /// - Parameters:
    ///   - count: The number of lines.
    ///   - bytes: Their size in bytes.
    ///   - releasable: The index of each of them that was not sent before, in the order in which they are released.
    func marked(_ count: Int, bytes: Int, releasable: [Int]) {
        state.withLockedValue { state in
            state.outstanding += count
            state.outstandingBytes += bytes
            state.chunk = releasable.reversed()
        }
    }

    /// Records that lines to send again were marked again. They are already counted as outstanding.
    func markedAgain(releasable: [Int]) {
        state.withLockedValue { $0.chunk = releasable.reversed() }
    }

    enum LinePermission: Equatable {
        case granted
        /// Ask again at this time, or when there are new results.
        case later(MonotonicTime)
        /// A line that it replaces is on the way. It was kept, and is sent after that line.
        case kept
        /// It must not be sent: a later line that replaces it was started.
        case superseded
        case refused
    }

    /// The maximum wait before permission is requested again.
    private static let longestWait: Duration = .milliseconds(100)
    /// The maximum wait while results of lines in flight are expected.
    private static let resultsWait: Duration = .milliseconds(5)

    /// Requests permission to release a line, and records it if granted.
    ///
    /// - Parameters:
    ///   - index: The index of the line.
    ///   - isSent: Whether the line is really sent. An invalid line, for example, is only reported.
    ///   - key: The key of the line, if it has a collapse id.
    ///   - line: Returns the line, to keep it.
    /// - Returns: Whether the line may be released now.
    func give(
        _ index: Int, isSent: Bool = true, key: CollapseKey? = nil, _ line: () -> PushNotification? = { nil }
    ) -> LinePermission {
        let now = now
        return state.withLockedValue { state -> LinePermission in
            guard state.stop == nil else { return .refused }
            if isSent {
                if let key, let permission = state.holdBack(index, key, line) { return permission }
                switch state.outage.permission(now: now) {
                case .go: state.outage.sent(now: now)
                case .wait(let time): return .later(time)
                case .waitForResults: return .later(now.advanced(by: Self.resultsWait))
                case .giveUp(let stop):
                    state.stop = stop
                    return .refused
                }
            }
            if state.chunk.last == index { state.chunk.removeLast() }
            return .granted
        }
    }

    /// Waits until a time, but only for a short while, so that a stop takes effect quickly.
    func wait(until time: MonotonicTime) async {
        let wait = min(now.duration(to: time), Self.longestWait)
        try? await Task.sleep(for: max(wait, .milliseconds(1)))
    }

    // MARK: Results

    /// Records the results of lines that were sent.
    ///
    /// - Returns: How many lines the server has answered so far, and whether lines are sent to it.
    func concluded(_ signals: [OutageState.Signal]) -> (answers: Int, isFlowing: Bool) {
        let now = now
        return state.withLockedValue { state in
            for signal in signals { state.outage.concluded(signal, now: now, chance: .random(in: 0...1)) }
            return (state.outage.answers, state.outage.pause == nil)
        }
    }

    /// Records that lines have their outcomes, or were released.
    ///
    /// - Parameters:
    ///   - count: The number of lines.
    ///   - bytes: Their size in bytes.
    ///   - keyed: Those of them with a collapse id.
    func concluded(_ count: Int, bytes: Int, keyed: [KeyedLine] = []) {
        let now = now
        wake { state in
            state.outstanding -= count
            state.outstandingBytes -= bytes
            for line in keyed { state.leave(line, rests: false, now) }
        }
    }

    /// A line with a collapse id that is no longer on the way.
    struct KeyedLine {
        var index: Int
        var key: CollapseKey
        /// Whether the client has handed it to a connection.
        var wasStarted: Bool
    }

    /// Keeps a line that was not accepted, to send it again. It stays outstanding.
    ///
    /// - Returns: `false` if no more lines are sent.
    func putBack(_ notification: PushNotification, after pause: Pause, keyed: KeyedLine? = nil) -> Bool {
        let now = now
        var isTaken = false
        wake { state in
            isTaken = state.stop == nil && !state.isReadingCancelled
            if isTaken {
                let due = now.advanced(by: pause.time)
                state.returned.append(ReturnedLine(notification, due: due, isAsked: pause.isAsked))
            }
            if let keyed { state.leave(keyed, rests: isTaken, now) }
        }
        return isTaken
    }

    /// Removes and returns the lines that were marked but never released.
    func leftovers() -> [Int] {
        state.withLockedValue { state in
            defer {
                state.chunk = []
                state.returned.removeAll { $0.isLeftover }
                state.kept = state.kept.filter { !$0.value.isLeftover }
            }
            return state.chunk.reversed()
                + (state.returned + state.kept.values).filter(\.isLeftover).compactMap(\.index)
        }
    }

    /// Removes and returns the lines that were kept to send again, and were not sent again.
    func returnedLines() -> [PushNotification] {
        state.withLockedValue { state in
            defer { (state.returned, state.kept) = ([], [:]) }
            return (state.returned + state.kept.values).map(\.notification)
        }
    }
}
