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
}
