internal import DequeModule

/// The bounded queue of a client: first come, first sent; what comes back from a connection goes before.
///
/// Within the bound a send is queued; beyond it the caller waits for room, in order. What comes back was in before: it does
/// not count against the bound. It is at the front at once, or rests until its time.
///
/// Taking a send out of the middle is O(1): it is marked and passed over later. Deadlines cost nothing on the way: only
/// what comes back, and what is still here when they are looked at, enters the table of them.
struct SendQueue {
    /// How much is queued before callers have to wait.
    struct Bound: Equatable {
        var count: Int
        var bytes: Int
    }

    let bound: Bound
    /// Come back and due: before all others.
    private var returned: Deque<PendingSend> = []
    private var queued: Deque<PendingSend> = []
    private var waiting: Deque<PendingSend> = []
    /// Come back and not due yet.
    private var resting = SendTimetable()
    private var limits = SendTimetable()
    /// How many of `queued` are still to be sent, and their bytes.
    private(set) var count = 0
    private(set) var bytes = 0
    /// How many callers wait for room.
    private(set) var waitingCount = 0
    private(set) var returnedCount = 0
    private(set) var restingCount = 0

    init(bound: Bound) {
        self.bound = bound
    }

    /// Nothing can be sent now; some may rest.
    var isEmpty: Bool { count == 0 && waitingCount == 0 && returnedCount == 0 }
    /// How many are here, wherever.
    private var total: Int { count + waitingCount + returnedCount + restingCount }
    var holdsNothing: Bool { total == 0 }

    /// What is here at a moment.
    var reading: QueueFigures {
        let first = [
            returned.first { $0.stage == .returned }, queued.first { $0.stage == .queued },
            waiting.first { $0.stage == .waitingForRoom },
        ]
        return QueueFigures(
            queued: count + returnedCount, bytes: bytes, waiting: waitingCount, resting: restingCount,
            oldest: first.compactMap { $0?.begun }.min())
    }

    // MARK: In

    /// Takes sends in, in their order, and leaves nothing behind but the room they had.
    mutating func enqueue(_ sends: inout [PendingSend]) {
        sends.reverse()
        while let send = sends.popLast() { enqueue(send) }
    }

    /// Takes a send in, or lets its caller wait.
    mutating func enqueue(_ send: consuming PendingSend) {
        if waitingCount == 0, hasRoom(for: send) {
            append(send)
        } else {
            send.stage = .waitingForRoom
            waiting.append(send)
            waitingCount += 1
        }
    }

    /// A send larger than the whole bound fits an empty queue: it must not wait for ever.
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

    /// Takes sends back that a connection had: they are the next to be sent, in this order.
    mutating func putBack(_ sends: [PendingSend]) {
        for send in sends {
            send.stage = .returned
            watchLimit(of: send)
        }
        returned.prepend(contentsOf: sends)
        returnedCount += sends.count
    }

    /// Takes a send back that is to be sent again at a time, not before.
    mutating func putBack(_ send: PendingSend, at time: MonotonicTime) {
        send.stage = .resting
        watchLimit(of: send)
        resting.insert(send, at: time)
        restingCount += 1
    }

    /// Those whose time has come can be sent, after others that have come back.
    mutating func release(now: MonotonicTime) {
        while let send = resting.popFirst(upTo: now) {
            guard send.stage == .resting else { continue }
            restingCount -= 1
            send.stage = .returned
            returned.append(send)
            returnedCount += 1
        }
    }

    /// When to look for the next of those that rest.
    mutating func nextRelease() -> MonotonicTime? {
        resting.nextTime { $0.stage != .resting }
    }

    // MARK: Out

    /// Takes the oldest sends for a connection, at most `most`, until their bodies are so many bytes: the last one may go
    /// beyond.
    mutating func take(_ most: Int, bodyBytes: Int = .max, into taken: inout [PendingSend]) {
        var (left, bytesLeft) = (most, bodyBytes)
        while left > 0, bytesLeft > 0, let send = returned.popFirst() {
            guard send.stage == .returned else { continue }
            returnedCount -= 1
            send.stage = .onConnection
            left -= 1
            bytesLeft -= send.body.count
            taken.append(send)
        }
        while left > 0, bytesLeft > 0, let send = queued.popFirst() {
            if send.stage == .queued {
                send.stage = .onConnection
                count -= 1
                bytes -= send.byteCount
                left -= 1
                bytesLeft -= send.body.count
                taken.append(send)
            }
            if queued.isEmpty { letWaitingIn() }
        }
        letWaitingIn()
        forgetLimits()
    }

