/// The lines that have their outcomes: all below an index, and some above it. A pure value.
///
/// Outcomes arrive nearly in the order of the lines, so bits are needed only from the first line without an outcome to
/// the last line with one.
struct LineStates: Equatable, Sendable {
    /// All lines below this index have their outcomes.
    private(set) var low = 0
    /// One bit for each line, 64 in a word.
    private var words: [UInt64] = []
    /// The index of the first word: its lines begin at 64 times this number.
    private var firstWord = 0

    init() {}

    func has(_ index: Int) -> Bool { index < low || isSet(index) }

    mutating func add(_ index: Int) {
        guard index >= low else { return }
        if words.isEmpty { firstWord = low >> 6 }
        let word = index >> 6 - firstWord
        if word >= words.count { words += repeatElement(0, count: word + 1 - words.count) }
        words[word] |= 1 << UInt64(index & 63)
        guard index == low else { return }
        while isSet(low) { low += 1 }
        let over = low >> 6 - firstWord
        // Removing each word separately would cost more than it saves.
        if over >= words.count {
            words.removeAll(keepingCapacity: true)
        } else if over >= 1024, over * 2 >= words.count {
            words.removeFirst(over)
            firstWord += over
        }
    }

    private func isSet(_ index: Int) -> Bool {
        let word = index >> 6 - firstWord
        return word >= 0 && word < words.count && words[word] >> UInt64(index & 63) & 1 == 1
    }
}
