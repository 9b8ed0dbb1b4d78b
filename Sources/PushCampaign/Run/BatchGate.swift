internal import NIOConcurrencyHelpers
internal import PushProvider

/// Between the task that reads the lines of a campaign and the one that takes their results: bounds how many lines are marked without
/// an outcome, holds lines that came back to be sent again, and says when a line may be sent.
final class BatchGate: Sendable {
    private struct State {
        /// How many lines are marked in the journal without an outcome.
        var outstanding = 0
        /// How many bytes those lines have.
        var outstandingBytes = 0
        /// Lines that are marked and not handed on yet: in the order in which they will be, the next one last.
        var chunk: [Int] = []
        /// Lines that came back, to be sent again at their time.
        var returned: [ReturnedLine] = []
        var outage: OutageState
        var stop: BatchStop?
        /// The task that reads is to end.
        var isReadingCancelled = false
        /// How far the input is read.
        var position = InputPosition()
        var reader: CheckedContinuation<Void, Never>?
    }

    /// A line that was not taken for a cause that may pass.
    struct ReturnedLine: Sendable {
        var notification: PushNotification
        /// When it may be sent again.
        var due: MonotonicTime
        /// The server has asked for that time.
        var isAsked: Bool
    }

    /// How long a line waits before it is sent again.
    struct Pause: Sendable {
        var time: Duration
        /// The server has asked for it.
        var isAsked = false
    }

    /// How many lines may be marked without an outcome.
    let window: Int
    /// How many bytes the marked lines may have, however few they are; beyond it no more are read.
    private static let mostBytes = 16 << 20
    private let state: NIOLockedValueBox<State>
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

    /// Ends the waiting of the task that reads. The caller that cancels it reports why.
    func cancelReading() {
        wake { $0.isReadingCancelled = true }
    }

    private func wake(_ change: (inout State) -> Void = { _ in }) {
        let reader = state.withLockedValue { state in
            change(&state)
            return state.reader.take()
        }
        reader?.resume()
    }

    // MARK: Reading

    /// What the task that reads does next.
    enum Step {
        /// More lines may be read and marked.
        case read
        /// These lines have come back, and it is time to send them again.
        case sendAgain([PushNotification])
        /// Nothing is left to do.
        case end
    }

    /// Waits until there is something to do.
    ///
    /// - Parameters:
    ///   - count: How many lines are read at a time.
    ///   - isAtEnd: Whether the input has no more lines, so that only lines that come back are waited for.
    /// - Returns: ``Step/end`` also when no more are to be sent.
    func next(_ count: Int, isAtEnd: Bool) async -> Step {
        while true {
            if Task.isCancelled { return .end }
            let now = now
            let (step, due) = state.withLockedValue { state -> (Step?, MonotonicTime?) in
                if state.stop != nil || state.isReadingCancelled { return (.end, nil) }
                let again = Self.takeDue(&state, count, now)
                if !again.isEmpty { return (.sendAgain(again), nil) }
                if isAtEnd, state.outstanding == 0 { return (.end, nil) }
                if !isAtEnd, hasRoom(count, state) { return (.read, nil) }
                let first = state.returned.min { $0.due < $1.due }
                if let stop = state.outage.giveUp(now: now, asked: first.flatMap { $0.isAsked ? $0.due : nil }) {
                    state.stop = stop
                    return (.end, nil)
                }
                return (nil, Self.nextTime(state))
            }
            if let step { return step }
            await waitForChange(count, isAtEnd: isAtEnd, until: due)
        }
    }

