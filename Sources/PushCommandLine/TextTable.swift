internal import APNSVocabulary

/// Rows in columns that are as wide as their longest value.
package struct TextTable {
    private let titles: [String]
    private let numbers: Set<Int>
    private var rows: [[String]] = []

    /// - Parameters:
    ///   - titles: The first row.
    ///   - numbers: The columns of numbers, which are aligned to the right.
    package init(_ titles: [String], numbers: Set<Int> = []) {
        (self.titles, self.numbers) = (titles, numbers)
    }

    /// Adds a row. It has a value for each title.
    package mutating func add(_ row: [String]) {
        rows.append(row.map { PeerText.printable($0, atMost: 80) })
    }

    /// The lines, without spaces at their ends.
    package var lines: [String] {
        let all = [titles] + rows
        let widths = titles.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.indices.map { column in
                numbers.contains(column)
                    ? row[column].aligned(to: widths[column]) : row[column].padded(to: widths[column])
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension String {
    /// The text with spaces at its end up to a width, and with at least a number of them.
    package func padded(to width: Int, atLeast least: Int = 0) -> String {
        self + String(repeating: " ", count: max(least, width - count))
    }

    /// The text with spaces at its beginning up to a width.
    package func aligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
