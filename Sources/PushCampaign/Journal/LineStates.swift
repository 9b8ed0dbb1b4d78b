/// Which lines have had their outcomes: all below a place, and some above it. A pure value.
///
/// Outcomes come nearly in the order of the lines, so what is kept is a bit for each of the lines that have overtaken the slowest.
struct LineStates: Equatable, Sendable {
    /// All lines below have had their outcomes.
    private(set) var low = 0
    /// A bit for each line, 64 in a word.
    private var words: [UInt64] = []
    /// Which 64 lines the first word is for.
    private var firstWord = 0

    init() {}

    func has(_ place: Int) -> Bool { place < low || isSet(place) }

    mutating func add(_ place: Int) {
        guard place >= low else { return }
        if words.isEmpty { firstWord = low >> 6 }
        let word = place >> 6 - firstWord
        if word >= words.count { words += repeatElement(0, count: word + 1 - words.count) }
        words[word] |= 1 << UInt64(place & 63)
        guard place == low else { return }
        while isSet(low) { low += 1 }
        let over = low >> 6 - firstWord
        // Moving the others for each word would cost more than it saves.
        if over >= words.count {
            words.removeAll(keepingCapacity: true)
        } else if over >= 1024, over * 2 >= words.count {
            words.removeFirst(over)
            firstWord += over
        }
    }

    private func isSet(_ place: Int) -> Bool {
        let word = place >> 6 - firstWord
        return word >= 0 && word < words.count && words[word] >> UInt64(place & 63) & 1 == 1
    }
}
