internal import HeapModule

/// Sends by a time of theirs, the earliest first.
///
/// A send that has gone elsewhere may stay in here: whoever asks says which ones are still meant, and the others are
/// passed over when they come up, or let go together before they outnumber those that are meant.
struct SendTimetable {
    private struct Entry: Comparable {
        var time: MonotonicTime
        var send: PendingSend

        static func == (left: Entry, right: Entry) -> Bool { left.time == right.time }
        static func < (left: Entry, right: Entry) -> Bool { left.time < right.time }
    }

    private var entries = Heap<Entry>()

    var count: Int { entries.count }

    mutating func insert(_ send: PendingSend, at time: MonotonicTime) {
        entries.insert(Entry(time: time, send: send))
    }

    /// The earliest send and its time.
    var first: (time: MonotonicTime, send: PendingSend)? {
        entries.min.map { ($0.time, $0.send) }
    }

    /// Takes the earliest send out, if its time has come.
    mutating func popFirst(upTo now: MonotonicTime = .never) -> PendingSend? {
        guard let first = entries.min, first.time <= now else { return nil }
        return entries.removeMin().send
    }

    /// Lets go those for which the answer is yes.
    mutating func removeAll(where isOver: (PendingSend) -> Bool) {
        entries = Heap(entries.unordered.filter { !isOver($0.send) })
    }
}
