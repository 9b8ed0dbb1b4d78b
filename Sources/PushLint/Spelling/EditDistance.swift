/// How many letters have to be put in, taken out or changed to make one word another.
package enum EditDistance {
    /// The least number of changes that make `left` of `right`.
    ///
    /// For words whose lengths differ by more than ``longestDifference`` it is that difference: they are not meant for each other.
    package static func between(_ left: [Character], _ right: [Character]) -> Int {
        let difference = abs(left.count - right.count)
        if difference > longestDifference { return difference }
        // One row of the usual table at a time: the distances of the letters of `left` so far to each start of `right`.
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

    private static let longestDifference = 64
}
