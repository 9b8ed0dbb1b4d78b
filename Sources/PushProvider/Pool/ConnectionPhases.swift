/// The phase of each connection of a pool, by its number.
///
/// A pool has few connections, so this is an array. The first dictionary of a kind also makes the program search all of its
/// types, which takes longer than all lookups of a single push.
struct ConnectionPhases: Equatable, ExpressibleByDictionaryLiteral {
    private struct Entry: Equatable {
        let number: Int
        var phase: PoolState.Phase
    }

    /// Ordered by number: a new connection always has the highest one.
    private var entries: [Entry] = []

    init(dictionaryLiteral elements: (Int, PoolState.Phase)...) {
        for (number, phase) in elements { self[number] = phase }
    }

    /// The phase of a connection. `nil` removes the connection.
    subscript(_ number: Int) -> PoolState.Phase? {
        get { entries.first { $0.number == number }?.phase }
        set {
            let index = entries.firstIndex { $0.number == number }
            switch (index, newValue) {
            case (let index?, let phase?): entries[index].phase = phase
            case (let index?, nil): entries.remove(at: index)
            case (nil, let phase?): entries.append(Entry(number: number, phase: phase))
            case (nil, nil): break
            }
        }
    }

    /// The numbers of all connections, in ascending order.
    var numbers: [Int] { entries.map(\.number) }

    var isEmpty: Bool { entries.isEmpty }

    func count(_ phase: PoolState.Phase) -> Int { entries.count { $0.phase == phase } }

    /// The numbers of the connections in this phase, in ascending order.
    func numbers(in phase: PoolState.Phase) -> [Int] { entries.filter { $0.phase == phase }.map(\.number) }
}