    /// Takes one send out, wherever it stands.
    ///
    /// - Returns: `false` when it is not here.
    mutating func withdraw(_ send: PendingSend) -> Bool {
        switch send.stage {
        case .queued:
            count -= 1
            bytes -= send.byteCount
        case .waitingForRoom: waitingCount -= 1
        case .returned: returnedCount -= 1
        case .resting: restingCount -= 1
        case .new, .handedIn, .onConnection, .ended: return false
        }
        send.stage = .ended
        forgetWithdrawn()
        letWaitingIn()
        return true
    }

    /// Takes everything out.
    mutating func withdrawAll() -> [PendingSend] {
        var all: [PendingSend] = []
        for send in returned where send.stage == .returned { all.append(send) }
        while let send = resting.popFirst() { if send.stage == .resting { all.append(send) } }
        for send in queued where send.stage == .queued { all.append(send) }
        for send in waiting where send.stage == .waitingForRoom { all.append(send) }
        for send in all { send.stage = .ended }
        // Those that connections have may come back.
        limits.removeAll { send in
            send.isWatched = false
            return true
        }
        self = SendQueue(bound: bound)
        return all
    }

    /// Takes out what a predicate selects. Sends that wait for a later retry stay: they are few, and have their turn.
    mutating func withdrawAll(where isSelected: (PendingSend) -> Bool) -> [PendingSend] {
        let selected =
            returned.filter { $0.stage == .returned && isSelected($0) }
            + queued.filter { $0.stage == .queued && isSelected($0) }
            + waiting.filter { $0.stage == .waitingForRoom && isSelected($0) }
        return selected.filter { withdraw($0) }
    }

    /// Keeps what was withdrawn from outnumbering what is left, so that memory stays within the bound.
    private mutating func forgetWithdrawn() {
        if returned.count > Self.most(returnedCount) { returned.removeAll { $0.stage != .returned } }
        if queued.count > Self.most(count) { queued.removeAll { $0.stage != .queued } }
        if waiting.count > Self.most(waitingCount) { waiting.removeAll { $0.stage != .waitingForRoom } }
        if resting.count > Self.most(restingCount) { resting.removeAll { $0.stage != .resting } }
        forgetLimits()
    }

    private static func most(_ count: Int) -> Int { 2 * count + 64 }
}

// MARK: - Limits

extension SendQueue {
    /// Takes out whose deadline or expiration has come.
    mutating func withdrawExpired(now: MonotonicTime) -> [(send: PendingSend, hadRoom: Bool)] {
        watchNewLimits()
        var expired: [(send: PendingSend, hadRoom: Bool)] = []
        while let send = limits.popFirst(upTo: now) {
            send.isWatched = false
            if send.stage.isInQueue { expired.append((send, send.stage != .waitingForRoom)) }
        }
        for entry in expired { _ = withdraw(entry.send) }
        return expired
    }

    /// When to look for the earliest deadline or expiration, `nil` when there is none.
    mutating func nextLimit() -> MonotonicTime? {
        watchNewLimits()
        return limits.nextTime(passingOver: Self.hasNoLimitHere)
    }

    private static func hasNoLimitHere(_ send: PendingSend) -> Bool {
        if send.stage.isInQueue { return false }
        send.isWatched = false
        return true
    }

    /// What has come since the last time stands at the end: each send is looked at once.
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
        // One that has left is passed over from now on.
        send.isWatched = true
        if send.limit < .never, send.stage != .ended { limits.insert(send, at: send.limit) }
    }

    private mutating func forgetLimits() {
        guard limits.count > Self.most(total) else { return }
        limits.removeAll(where: Self.hasNoLimitHere)
    }
}
