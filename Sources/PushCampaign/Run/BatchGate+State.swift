internal import PushProvider

/// The lines that the gate knows: those that are marked, that wait for their time, and that wait for a line that they replace.
extension BatchGate {
    struct State {
        /// The number of lines that are marked in the journal and have no outcome.
        var outstanding = 0
        var outstandingBytes = 0
        /// Lines that are marked but not yet released, in reverse order: the next line is last.
        var chunk: [Int] = []
        /// Lines to send again, each at its time.
        var returned: [ReturnedLine] = []
        /// Lines that wait for one that they replace, by their indexes. They have no time: there can be a whole window of them.
        var kept: [Int: ReturnedLine] = [:]
        /// The lines with a collapse id that are on the way, wait for such a line, or will be sent again.
        var keys = OrderedKeys<CollapseKey, Int>()
        var outage: OutageState
        var stop: BatchStop?
        /// Whether the reading task must end.
        var isReadingCancelled = false
        var position = InputPosition()
        /// Lines that were superseded while the reading task had them.
        var superseded: Set<Int> = []
    }

    /// A line that the server did not accept for a temporary reason, or that waits for a line that it replaces.
    struct ReturnedLine: Sendable {
        let index: Int?
        var notification: PushNotification
        /// When it may be sent; never while it waits for another line.
        var due: MonotonicTime
        /// Whether the server asked for this time.
        var isAsked = false
        /// Whether it was not sent at all, and the journal may not know that.
        var isUnsent = false
        /// Whether the journal must be told that it was not sent. A line that an earlier run may have sent stays marked.
        var isLeftover: Bool { isUnsent && notification.row?.wasMarked != true }

        init(_ notification: PushNotification, due: MonotonicTime, isAsked: Bool = false, isUnsent: Bool = false) {
            index = notification.row?.index
            (self.notification, self.due, self.isAsked, self.isUnsent) = (notification, due, isAsked, isUnsent)
        }
    }
}

extension BatchGate.State {
    /// Returns why a line with a collapse id must not be sent now; `nil` if it may be.
    mutating func holdBack(
        _ index: Int, _ key: CollapseKey, _ line: () -> PushNotification?
    ) -> BatchGate.LinePermission? {
        if superseded.remove(index) != nil { return .superseded }
        // The line supersedes nothing until the client has handed it to a connection.
        switch keys.begin(index, index, key, isStarted: false) {
        case .go: return nil
        case .superseded: return .superseded
        case .wait:
            if let line = line() { kept[index] = BatchGate.ReturnedLine(line, due: .never, isUnsent: true) }
            if chunk.last == index { chunk.removeLast() }
            return .kept
        }
    }

    /// A line with a collapse id is no longer on the way: the lines that it supersedes are only reported, and the next one
    /// may be sent.
    mutating func leave(_ line: BatchGate.KeyedLine, rests: Bool, _ now: MonotonicTime) {
        if line.wasStarted {
            for older in keys.started(line.index, line.key) {
                let isHere = release(older, now) { $0.row = $0.row?.superseded }
                // The reading task has it already, and asks for permission.
                if !isHere { superseded.insert(older) }
            }
        }
        let next = rests ? keys.rest(line.index, line.index, line.key) : keys.end(line.index, line.key)
        if let next { release(next, now) }
    }

    /// A line that waits may leave the gate now. Returns whether the gate has it.
    @discardableResult
    private mutating func release(
        _ index: Int, _ now: MonotonicTime, _ change: (inout PushNotification) -> Void = { _ in }
    ) -> Bool {
        if let line = kept.removeValue(forKey: index) { returned.append(line) }
        guard let place = returned.lastIndex(where: { $0.index == index }) else { return false }
        returned[place].due = now
        change(&returned[place].notification)
        return true
    }
}
