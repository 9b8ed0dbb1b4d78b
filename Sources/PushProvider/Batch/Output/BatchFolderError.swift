/// Why the folder of a campaign cannot be used.
public struct BatchFolderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// It cannot be made or opened.
        public static let unusable = Code(word: "unusable")
        /// It is of another campaign, or of something else altogether.
        public static let another = Code(word: "another")
        /// Another process works on it.
        public static let busy = Code(word: "busy")
        /// Its journal cannot be read.
        public static let damaged = Code(word: "damaged")
        /// It cannot be written any more.
        public static let unwritable = Code(word: "unwritable")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String
}
