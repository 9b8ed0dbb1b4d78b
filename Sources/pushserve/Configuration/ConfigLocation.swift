/// Where a value of the configuration is written.
enum ConfigLocation: Hashable, Sendable, CustomStringConvertible {
    /// A position in a file: line and column begin with 1. The path is the one for messages.
    case file(String, line: Int, column: Int)
    /// An environment variable.
    case variable(String)

    /// `pushserve.yaml:3:5`, or the name of the variable.
    var description: String {
        switch self {
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .variable(let name): name
        }
    }

    /// Line and column, to sort by.
    var order: (Int, Int) {
        switch self {
        case .file(_, let line, let column): (line, column)
        case .variable: (.max, 0)
        }
    }
}
