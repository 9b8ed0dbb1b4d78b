internal import PushProvider
internal import PushQueue
internal import PushTime

/// The events of a webhook that are being posted or will be posted again. A pure value; time is an argument.
///
/// Events are posted at least once. An event that fails is parked, so that the next events are posted. The stored position has the
/// cursor and the parked events. After a kill, the service posts the events beyond the cursor and the parked events again, with
/// the same ids.
struct WebhookWindow {
    enum Phase: Equatable {
        /// It is posted when it is due. Next: posting.
        case waiting
        /// It is being posted. Next: done, or waiting again.
        case posting
        /// It was posted, given up, or parked.
        case done
    }

    struct Event: Equatable {
        let cursor: QueueResultCursor
        var phase = Phase.waiting
        var due: QueueTime
        var failures = 0
        /// When it was posted for the first time.
        var first: QueueTime?
    }

    /// The maximum number of events beyond the cursor. More are read when the oldest are done or parked.
    static let maximum = 1000
    /// The maximum number of parked events. If more fail, they block the cursor until a parked one is done. A position with this
    /// number of events takes about 50 kB.
    static let maximumParked = 1000
    private static let pauses = ExponentialBackoff(first: .seconds(5), longest: .seconds(3600))
    /// After this number of failures in a row, one event at a time is posted, and the receiver rests between two of them.
    private static let patience = 5
    private static let rests = ExponentialBackoff(first: .seconds(1), longest: .seconds(10))

    private let giveUpAfter: Duration
    /// The events beyond the cursor, in their order. An event that is done is removed when all events before it are done.
    private(set) var events: [Event] = []
    /// The events that have failed and do not block the cursor.
    private(set) var parked: [Event]
    /// Events up to here have been read.
    private(set) var readTo: QueueResultCursor
    private var consecutiveFailures = 0
    private var restsUntil = QueueTime.earliest

    init(_ position: WebhookPosition, giveUpAfter: Duration) {
        (readTo, self.giveUpAfter) = (position.cursor, giveUpAfter)
        parked = position.parked.map {
            Event(cursor: $0.cursor, due: $0.due, failures: $0.failures, first: $0.first)
        }
    }

    /// Events up to here are done or parked.
    var cursor: QueueResultCursor {
        events.first.map { QueueResultCursor(number: $0.cursor.number - 1) } ?? readTo
    }

    var position: WebhookPosition {
        WebhookPosition(
            cursor,
            parked: parked.map {
                .init(cursor: $0.cursor, failures: $0.failures, first: $0.first ?? $0.due, due: $0.due)
            })
    }

    var room: Int { Self.maximum - events.count }

    /// Whether failing events delay the others, because too many have failed.
    var isFull: Bool { parked.count >= Self.maximumParked }

    /// Whether something has failed that a retry can hurry.
    var hasFailures: Bool { consecutiveFailures > 0 || !parked.isEmpty }

    // MARK: Reading

    /// An event that is not wanted, or is parked already, takes no room.
    mutating func add(_ cursor: QueueResultCursor, isWanted: Bool, now: QueueTime) {
        hasRead(to: cursor)
        guard isWanted, !parked.contains(where: { $0.cursor == cursor }) else { return }
        events.append(Event(cursor: cursor, due: now))
    }

    /// Notes that all events up to a cursor have been added.
    mutating func hasRead(to next: QueueResultCursor) { readTo = max(readTo, next) }

    // MARK: Posting

    /// The events to post now, which are then being posted.
    mutating func take(upTo atOnce: Int, now: QueueTime) -> [QueueResultCursor] {
        let busy = (new: events.count { $0.phase == .posting }, parked: parked.count { $0.phase == .posting })
        if consecutiveFailures >= Self.patience {
            guard busy == (0, 0), now >= restsUntil else { return [] }
            // New events come first, because parked ones may never succeed.
            let new = Self.take(1, from: &events, now: now)
            return new.isEmpty ? Self.take(1, from: &parked, now: now) : new
        }
        let free = atOnce - busy.new - busy.parked
        // Parked events get at most half of the requests, so that slow ones do not delay the others.
        let again = Self.take(min(free, max(atOnce / 2, 1) - busy.parked), from: &parked, now: now)
        return again + Self.take(free - again.count, from: &events, now: now)
    }

