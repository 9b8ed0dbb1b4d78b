/// A set of lines that needs little memory if it has many neighbours. A pure value.
struct LineSet: Equatable, Sendable {
    /// One bit for each line, 64 in a word. No word is zero.
    private var words: [Int: UInt64] = [:]
    /// The number of lines in the set.
    private(set) var count = 0

    init() {}

    func contains(_ index: Int) -> Bool { words[index >> 6].map { $0 & Self.bit(index) != 0 } ?? false }

    mutating func insert(_ index: Int) {
        guard !contains(index) else { return }
        words[index >> 6, default: 0] |= Self.bit(index)
        count += 1
    }

    mutating func remove(_ index: Int) {
        guard contains(index), let word = words[index >> 6] else { return }
        let rest = word & ~Self.bit(index)
        words[index >> 6] = rest == 0 ? nil : rest
        count -= 1
    }

    private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(index & 63) }
}
