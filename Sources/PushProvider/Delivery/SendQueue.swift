internal import DequeModule

/// The bounded queue of a client: first come, first sent.
///
/// Within the bound a send is queued; beyond it the caller waits for room, in order. Taking a send out of the middle is
/// O(1): it is marked and passed over later.
struct SendQueue {
    /// How much is queued before callers have to wait.
    struct Bound: Equatable {
        var count: Int
        var bytes: Int
    }

    let bound: Bound
    private var queued: Deque<PendingSend> = []
    private var waiting: Deque<PendingSend> = []
    /// How many of `queued` are still to be sent, and their bytes.
    private(set) var count = 0
    private(set) var bytes = 0
    /// How many callers wait for room.
    private(set) var waitingCount = 0

    init(bound: Bound) {
        self.bound = bound
    }

    var isEmpty: Bool { count == 0 && waitingCount == 0 }

    // MARK: In

    /// Takes a send in, or lets its caller wait.
    mutating func enqueue(_ send: PendingSend) {
        if waitingCount == 0, hasRoom(for: send) {
            append(send)
        } else {
            send.place = .waitingForRoom
            waiting.append(send)
            waitingCount += 1
        }
    }

    /// A send larger than the whole bound fits an empty queue: it must not wait for ever.
    private func hasRoom(for send: PendingSend) -> Bool {
        count == 0 || (count < bound.count && bytes + send.byteCount <= bound.bytes)
    }

    private mutating func append(_ send: PendingSend) {
        send.place = .queued
        queued.append(send)
        count += 1
        bytes += send.byteCount
    }

    private mutating func letWaitingIn() {
        while let next = waiting.first {
            if next.place == .waitingForRoom {
                guard hasRoom(for: next) else { return }
                waitingCount -= 1
                append(next)
            }
            waiting.removeFirst()
        }
    }

    // MARK: Out

    /// Takes the oldest sends for a connection, at most `most`.
    mutating func take(_ most: Int, into taken: inout [PendingSend]) {
        var left = most
        while left > 0, let send = queued.popFirst() {
            if send.place == .queued {
                send.place = .onConnection
                count -= 1
                bytes -= send.byteCount
                taken.append(send)
                left -= 1
            }
            if queued.isEmpty { letWaitingIn() }
        }
        letWaitingIn()
    }

    /// Takes one send out, wherever it stands.
    ///
    /// - Returns: `false` when it is not here.
    mutating func withdraw(_ send: PendingSend) -> Bool {
        switch send.place {
        case .queued:
            count -= 1
            bytes -= send.byteCount
        case .waitingForRoom: waitingCount -= 1
        case .new, .handedIn, .onConnection, .ended: return false
        }
        send.place = .ended
        forgetWithdrawn()
        letWaitingIn()
        return true
    }

    /// Takes everything out.
    mutating func withdrawAll() -> [PendingSend] {
        var all: [PendingSend] = []
        for send in queued where send.place == .queued { all.append(send) }
        for send in waiting where send.place == .waitingForRoom { all.append(send) }
        for send in all { send.place = .ended }
        queued = []
        waiting = []
        (count, bytes, waitingCount) = (0, 0, 0)
        return all
    }

    /// Takes out whose deadline has come.
    mutating func withdrawExpired(now: MonotonicTime) -> [(send: PendingSend, hadRoom: Bool)] {
        var expired: [(send: PendingSend, hadRoom: Bool)] = []
        for send in queued where send.place == .queued && send.deadline <= now { expired.append((send, true)) }
        for send in waiting where send.place == .waitingForRoom && send.deadline <= now {
            expired.append((send, false))
        }
        for entry in expired { _ = withdraw(entry.send) }
        return expired
    }

    /// The earliest deadline of all, `nil` when there is none.
    var nextDeadline: MonotonicTime? {
        let first = queued.lazy.filter { $0.place == .queued }.map(\.deadline).min()
        let second = waiting.lazy.filter { $0.place == .waitingForRoom }.map(\.deadline).min()
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    /// Keeps what was withdrawn from outnumbering what is left, so that memory stays within the bound.
    private mutating func forgetWithdrawn() {
        let slack = 64
        if queued.count > 2 * count + slack { queued.removeAll { $0.place != .queued } }
        if waiting.count > 2 * waitingCount + slack { waiting.removeAll { $0.place != .waitingForRoom } }
    }
}
