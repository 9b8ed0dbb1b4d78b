/// A set of lines that needs little memory if it has many neighbours. A pure value.
struct LineSet: Equatable, Sendable {
    /// One bit for each line, 64 in a word. No word is zero.
    private var words: [Int: UInt64] = [:]
    /// The number of lines in the set.
    private(set) var count = 0

    init() {}

    func contains(_ place: Int) -> Bool { words[place >> 6].map { $0 & Self.bit(place) != 0 } ?? false }

    mutating func insert(_ place: Int) {
        guard !contains(place) else { return }
        words[place >> 6, default: 0] |= Self.bit(place)
        count += 1
    }

    mutating func remove(_ place: Int) {
        guard contains(place), let word = words[place >> 6] else { return }
        let rest = word & ~Self.bit(place)
        words[place >> 6] = rest == 0 ? nil : rest
        count -= 1
    }

    private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place & 63) }
}
