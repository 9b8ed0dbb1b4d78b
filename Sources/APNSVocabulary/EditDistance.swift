/// The edit distance of two words: the number of inserted, removed or changed letters.
package enum EditDistance {
    /// The maximum difference of the lengths, in characters, for an exact result.
    private static let longestDifference = 64

    /// Returns the minimum number of changes between `left` and `right`.
    ///
    /// If the lengths differ by more than ``longestDifference``, the result is the difference of the lengths.
    package static func between(_ left: some StringProtocol, _ right: some StringProtocol) -> Int {
        let (left, right) = (Array(left), Array(right))
        let difference = abs(left.count - right.count)
        if difference > longestDifference { return difference }
        // One row of the table at a time: the distances between the letters of `left` so far and each prefix of `right`.
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let distance = letter == other ? diagonal : min(diagonal, row[column], row[column + 1]) + 1
                diagonal = row[column + 1]
                row[column + 1] = distance
            }
        }
        return row[right.count]
    }

    /// Returns the word with the fewest changes, the first one of several; `nil` if each has too many.
    ///
    /// - Parameters:
    ///   - word: The word that was written.
    ///   - words: The words that could be meant.
    ///   - most: The maximum number of changes.
    ///   - form: The form in which words are compared, for example without letter case.
    /// - Returns: One of `words`.
    package static func nearest(
        to word: String, among words: [String], atMost most: Int, form: (String) -> String = { $0 }
    ) -> String? {
        let written = form(word)
        let measured = words.map { (word: $0, distance: between(written, form($0))) }
        guard let best = measured.min(by: { $0.distance < $1.distance }), best.distance <= most else { return nil }
        return best.word
    }
}

/// Finds the name that was probably meant, after a typing error.
package enum NearestName {
    /// Returns a name that begins with the text, or the name with the fewest differences; `nil` if none is similar.
    package static func nearest(to text: String, of names: [String]) -> String? {
        if text.count > 1, let longer = names.first(where: { $0.hasPrefix(text) }) { return longer }
        return EditDistance.nearest(to: text, among: names, atMost: min(2, text.count / 2))
    }
}
