/// The offset of each line of a text. It is computed once, for any number of lookups.
package struct LineIndex {
    private let starts: [Int]

    package init(_ bytes: [UInt8]) {
        var starts = [0]
        for (position, byte) in bytes.enumerated() where byte == 0x0A { starts.append(position + 1) }
        self.starts = starts
    }

    package func position(of offset: Int) -> TextPosition {
        var (low, high) = (0, starts.count)
        // Find the last line that does not begin after the offset.
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return TextPosition(line: low + 1, column: offset - starts[low] + 1)
    }
}
