internal import DequeModule

/// The bounded queue of a client: first in, first out. Sends that come back from a connection go first.
///
/// A send within the limits is queued. Beyond them, its caller waits for space, in order. A send that comes back does
/// not count against the limits. It goes to the front at once, or rests until its time.
///
/// A send whose key is on the way waits outside of the queue, and does not count against the limits either: another send
/// can take its place. It is sent when that one ends or rests.
///
/// Withdrawing a send from the middle is O(1): it is marked and skipped later. Deadlines add no cost to a normal send:
/// only sends that come back, and sends that are still queued when the deadlines are checked, enter the table of
/// deadlines.
struct SendQueue {
    /// The maximum contents of the queue. When it is full, callers wait.
    struct Bound: Equatable {
        var count: Int
        var bytes: Int
    }

    let bound: Bound
    /// Sends that came back and are due. They go before all others.
    private var returned: Deque<PendingSend> = []
    private var queued: Deque<PendingSend> = []
    private var waiting: Deque<PendingSend> = []
    /// Sends that came back and are not due yet.
    private var resting = SendTimetable()
    private var limits = SendTimetable()
    /// The sends with a collapse id that have been taken, wait for another one, or rest.
    private var keys = OrderedKeys<CollapseKey, PendingSend>()
    /// The number of the last send with a collapse id.
    private var lastNumber = 0
    /// The sends that have left because a newer one with their key was taken. ``SendIntake`` fetches them.
    private var superseded: [PendingSend] = []
    /// Whether a send that waited for its key can be sent, since ``takeHasFreed()``.
    private var hasFreed = false
    /// The number of sends in `queued` that are not withdrawn, and their bytes.
    private(set) var count = 0
    private(set) var bytes = 0
    /// The number of callers that wait for space.
    private(set) var waitingCount = 0
    private(set) var returnedCount = 0
    private(set) var restingCount = 0
    /// The number of sends that wait for another one with their key.
    private(set) var heldCount = 0

    init(bound: Bound) {
        self.bound = bound
    }

    /// Whether nothing can be sent now. Some sends may rest.
    var isEmpty: Bool { count == 0 && waitingCount == 0 && returnedCount == 0 }
    private var total: Int { count + waitingCount + returnedCount + restingCount + heldCount }
    var holdsNothing: Bool { total == 0 }

    var reading: QueueFigures {
        let first = [
            returned.first { $0.stage == .returned }, queued.first { $0.stage == .queued },
            waiting.first { $0.stage == .waitingForRoom },
        ]
        return QueueFigures(
            queued: count + returnedCount, bytes: bytes, waiting: waitingCount, resting: restingCount + heldCount,
            oldest: first.compactMap { $0?.begun }.min())
    }

    // MARK: In

    /// Adds sends in their order. The array is empty afterwards and keeps its capacity.
    mutating func enqueue(_ sends: inout [PendingSend]) {
        sends.reverse()
        while let send = sends.popLast() { enqueue(send) }
    }

    /// Adds a send, or makes its caller wait.
    mutating func enqueue(_ send: consuming PendingSend) {
        if send.key != nil {
            lastNumber += 1
            send.number = lastNumber
        }
        if waitingCount == 0, hasRoom(for: send) {
            append(send)
        } else {
            send.stage = .waitingForRoom
            waiting.append(send)
            waitingCount += 1
        }
    }

    /// Whether there is space for a send. A send larger than the limit fits an empty queue, so that it does not wait
    /// forever.
    private func hasRoom(for send: PendingSend) -> Bool {
        count == 0 || (count < bound.count && bytes + send.byteCount <= bound.bytes)
    }

    private mutating func append(_ send: consuming PendingSend) {
        send.stage = .queued
        count += 1
        bytes += send.byteCount
        queued.append(send)
    }

    private mutating func letWaitingIn() {
        while let next = waiting.first {
            if next.stage == .waitingForRoom {
                guard hasRoom(for: next) else { return }
                waitingCount -= 1
                append(next)
            }
            waiting.removeFirst()
        }
    }

    // MARK: Back

