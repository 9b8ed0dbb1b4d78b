/// Which connections the server has, by who uses them, and which one must go when there are too many.
///
/// A connection belongs to its network address until a request on it has a key. When all places are taken, the oldest
/// connection of the address that has most of them goes: clients without a key can't keep others out. A key gets half of the
/// places.
package struct ConnectionShares<ID: Hashable & Sendable>: Sendable {
    private struct Place: Sendable {
        var holder: SharedLimit.Holder
        /// Grows with each connection, and with each request without a key.
        var age: Int
    }

    /// The connections of an address, the oldest first. An entry counts as long as its place has its age.
    private struct Line: Sendable {
        var entries: [(id: ID, age: Int)] = []
        /// The first entry that can count. Those before it are never looked at again.
        var first = 0
    }

    private let maximum: Int
    private var places: [ID: Place] = [:]
    private var counts: [SharedLimit.Holder: Int] = [:]
    private var lines: [SharedLimit.Holder: Line] = [:]
    /// The addresses by their number of connections, so that the largest is found whatever the number of addresses.
    private var addresses: [Int: Set<SharedLimit.Holder>] = [:]
    /// No address has more connections.
    private var largest = 0
    private var age = 0

    package init(_ maximum: Int) {
        self.maximum = maximum
    }

    package var count: Int { places.count }

    package func count(of holder: SharedLimit.Holder) -> Int { counts[holder, default: 0] }

    /// Counts a new connection.
    ///
    /// - Returns: The connection that must be closed for it, which no longer counts; `nil` if there is room, or all others have
    ///   a key.
    package mutating func connected(_ id: ID, from address: SharedLimit.Holder) -> ID? {
        place(id, address)
        guard places.count >= maximum else { return nil }
        guard let oldest = oldest(except: id) else { return nil }
        closed(oldest)
        return oldest
    }

    /// Notes a request without a key: its connection is now the youngest of its address.
    package mutating func requestBegan(_ id: ID) {
        guard let place = places[id], case .address = place.holder else { return }
        self.place(id, place.holder)
    }

    /// Notes a request with a key.
    ///
    /// - Returns: Whether the connection may stay; `false` if the key has its share of connections.
    package mutating func showedKey(_ id: ID, _ key: String) -> Bool {
        let holder = SharedLimit.Holder.key(key)
        guard let place = places[id], place.holder != holder else { return true }
        guard count(of: holder) < SharedLimit.half(of: maximum) else { return false }
        self.place(id, holder)
        return true
    }

    package mutating func closed(_ id: ID) {
        guard let place = places.removeValue(forKey: id) else { return }
        leave(place.holder)
    }

    private mutating func place(_ id: ID, _ holder: SharedLimit.Holder) {
        age += 1
        let before = places.updateValue(Place(holder: holder, age: age), forKey: id)
        if before?.holder != holder {
            if let before { leave(before.holder) }
            setCount(count(of: holder) + 1, of: holder)
        }
        guard case .address = holder else { return }
        lines[holder, default: Line()].entries.append((id, age))
        tidy(holder)
    }

    private mutating func leave(_ holder: SharedLimit.Holder) {
        let left = count(of: holder) - 1
        setCount(left, of: holder)
        if left > 0 { tidy(holder) } else { lines[holder] = nil }
    }

    private mutating func setCount(_ count: Int, of holder: SharedLimit.Holder) {
        let before = counts.updateValue(count, forKey: holder) ?? 0
        if count == 0 { counts[holder] = nil }
        guard case .address = holder else { return }
        addresses[before]?.remove(holder)
        if addresses[before]?.isEmpty == true { addresses[before] = nil }
        if count > 0 { addresses[count, default: []].insert(holder) }
        largest = max(largest, count)
        while largest > 0, addresses[largest] == nil { largest -= 1 }
    }

    /// An address with the most connections, if that of a new connection has one less.
    private func largestAddress(except own: SharedLimit.Holder?) -> SharedLimit.Holder? {
        let first = addresses[largest]
        if let other = first?.first(where: { $0 != own }) { return other }
        return addresses[largest - 1]?.first ?? first?.first
    }

    /// Drops the entries that no longer count, when they are most of a line.
    private mutating func tidy(_ holder: SharedLimit.Holder) {
        guard let line = lines[holder], line.entries.count > 2 * count(of: holder) + 32 else { return }
        lines[holder] = Line(entries: line.entries[line.first...].filter { places[$0.id]?.age == $0.age })
    }

    private mutating func oldest(except id: ID) -> ID? {
        guard let largest = largestAddress(except: places[id]?.holder), let line = lines[largest] else { return nil }
        let current = line.entries[line.first...].firstIndex { places[$0.id]?.age == $0.age }
        guard let current else { return nil }
        lines[largest]?.first = current
        // The new connection is the youngest: if it comes first, its address has no other.
        let oldest = line.entries[current].id
        return oldest == id ? nil : oldest
    }
}
