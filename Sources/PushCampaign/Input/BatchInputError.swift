/// Why the input of a campaign cannot be used.
public struct BatchInputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Later versions may add more.
    public struct Code: Hashable, Sendable {
        let name: String
        /// The file does not exist or cannot be opened.
        public static let noSuchFile = Code(name: "noSuchFile")
        /// The file cannot be read.
        public static let unreadable = Code(name: "unreadable")
        /// The format of the file is not supported.
        public static let unknownFormat = Code(name: "unknownFormat")
        /// The file is compressed with gzip.
        public static let compressed = Code(name: "compressed")
        /// The header of a CSV file names no column for device tokens, or more than one.
        public static let noTokenColumn = Code(name: "noTokenColumn")
        /// The header of a CSV file cannot be used.
        public static let badHeader = Code(name: "badHeader")
        /// There is no payload for all lines, and no line has one.
        public static let noPayload = Code(name: "noPayload")
        /// The payload has a placeholder without a default, and no line has a value for it.
        public static let noVariable = Code(name: "noVariable")
        /// No line has a value for a placeholder whose name is similar to an unused value's.
        public static let misspeltPlaceholder = Code(name: "misspeltPlaceholder")
        /// The input is not the one of the journal.
        public static let changed = Code(name: "changed")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong and what to do, in one or two sentences.
    public let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }

    func inFile(_ name: String) -> BatchInputError {
        BatchInputError(code, "\(name): \(description)")
    }
}