    /// Takes back sends that a connection had. They are sent next, in this order.
    mutating func putBack(_ sends: [PendingSend]) {
        for send in sends {
            send.stage = .returned
            watchLimit(of: send)
        }
        returned.prepend(contentsOf: sends)
        returnedCount += sends.count
    }

    /// Takes back a send that may be sent again at a time, not before.
    mutating func putBack(_ send: PendingSend, at time: MonotonicTime) {
        send.stage = .resting
        watchLimit(of: send)
        resting.insert(send, at: time)
        restingCount += 1
        if let key = send.key { sendNext(keys.rest(send, send.number, key)) }
    }

    /// Moves resting sends that are due behind the others that came back.
    mutating func release(now: MonotonicTime) {
        while let send = resting.popFirst(upTo: now) {
            guard send.stage == .resting else { continue }
            restingCount -= 1
            send.stage = .returned
            returned.append(send)
            returnedCount += 1
        }
    }

    /// Returns when the next resting send is due.
    mutating func nextRelease() -> MonotonicTime? {
        resting.nextTime { $0.stage != .resting }
    }

    // MARK: Out

    /// Takes the oldest sends for a connection: at most `maximum`, and until their bodies reach `bodyBytes`. The last one
    /// may exceed it.
    ///
    /// - Returns: The sends that have left the queue, because a newer one with their key was taken.
    @discardableResult
    mutating func take(
        _ maximum: Int, bodyBytes: Int = .max, now: MonotonicTime = MonotonicTime(nanoseconds: 0),
        into taken: inout [PendingSend]
    ) -> [PendingSend] {
        var (left, bytesLeft) = (maximum, bodyBytes)
        while left > 0, bytesLeft > 0, let send = returned.popFirst() {
            guard send.stage == .returned else { continue }
            returnedCount -= 1
            if send.key != nil, !begins(send, now) { continue }
            send.stage = .onConnection
            left -= 1
            bytesLeft -= send.body.count
            taken.append(send)
        }
        while left > 0, bytesLeft > 0, let send = queued.popFirst() {
            if send.stage == .queued {
                count -= 1
                bytes -= send.byteCount
                if send.key == nil || begins(send, now) {
                    send.stage = .onConnection
                    left -= 1
                    bytesLeft -= send.body.count
                    taken.append(send)
                }
            }
            if queued.isEmpty { letWaitingIn() }
        }
        letWaitingIn()
        forgetLimits()
        guard !superseded.isEmpty else { return [] }
        forgetWithdrawn()
        defer { superseded = [] }
        return superseded
    }

    // MARK: Keys

    /// Whether a send with a key may be sent now. Otherwise it waits for its key, or is superseded.
    private mutating func begins(_ send: PendingSend, _ now: MonotonicTime) -> Bool {
        guard let key = send.key else { return true }
        // A send that is too late ends without a request, so it replaces nothing.
        switch keys.begin(send, send.number, key, isStarted: send.limit > now) {
        case .go(let older):
            for send in older where leave(send) { superseded.append(send) }
            return true
        case .wait:
            send.stage = .waitingForKey
            heldCount += 1
            watchLimit(of: send)
        case .superseded:
            send.stage = .ended
            superseded.append(send)
        }
        return false
    }

    /// Records that a send that a connection had has its outcome.
    mutating func ended(_ send: PendingSend) {
        if let key = send.key { sendNext(keys.end(send.number, key)) }
    }

    /// The key of a send is free, and it is the first that has waited for it.
    private mutating func sendNext(_ send: PendingSend?) {
        guard let send, send.stage == .waitingForKey else { return }
        heldCount -= 1
        send.stage = .returned
        returned.append(send)
        returnedCount += 1
        hasFreed = true
    }

    /// Whether a send that waited for its key can be sent, since the last call.
    mutating func takeHasFreed() -> Bool {
        defer { hasFreed = false }
        return hasFreed
    }

    // MARK: Leaving

    /// Takes one send out, wherever it is.
    ///
    /// - Returns: `false` if it is not in the queue.
    mutating func withdraw(_ send: PendingSend) -> Bool {
        guard leave(send) else { return false }
        ended(send)
        forgetWithdrawn()
        letWaitingIn()
        return true
    }

