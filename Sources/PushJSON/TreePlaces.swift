internal import APNSVocabulary

/// Lines and paths in a tree. What they are found by is made once, when somebody first asks, so that any number of findings costs
/// no more than one reading of the text.
package final class TreePlaces {
    package let tree: JSONTree
    private lazy var lines = LineIndex(tree.bytes)
    private lazy var steps = tree.steps

    package init(_ tree: JSONTree) {
        self.tree = tree
    }

    package func line(of offset: Int) -> TextPlace { lines.place(of: offset) }

    /// The way to a value, as `payload.aps.alert.loc-args[1]`. Keys that are no plain words stand in quotation marks.
    package func path(of node: Int) -> String {
        var (words, at) = ([String](), node)
        while at != JSONTree.root {
            words.append(tree.words(to: at, number: Int(steps[at].number)))
            at = Int(steps[at].container)
        }
        return "payload" + words.reversed().joined()
    }
}

extension JSONTree {
    /// For a single value; ``TreePlaces`` is for many.
    package func path(of node: Int) -> String { TreePlaces(self).path(of: node) }

    /// What each value is in, and which one it is there.
    fileprivate var steps: [(container: Int32, number: Int32)] {
        var steps = [(container: Int32, number: Int32)](repeating: (0, 0), count: nodes.count)
        for container in nodes.indices {
            for (number, child) in children(of: container).enumerated() {
                steps[child] = (Int32(container), Int32(number))
            }
        }
        return steps
    }

    fileprivate func words(to node: Int, number: Int) -> String {
        guard let key = key(of: node) else { return "[\(number)]" }
        let isPlain = !key.isEmpty && key.utf8.allSatisfy { $0.isWordByte && $0 < 0x80 || $0 == UInt8(ascii: "-") }
        return isPlain ? ".\(key.prefix(60))" : "[\"\(PeerText.printable(String(key.prefix(60))))\"]"
    }
}
