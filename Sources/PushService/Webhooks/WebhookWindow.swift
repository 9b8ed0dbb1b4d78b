internal import PushQueue

/// The events of a webhook that are being posted or will be posted again. A pure value; time is an argument.
///
/// Events are posted at least once. The stored cursor passes an event when it and all before it are done, so that a service that
/// was killed posts the others again, with the same id.
struct WebhookWindow {
    /// What an event waits for.
    enum Phase: Equatable {
        /// It can be posted at a time. Next: posting.
        case due(QueueTime)
        /// It is being posted. Next: done, or due again.
        case posting
        /// It was posted, given up, or not asked for.
        case done
    }

    struct Event: Equatable {
        let cursor: ResultCursor
        var phase: Phase
        var failures = 0
        /// When it was posted for the first time.
        var first: QueueTime?
    }

    /// The maximum number of events beyond the stored cursor. More are read when the oldest are done.
    static let most = 1000
    private static let firstPause: Duration = .seconds(5)
    private static let longestPause: Duration = .seconds(3600)

    private let giveUpAfter: Duration
    private(set) var events: [Event] = []
    /// Events up to here are done.
    private(set) var cursor: ResultCursor
    /// Events up to here have been read.
    private(set) var readFrom: ResultCursor
    /// The receiver failed for the last events in a row: one event at a time is tried until one succeeds.
    private(set) var consecutiveFailures = 0

    init(after cursor: ResultCursor, giveUpAfter: Duration) {
        (self.cursor, readFrom, self.giveUpAfter) = (cursor, cursor, giveUpAfter)
    }

    /// How many more events may be added.
    var room: Int { Self.most - events.count }

    /// Adds an event that was read. One that is not asked for is done at once.
    mutating func add(_ cursor: ResultCursor, isWanted: Bool, now: QueueTime) {
        events.append(Event(cursor: cursor, phase: isWanted ? .due(now) : .done))
        readFrom = max(readFrom, cursor)
        advance()
    }

    /// Notes that all events up to a cursor have been added.
    mutating func hasRead(to next: ResultCursor) {
        readFrom = max(readFrom, next)
        advance()
    }

    /// The events to post now, which are then being posted.
    mutating func take(upTo atOnce: Int, now: QueueTime) -> [ResultCursor] {
        let allowed = (consecutiveFailures >= 5 ? 1 : atOnce) - events.count { $0.phase == .posting }
        guard allowed > 0 else { return [] }
        var taken: [ResultCursor] = []
        for index in events.indices {
            guard taken.count < allowed else { break }
            guard case .due(let time) = events[index].phase, time <= now else { continue }
            events[index].phase = .posting
            events[index].first = events[index].first ?? now
            taken.append(events[index].cursor)
        }
        return taken
    }

    /// When the next event is due; `nil` if none waits.
    var nextDue: QueueTime? {
        events.compactMap { event in
            if case .due(let time) = event.phase { time } else { nil }
        }.min()
    }

    mutating func succeeded(_ cursor: ResultCursor) {
        consecutiveFailures = 0
        finish(cursor)
    }

    /// Notes a failure.
    ///
    /// - Parameters:
    ///   - cursor: The event.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: Whether the event is given up.
    mutating func failed(_ cursor: ResultCursor, now: QueueTime, asked: Duration? = nil, chance: Double) -> Bool {
        guard let index = events.firstIndex(where: { $0.cursor == cursor }) else { return false }
        consecutiveFailures += 1
        events[index].failures += 1
        if let first = events[index].first, now - first >= giveUpAfter {
            finish(cursor)
            return true
        }
        let doubled = Self.firstPause * (1 << min(events[index].failures - 1, 12))
        let pause = min(doubled, Self.longestPause) * (0.5 + chance / 2)
        events[index].phase = .due(now + max(pause, min(asked ?? .zero, Self.longestPause)))
        return false
    }

    private mutating func finish(_ cursor: ResultCursor) {
        guard let index = events.firstIndex(where: { $0.cursor == cursor }) else { return }
        events[index].phase = .done
        advance()
    }

    private mutating func advance() {
        let done = events.prefix { $0.phase == .done }
        if let last = done.last { cursor = last.cursor }
        events.removeFirst(done.count)
        if events.isEmpty { cursor = max(cursor, readFrom) }
    }
}