    /// Takes those that have failed least.
    private static func take(_ count: Int, from events: inout [Event], now: QueueTime) -> [QueueResultCursor] {
        guard count > 0 else { return [] }
        let due = events.indices.filter { events[$0].phase == .waiting && events[$0].due <= now }
        let chosen = due.sorted { (events[$0].failures, $0) < (events[$1].failures, $1) }.prefix(count)
        for index in chosen {
            events[index].phase = .posting
            events[index].first = events[index].first ?? now
        }
        return chosen.map { events[$0].cursor }
    }

    /// `nil` if no event waits.
    var nextDue: QueueTime? {
        let due = (events + parked).lazy.filter { $0.phase == .waiting }.map(\.due).min()
        return due.map { consecutiveFailures >= Self.patience ? max($0, restsUntil) : $0 }
    }

    // MARK: Answers

    mutating func succeeded(_ cursor: QueueResultCursor) {
        consecutiveFailures = 0
        finish(cursor)
    }

    /// Notes a failure after which the event is posted again.
    ///
    /// - Parameters:
    ///   - cursor: The event.
    ///   - now: The time.
    ///   - asked: The pause that the receiver asks for, however long; `nil` if it does not.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: Whether the event is given up.
    mutating func failed(_ cursor: QueueResultCursor, now: QueueTime, asked: Duration? = nil, chance: Double) -> Bool {
        rest(now, chance)
        var isOver = false
        change(cursor) { [giveUpAfter] event in
            event.failures += 1
            isOver = now - (event.first ?? now) >= giveUpAfter
            let pause = Self.pauses.pause(after: event.failures - 1, chance: chance)
            event.due = now + max(pause, asked ?? .zero)
            event.phase = .waiting
        }
        if isOver { finish(cursor) } else { park() }
        return isOver
    }

    /// Gives up an event that the receiver will never accept.
    mutating func refused(_ cursor: QueueResultCursor, now: QueueTime, chance: Double) {
        rest(now, chance)
        finish(cursor)
    }

    /// Notes that the event could not be posted, for a reason that has nothing to do with the receiver.
    mutating func postponed(_ cursor: QueueResultCursor, now: QueueTime) {
        change(cursor) { ($0.phase, $0.due) = (.waiting, now + Self.pauses.first) }
    }

    /// An operator asks to post again what has failed: its pauses end, and so does the rest of the receiver.
    mutating func retryNow(_ now: QueueTime) {
        (consecutiveFailures, restsUntil) = (0, .earliest)
        for index in parked.indices where parked[index].phase == .waiting { parked[index].due = now }
        // If too many have failed, some are not parked.
        for index in events.indices where events[index].failures > 0 && events[index].phase == .waiting {
            events[index].due = now
        }
    }

    /// Notes that there is nothing left to post.
    mutating func vanished(_ cursor: QueueResultCursor) { finish(cursor) }

    private mutating func rest(_ now: QueueTime, _ chance: Double) {
        consecutiveFailures += 1
        guard consecutiveFailures >= Self.patience else { return }
        restsUntil = now + Self.rests.pause(after: consecutiveFailures - Self.patience, chance: chance)
    }

    private mutating func finish(_ cursor: QueueResultCursor) {
        if let index = parked.firstIndex(where: { $0.cursor == cursor }) {
            parked.remove(at: index)
        } else {
            change(cursor) { $0.phase = .done }
        }
        park()
    }

    private mutating func change(_ cursor: QueueResultCursor, _ body: (inout Event) -> Void) {
        if let index = parked.firstIndex(where: { $0.cursor == cursor }) {
            body(&parked[index])
        } else if let index = events.firstIndex(where: { $0.cursor == cursor }) {
            body(&events[index])
        }
    }

    /// Moves the cursor past the first events that are done or have failed.
    private mutating func park() {
        for index in events.indices where events[index].failures > 0 && events[index].phase == .waiting {
            if isFull { break }
            parked.append(events[index])
            events[index].phase = .done
        }
        events.removeFirst(events.prefix { $0.phase == .done }.count)
    }
}
