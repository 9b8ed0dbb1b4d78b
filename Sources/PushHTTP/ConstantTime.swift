/// Comparisons whose duration does not depend on where two texts differ.
package enum ConstantTime {
    /// Whether two texts are equal. The time depends only on the lengths.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        isEqual(Array(left.utf8), Array(right.utf8))
    }

    /// Whether bytes are equal. The time depends only on the lengths.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
