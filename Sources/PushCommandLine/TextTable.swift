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
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return numbers.contains(column) ? space + row[column] : row[column] + space
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
