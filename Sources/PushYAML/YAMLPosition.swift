/// A position in a text: line and column, both from 1. The column counts characters.
package struct YAMLPosition: Sendable, Hashable {
    package var line: Int
    package var column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of the first character.
    package static let start = YAMLPosition(line: 1, column: 1)
}
