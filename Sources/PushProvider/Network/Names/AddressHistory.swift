/// Remembers which addresses a client has used and which have failed, and orders the addresses for the next connection.
/// A pure value; time and randomness are arguments.
///
/// The connections of a client spread over all servers behind a name: each connection tries the least recently used
/// address first. Addresses that failed lately are tried last.
struct AddressHistory {
    /// How long a failed address is tried after the others.
    static let avoidance: Duration = .seconds(60)
    /// The maximum number of remembered addresses. The least recently used one is forgotten for a new one.
    static let maximumAddresses = 256

    private struct Entry {
        let address: NetworkAddress
        /// The number of its last use, counted over all addresses; 0 if unused.
        var turn = 0
        var failedAt: MonotonicTime?
    }

    /// Most names have a few addresses, so this is an array.
    private var entries: [Entry] = []
    private var turnsSoFar = 0

    /// Orders addresses for connecting (RFC 8305 section 4): families alternate, beginning with the family of the
    /// resolver's first address. Within a family, the least recently used come first. Addresses that failed lately come
    /// last.
    ///
    /// - Parameters:
    ///   - addresses: The answer of the resolver.
    ///   - now: The current time.
    ///   - chance: A random number from 0 to below 1. It selects the first of the unused addresses, so that a fleet of
    ///     clients spreads, too.
    /// - Returns: Each address once.
    func order(_ addresses: [NetworkAddress], now: MonotonicTime, chance: Double) -> [NetworkAddress] {
        guard addresses.count > 1 else { return addresses }
        var seen: Set<NetworkAddress> = []
        let distinct = addresses.filter { seen.insert($0).inserted }
        guard let preferred = distinct.first?.family else { return [] }
        let mine = turns(distinct.filter { $0.family == preferred }, chance)
        let other = turns(distinct.filter { $0.family != preferred }, chance)
        let hasFailed = { (address: NetworkAddress) in hasFailedLately(address, now: now) }
        let sound = Self.alternating(mine.filter { !hasFailed($0) }, other.filter { !hasFailed($0) })
        return sound + Self.alternating(mine.filter(hasFailed), other.filter(hasFailed))
    }

    /// Orders the addresses of one family: first the unused ones, then the least recently used.
    private func turns(_ addresses: [NetworkAddress], _ chance: Double) -> [NetworkAddress] {
        guard !addresses.isEmpty else { return [] }
        let start = min(addresses.count - 1, max(0, Int(chance * Double(addresses.count))))
        let rotated = Array(addresses[start...] + addresses[..<start])
        // Swift's sort is stable.
        return rotated.sorted { turn(of: $0) < turn(of: $1) }
    }

    private func turn(of address: NetworkAddress) -> Int { entry(of: address)?.turn ?? 0 }

    private static func alternating(_ first: [NetworkAddress], _ second: [NetworkAddress]) -> [NetworkAddress] {
        let both = min(first.count, second.count)
        return zip(first, second).flatMap { [$0, $1] } + first[both...] + second[both...]
    }

    private func hasFailedLately(_ address: NetworkAddress, now: MonotonicTime) -> Bool {
        entry(of: address)?.failedAt.map { $0.duration(to: now) < Self.avoidance } ?? false
    }

    /// A connection attempt to the address begins.
    mutating func begun(_ address: NetworkAddress) {
        turnsSoFar += 1
        let index = indexOfEntry(for: address)
        entries[index].turn = turnsSoFar
    }

    /// The address did not answer, or its server was of no use.
    mutating func failed(_ address: NetworkAddress, now: MonotonicTime) {
        let index = indexOfEntry(for: address)
        entries[index].failedAt = now
    }

    /// The connection to the address succeeded.
    mutating func served(_ address: NetworkAddress) {
        if let index = index(of: address) { entries[index].failedAt = nil }
    }

    private func index(of address: NetworkAddress) -> Int? { entries.firstIndex { $0.address == address } }

    private func entry(of address: NetworkAddress) -> Entry? { index(of: address).map { entries[$0] } }

    /// Returns the index of the entry of an address. A new entry takes the place of the least recently used one if the
    /// history is full.
    private mutating func indexOfEntry(for address: NetworkAddress) -> Int {
        if let known = index(of: address) { return known }
        if entries.count >= Self.maximumAddresses,
            let oldest = entries.indices.min(by: { entries[$0].turn < entries[$1].turn })
        {
            entries[oldest] = Entry(address: address)
            return oldest
        }
        entries.append(Entry(address: address))
        return entries.count - 1
    }
}
