/// What became of the addresses of a client's connections, and in which order the next one tries them. A pure value: happenings
/// in, decisions out; time and chance are arguments.
///
/// The connections of a client shall spread over the servers that a name stands for: each goes to the one that has not had its
/// turn for the longest time. Where an address has failed lately, the others are tried first.
struct AddressMemory {
    /// How long an address that failed stands behind the others.
    static let avoidance: Duration = .seconds(60)
    static let mostAddresses = 256

    private struct Entry {
        /// Its last turn, counted over all addresses; 0 for none.
        var turn = 0
        var failedAt: MonotonicTime?
    }

    private var entries: [NetworkAddress: Entry] = [:]
    private var turnsSoFar = 0

    /// Puts addresses in the order in which they are tried (RFC 8305 section 4): families alternate, the one that the resolver
    /// named first begins; within a family those that waited longest for their turn are first; those that failed lately come
    /// last.
    ///
    /// - Parameters:
    ///   - addresses: The answer of the resolver.
    ///   - now: The time.
    ///   - chance: From 0 to below 1: where those begin that have had no turn yet, so that a fleet spreads too.
    /// - Returns: Each of them once.
    func order(_ addresses: [NetworkAddress], now: MonotonicTime, chance: Double) -> [NetworkAddress] {
        var seen: Set<NetworkAddress> = []
        let distinct = addresses.filter { seen.insert($0).inserted }
        guard let preferred = distinct.first?.family else { return [] }
        let mine = turns(distinct.filter { $0.family == preferred }, chance)
        let other = turns(distinct.filter { $0.family != preferred }, chance)
        let hasFailed = { (address: NetworkAddress) in hasFailedLately(address, now: now) }
        let sound = Self.alternating(mine.filter { !hasFailed($0) }, other.filter { !hasFailed($0) })
        return sound + Self.alternating(mine.filter(hasFailed), other.filter(hasFailed))
    }

    /// Those of one family: first those without a turn, then those whose turn is longest ago.
    private func turns(_ addresses: [NetworkAddress], _ chance: Double) -> [NetworkAddress] {
        guard !addresses.isEmpty else { return [] }
        let start = min(addresses.count - 1, max(0, Int(chance * Double(addresses.count))))
        let rotated = Array(addresses[start...] + addresses[..<start])
        // Swift's sort is stable.
        return rotated.sorted { turn(of: $0) < turn(of: $1) }
    }

    private func turn(of address: NetworkAddress) -> Int { entries[address]?.turn ?? 0 }

    private static func alternating(_ first: [NetworkAddress], _ second: [NetworkAddress]) -> [NetworkAddress] {
        let both = min(first.count, second.count)
        return zip(first, second).flatMap { [$0, $1] } + first[both...] + second[both...]
    }

    private func hasFailedLately(_ address: NetworkAddress, now: MonotonicTime) -> Bool {
        entries[address]?.failedAt.map { $0.duration(to: now) < Self.avoidance } ?? false
    }

    /// It is its turn.
    mutating func begun(_ address: NetworkAddress) {
        turnsSoFar += 1
        forgetOldest(for: address)
        entries[address, default: Entry()].turn = turnsSoFar
    }

    /// It did not answer, or what answered there was of no use.
    mutating func failed(_ address: NetworkAddress, now: MonotonicTime) {
        forgetOldest(for: address)
        entries[address, default: Entry()].failedAt = now
    }

    /// It is of use.
    mutating func served(_ address: NetworkAddress) {
        entries[address]?.failedAt = nil
    }

    /// A name whose answers never end must not fill the memory.
    private mutating func forgetOldest(for newcomer: NetworkAddress) {
        guard entries[newcomer] == nil, entries.count >= Self.mostAddresses else { return }
        if let oldest = entries.min(by: { $0.value.turn < $1.value.turn })?.key { entries[oldest] = nil }
    }
}
