/// JSON Pointers, RFC 6901.
package enum JSONPointer {
    /// A name as a part of a pointer.
    package static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        return name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The pointer of the innermost value around a range of bytes, from the outermost value.
    package static func of(_ range: Range<Int>, in tree: JSONTree) -> String {
        var (pointer, node) = ("", JSONTree.root)
        while let (number, child) = tree.children(of: node).enumerated().first(where: { _, child in
            let whole =
                (tree.keyRange(of: child) ?? tree.range(of: child)).lowerBound..<tree.range(of: child).upperBound
            return whole.lowerBound <= range.lowerBound && range.upperBound <= whole.upperBound
        }) {
            pointer += "/" + (tree.key(of: child).map(escaped) ?? String(number))
            node = child
        }
        return pointer
    }
}
