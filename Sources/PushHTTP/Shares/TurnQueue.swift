/// Who may do heavy work now, and who waits. Holders take turns: one that asks for much waits behind its own requests, not
/// others behind them.
package struct TurnQueue: Sendable, Equatable {
    private var running: SharedLimit
    /// The waiting numbers of each holder, in the order in which they came.
    private var waiting: [SharedLimit.Holder: [Int]] = [:]
    /// The holders that wait. The first one is next.
    private var order: [SharedLimit.Holder] = []

    /// Creates a queue for a number of workers, of which one holder gets half.
    package init(_ maximum: Int) {
        running = SharedLimit(maximum)
    }

    package var runningCount: Int { running.used }
    package var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Asks for a turn. Returns whether it begins at once; otherwise it waits.
    package mutating func ask(_ number: Int, for holder: SharedLimit.Holder) -> Bool {
        if running.take(1, for: holder) == nil { return true }
        if waiting[holder] == nil { order.append(holder) }
        waiting[holder, default: []].append(number)
        return false
    }

    /// Ends a turn. Returns the number whose turn begins; `nil` if nobody waits who can get it.
    package mutating func end(of holder: SharedLimit.Holder) -> Int? {
        running.giveBack(1, of: holder)
        guard let index = order.firstIndex(where: { running.refusal(of: 1, for: $0) == nil }) else { return nil }
        let next = order.remove(at: index)
        guard var numbers = waiting[next], !numbers.isEmpty, running.take(1, for: next) == nil else { return nil }
        let number = numbers.removeFirst()
        waiting[next] = numbers.isEmpty ? nil : numbers
        if !numbers.isEmpty { order.append(next) }
        return number
    }

    /// Forgets one that waits. Returns whether it waited; otherwise its turn has begun.
    package mutating func cancel(_ number: Int, of holder: SharedLimit.Holder) -> Bool {
        guard var numbers = waiting[holder], let index = numbers.firstIndex(of: number) else { return false }
        numbers.remove(at: index)
        waiting[holder] = numbers.isEmpty ? nil : numbers
        if numbers.isEmpty { order.removeAll { $0 == holder } }
        return true
    }
}
