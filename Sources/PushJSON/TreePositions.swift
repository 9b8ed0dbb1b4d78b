internal import APNSVocabulary

/// The lines and paths of the values in a tree. The index is built once, at the first use, so any number of findings
/// costs one pass over the text.
package final class TreePositions {
    package let tree: JSONTree
    private lazy var lines = LineIndex(tree.bytes)
    private lazy var steps = tree.steps

    package init(_ tree: JSONTree) {
        self.tree = tree
    }

    package func line(of offset: Int) -> TextPosition { lines.position(of: offset) }

    package func position(of node: Int) -> TextPosition {
        tree.marks.isEmpty ? line(of: tree.range(of: node).lowerBound) : tree.marks[node].value
    }

    /// Where the key of a value begins; the value itself if it has no key.
    package func position(ofKeyOf node: Int) -> TextPosition {
        guard tree.marks.isEmpty else { return tree.marks[node].key }
        return line(of: (tree.keyRange(of: node) ?? tree.range(of: node)).lowerBound)
    }

    /// The path of a value, such as `payload.aps.alert.loc-args[1]`. Keys with special characters are in quotation
    /// marks.
    package func path(of node: Int) -> String {
        var (components, at) = ([String](), node)
        while at != JSONTree.root {
            components.append(tree.component(to: at, number: Int(steps[at].number)))
            at = Int(steps[at].container)
        }
        return "payload" + components.reversed().joined()
    }
}

extension JSONTree {
    /// For many values, use ``TreePositions``.
    package func path(of node: Int) -> String { TreePositions(self).path(of: node) }

    fileprivate var steps: [(container: Int32, number: Int32)] {
        var steps = [(container: Int32, number: Int32)](repeating: (0, 0), count: nodes.count)
        for container in nodes.indices {
            for (number, child) in children(of: container).enumerated() {
                steps[child] = (Int32(container), Int32(number))
            }
        }
        return steps
    }

    fileprivate func component(to node: Int, number: Int) -> String {
        guard let key = key(of: node) else { return "[\(number)]" }
        let isPlain = !key.isEmpty && key.utf8.allSatisfy { $0.isWordByte && $0 < 0x80 || $0 == UInt8(ascii: "-") }
        return isPlain ? ".\(key.prefix(60))" : "[\"\(PeerText.printable(String(key.prefix(60))))\"]"
    }
}

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