    /// Waits for results, a stop or a time.
    private func waitForChange(_ count: Int, isAtEnd: Bool, until due: MonotonicTime?) async {
        let alarm = due.map { due in
            let wait = now.duration(to: due)
            return Task { [weak self] in
                try await Task.sleep(for: wait)
                self?.wake()
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = now
                let goesOn = state.withLockedValue { state in
                    let isDue = Self.nextTime(state).map { $0 <= now } ?? false
                    let isDone = isAtEnd ? state.outstanding == 0 : hasRoom(count, state)
                    if state.stop != nil || state.isReadingCancelled || isDue || isDone || Task.isCancelled {
                        return true
                    }
                    state.reader = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        alarm?.cancel()
    }

    private func hasRoom(_ count: Int, _ state: State) -> Bool {
        state.outstanding == 0
            || state.outstanding + count <= window && state.outstandingBytes < Self.mostBytes
    }

    /// When a line is to be sent again, or the campaign gives up.
    private static func nextTime(_ state: State) -> MonotonicTime? {
        (state.returned.map(\.due) + [state.outage.end].compactMap { $0 }).min()
    }

    /// Takes out lines whose time has come.
    private static func takeDue(_ state: inout State, _ most: Int, _ now: MonotonicTime) -> [PushNotification] {
        guard !state.returned.isEmpty else { return [] }
        var due: [PushNotification] = []
        state.returned.removeAll { line in
            guard due.count < most, line.due <= now else { return false }
            due.append(line.notification)
            return true
        }
        return due
    }

    // MARK: Lines on their way

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

    /// Lines that came back were marked again: they are outstanding already.
    func markedAgain(releasable: [Int]) {
        state.withLockedValue { $0.chunk = releasable.reversed() }
    }

    /// Whether a line may be handed on.
    enum Permission: Equatable {
        /// It is handed on.
        case granted
        /// Ask again at this time, or when results have come.
        case later(MonotonicTime)
        /// No more lines are handed on.
        case refused
    }

    /// How long a line waits at most before the permission is asked for again.
    private static let longestWait: Duration = .milliseconds(100)
    /// The same, while results of lines on their way are awaited.
    private static let resultsWait: Duration = .milliseconds(5)

    /// Asks whether a line may be handed on, and notes that it is.
    ///
    /// - Parameters:
    ///   - place: The line.
    ///   - isSent: Whether it is really sent: a line that is invalid, for example, is only reported.
    /// - Returns: Whether the line is handed on now.
    func give(_ place: Int, isSent: Bool = true) -> Permission {
        let now = now
        let permission = state.withLockedValue { state -> Permission in
            guard state.stop == nil else { return .refused }
            if isSent {
                switch state.outage.permission(now: now) {
                case .go: state.outage.sent(now: now)
                case .wait(let time): return .later(time)
                case .waitForResults: return .later(now.advanced(by: Self.resultsWait))
                case .giveUp(let stop):
                    state.stop = stop
                    return .refused
                }
            }
            if state.chunk.last == place { state.chunk.removeLast() }
            return .granted
        }
        return permission
    }

    /// Waits a little, at most until a time: a stop must not wait for it.
    func wait(until time: MonotonicTime) async {
        let wait = min(now.duration(to: time), Self.longestWait)
        try? await Task.sleep(for: max(wait, .milliseconds(1)))
    }

    // MARK: Results

    /// Lines that were sent have their results.
    ///
    /// - Returns: How many lines the server has answered so far.
    func concluded(_ signs: [OutageState.Sign]) -> Int {
        let now = now
        return state.withLockedValue { state in
            for sign in signs { state.outage.concluded(sign, now: now, chance: .random(in: 0...1)) }
            return state.outage.answers
        }
    }

    /// Lines have their outcomes, or were released.
    func concluded(_ count: Int, bytes: Int) {
        wake { state in
            state.outstanding -= count
            state.outstandingBytes -= bytes
        }
    }

    /// A line was not taken, and is to be sent again. It stays outstanding.
    ///
    /// - Returns: `false` when no more are sent.
    func takeBack(_ notification: PushNotification, after pause: Pause) -> Bool {
        let due = now.advanced(by: pause.time)
        var isTaken = false
        wake { state in
            guard state.stop == nil, !state.isReadingCancelled else { return }
            state.returned.append(ReturnedLine(notification: notification, due: due, isAsked: pause.isAsked))
            isTaken = true
        }
        return isTaken
    }

    /// The lines that were marked and never handed on.
    func leftovers() -> [Int] {
        state.withLockedValue { state in
            defer { state.chunk = [] }
            return state.chunk.reversed()
        }
    }

    /// The lines that came back and were not sent again.
    func returnedLines() -> [PushNotification] {
        state.withLockedValue { state in
            defer { state.returned = [] }
            return state.returned.map(\.notification)
        }
    }
}

/// A campaign sends nothing for now, because the server takes nothing from anybody.
public struct BatchPause: Sendable, Hashable {
    /// What happened to the last line that was tried.
    public let reason: String
    /// For how long the server has taken nothing.
    public let lasting: Duration
    /// When one line is tried again; zero when one is being tried.
    public let nextTry: Duration
}
