/// Why the input of a campaign cannot be used.
public struct BatchInputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// The file is not there or cannot be opened.
        public static let noSuchFile = Code(word: "noSuchFile")
        /// Reading it failed.
        public static let unreadable = Code(word: "unreadable")
        /// It is in a form that is not read.
        public static let unknownFormat = Code(word: "unknownFormat")
        /// The header of a CSV file names no column for device tokens.
        public static let noTokenColumn = Code(word: "noTokenColumn")
        /// The header of a CSV file cannot be used.
        public static let badHeader = Code(word: "badHeader")
        /// It is not the input that the journal speaks of.
        public static let changed = Code(word: "changed")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String

    func inFile(_ name: String) -> BatchInputError {
        BatchInputError(code: code, description: "\(name): \(description)")
    }
}