    private mutating func leave(_ send: PendingSend) -> Bool {
        switch send.stage {
        case .queued:
            count -= 1
            bytes -= send.byteCount
        case .waitingForRoom: waitingCount -= 1
        case .returned: returnedCount -= 1
        case .resting: restingCount -= 1
        case .waitingForKey: heldCount -= 1
        case .new, .inInbox, .onConnection, .ended: return false
        }
        send.stage = .ended
        return true
    }

    mutating func withdrawAll() -> [PendingSend] {
        var all: [PendingSend] = []
        for send in returned where send.stage == .returned { all.append(send) }
        while let send = resting.popFirst() { if send.stage == .resting { all.append(send) } }
        for send in queued where send.stage == .queued { all.append(send) }
        for send in waiting where send.stage == .waitingForRoom { all.append(send) }
        all += keys.waiting
        for send in all { send.stage = .ended }
        // The last one first: removing the first of many costs more.
        for send in all.reversed() { ended(send) }
        // Sends on connections may come back.
        limits.removeAll { send in
            send.isWatched = false
            return true
        }
        var empty = SendQueue(bound: bound)
        (empty.keys, empty.lastNumber) = (keys, lastNumber)
        self = empty
        return all
    }

    /// Takes out the sends that a predicate selects. Sends that rest stay: they are few, and are handled later.
    mutating func withdrawAll(where isSelected: (PendingSend) -> Bool) -> [PendingSend] {
        let selected =
            returned.filter { $0.stage == .returned && isSelected($0) }
            + queued.filter { $0.stage == .queued && isSelected($0) }
            + waiting.filter { $0.stage == .waitingForRoom && isSelected($0) } + keys.waiting.filter(isSelected)
        return selected.filter { withdraw($0) }
    }

    /// Removes withdrawn sends before they outnumber the others, so that memory is bounded.
    private mutating func forgetWithdrawn() {
        if returned.count > Self.maximum(returnedCount) { returned.removeAll { $0.stage != .returned } }
        if queued.count > Self.maximum(count) { queued.removeAll { $0.stage != .queued } }
        if waiting.count > Self.maximum(waitingCount) { waiting.removeAll { $0.stage != .waitingForRoom } }
        if resting.count > Self.maximum(restingCount) { resting.removeAll { $0.stage != .resting } }
        forgetLimits()
    }

    private static func maximum(_ count: Int) -> Int { 2 * count + 64 }
}

// MARK: - Limits

extension SendQueue {
    /// Takes out the sends whose deadline or expiration has passed.
    mutating func withdrawLate(now: MonotonicTime) -> [(send: PendingSend, hadRoom: Bool, hadKey: Bool)] {
        watchNewLimits()
        var late: [(send: PendingSend, hadRoom: Bool, hadKey: Bool)] = []
        while let send = limits.popFirst(upTo: now) {
            send.isWatched = false
            guard send.stage.isInQueue else { continue }
            late.append((send, send.stage != .waitingForRoom, send.stage != .waitingForKey))
        }
        for entry in late { _ = withdraw(entry.send) }
        return late
    }

    /// Returns the earliest deadline or expiration; `nil` if there is none.
    mutating func nextLimit() -> MonotonicTime? {
        watchNewLimits()
        return limits.nextTime(passingOver: Self.hasNoLimitHere)
    }

    private static func hasNoLimitHere(_ send: PendingSend) -> Bool {
        if send.stage.isInQueue { return false }
        send.isWatched = false
        return true
    }

    /// Watches the limits of new sends. They are at the end, so each send is visited once.
    private mutating func watchNewLimits() {
        for send in waiting.reversed() {
            if send.isWatched { break }
            watchLimit(of: send)
        }
        for send in queued.reversed() {
            if send.isWatched { break }
            watchLimit(of: send)
        }
    }

    private mutating func watchLimit(of send: PendingSend) {
        guard !send.isWatched else { return }
        // A send that has left is skipped from now on.
        send.isWatched = true
        if send.limit < .never, send.stage != .ended { limits.insert(send, at: send.limit) }
    }

    private mutating func forgetLimits() {
        guard limits.count > Self.maximum(total) else { return }
        limits.removeAll(where: Self.hasNoLimitHere)
    }
}
