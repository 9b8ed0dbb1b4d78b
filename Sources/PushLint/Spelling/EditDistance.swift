/// The edit distance of two words: the number of inserted, removed or changed letters.
package enum EditDistance {
    /// Returns the minimum number of changes between `left` and `right`.
    ///
    /// If the lengths differ by more than ``longestDifference``, the result is the difference of the lengths.
    package static func between(_ left: [Character], _ right: [Character]) -> Int {
        let difference = abs(left.count - right.count)
        if difference > longestDifference { return difference }
        // One row of the table at a time: the distances between the letters of `left` so far and each prefix of `right`.
        var above = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var row = [index + 1]
            for (column, other) in right.enumerated() {
                let changed = above[column] + (letter == other ? 0 : 1)
                row.append(min(changed, above[column + 1] + 1, row[column] + 1))
            }
            above = row
        }
        return above[right.count]
    }

    /// The maximum difference of the lengths, in characters, for an exact result.
    private static let longestDifference = 64
}
