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
        /// There is no payload for all lines, and none of the lines has one.
        public static let noPayload = Code(word: "noPayload")
        /// The payload has a placeholder without a default, and none of the lines has a value for it.
        public static let noVariable = Code(word: "noVariable")
        /// It is not the input that the journal speaks of.
        public static let changed = Code(word: "changed")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String

    static func changed(from begun: InputFile.Identity, to now: InputFile.Identity) -> BatchInputError {
        let change =
            begun.size == now.size
            ? "it begins with other bytes now"
            : "it had \(begun.size) bytes when the campaign began, and has \(now.size) now"
        let added = now.size > begun.size ? " Put lines that were added into a file of their own." : ""
        return BatchInputError(
            code: .changed,
            description: """
                It was changed while it was read: \(change). The lines that are left were not sent. Bring it back as it was, and \
                the same command goes on and sends nothing twice.\(added)
                """)
    }

    static let replaced = BatchInputError(
        code: .changed,
        description: """
            Another file has taken its place while it was read. The lines that are left were not sent. Bring the first one back, \
            and the same command goes on and sends nothing twice.
            """)

    func inFile(_ name: String) -> BatchInputError {
        BatchInputError(code: code, description: "\(name): \(description)")
    }
}
