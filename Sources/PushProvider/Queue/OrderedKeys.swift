/// Decides which of several pushes that replace each other on their device may be sent now. A pure value.
///
/// Two pushes with the same key are never on the way at the same time, and a push never starts after a newer one: it is
/// superseded. A push that only waits supersedes nothing, so each push that can be shown is shown.
///
/// Each push has a number that grows with its age in the order of the pushes of its key. A key has an entry only while
/// one of its pushes is on the way, waits or rests, so the memory is bounded by these pushes.
package struct OrderedKeys<Key: Hashable, Push> {
    /// Whether a push may be sent now.
    package enum Turn {
        /// It is on the way from now on. The older pushes leave: they are superseded.
        case go(superseded: [Push])
        /// Another push of its key is on the way. ``end(_:_:)`` or ``rest(_:_:_:)`` returns it when it is its turn.
        case wait
        /// A newer push of its key was started. It leaves.
        case superseded
    }

    fileprivate struct Place {
        var number: Int
        var push: Push
        /// Whether it waits for the push that is on the way. Otherwise it rests: it will be tried again later.
        var waits: Bool
    }

    /// Small, because most pushes with a collapse id meet no other one.
    fileprivate struct Entry {
        /// The number of the push that is on the way, or whose turn it is.
        var onTheWay: Int?
        /// The newest number that was started.
        var newest = Int.min
        /// The pushes that wait, and those that rest, the oldest first. None waits if none is on the way.
        var others: [Place] = []

        var isEmpty: Bool { onTheWay == nil && others.isEmpty }
    }

    private var entries: [Key: Entry] = [:]

    package init() {}

    /// The number of keys with an unfinished push that has had its turn, or waits for it.
    package var count: Int { entries.count }

    package var waiting: [Push] { entries.values.flatMap { $0.others.filter(\.waits).map(\.push) } }

    /// The turn of a push has come, for the first time or again.
    ///
    /// - Parameters:
    ///   - push: The push.
    ///   - number: Its number.
    ///   - key: Its key.
    ///   - isStarted: Whether it is started at once. Otherwise ``started(_:_:)`` records that it was.
    /// - Returns: Whether it may be sent now.
    package mutating func begin(_ push: Push, _ number: Int, _ key: Key, isStarted: Bool = true) -> Turn {
        let turn = entries[key, default: Entry()].begin(push, number, isStarted: isStarted)
        if case .superseded = turn { drop(key) }
        return turn
    }

    /// A push was started.
    ///
    /// - Returns: The older pushes. They leave: they are superseded.
    package mutating func started(_ number: Int, _ key: Key) -> [Push] {
        entries[key]?.started(number) ?? []
    }

    /// A push was started and will be tried again later. Others may be sent until then.
    ///
    /// - Returns: The push whose turn it is now, if one has waited. It keeps its turn until it begins, ends or rests.
    package mutating func rest(_ push: Push, _ number: Int, _ key: Key) -> Push? {
        entries[key, default: Entry()].rest(push, number)
    }

    /// A push has its outcome, or leaves for another reason. It may be any push, also one that never began.
    ///
    /// - Returns: The push whose turn it is now, if one has waited. It keeps its turn until it begins, ends or rests.
    package mutating func end(_ number: Int, _ key: Key) -> Push? {
        guard let index = entries.index(forKey: key) else { return nil }
        let next = entries.values[index].end(number)
        if entries.values[index].isEmpty { entries.remove(at: index) }
        return next
    }

    private mutating func drop(_ key: Key) {
        if entries[key]?.isEmpty == true { entries[key] = nil }
    }
}

extension OrderedKeys: Sendable where Key: Sendable, Push: Sendable {}
extension OrderedKeys.Entry: Sendable where Key: Sendable, Push: Sendable {}
extension OrderedKeys.Place: Sendable where Key: Sendable, Push: Sendable {}

extension OrderedKeys.Entry {
    mutating func begin(_ push: Push, _ number: Int, isStarted: Bool) -> OrderedKeys.Turn {
        if !others.isEmpty { remove(number) }
        guard number >= newest else { return .superseded }
        guard onTheWay == nil || onTheWay == number else {
            insert(.init(number: number, push: push, waits: true))
            return .wait
        }
        onTheWay = number
        return .go(superseded: isStarted ? started(number) : [])
    }

    mutating func started(_ number: Int) -> [Push] {
        newest = max(newest, number)
        guard let oldest = others.first, oldest.number < newest else { return [] }
        let older = others.prefix { $0.number < newest }.map(\.push)
        others.removeFirst(older.count)
        return older
    }

    mutating func rest(_ push: Push, _ number: Int) -> Push? {
        insert(.init(number: number, push: push, waits: false))
        return onTheWay == number ? next() : nil
    }

    mutating func end(_ number: Int) -> Push? {
        if onTheWay == number { return next() }
        remove(number)
        return nil
    }

    private mutating func next() -> Push? {
        onTheWay = nil
        guard !others.isEmpty, let first = others.firstIndex(where: \.waits) else { return nil }
        let next = others.remove(at: first)
        onTheWay = next.number
        return next.push
    }

    // MARK: The others, by number

    private mutating func insert(_ place: OrderedKeys.Place) {
        others.insert(place, at: index(of: place.number))
    }

    private mutating func remove(_ number: Int) {
        let index = index(of: number)
        if index < others.count, others[index].number == number { others.remove(at: index) }
    }

    /// The index of the first one whose number is not smaller.
    private func index(of number: Int) -> Int {
        var (low, high) = (0, others.count)
        while low < high {
            let middle = (low + high) / 2
            if others[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
