/// Why a campaign stopped before all of its lines were sent.
public struct BatchStop: Sendable, Hashable, CustomStringConvertible {
    /// The kind of stop. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name for programs.
        public let description: String
        /// The user or the program stopped it.
        public static let asked = Code(description: "asked")
        /// The time limit was reached.
        public static let time = Code(description: "time")
        /// Too many lines were not accepted.
        public static let errors = Code(description: "errors")
        /// Every line breaks the same rule.
        public static let lint = Code(description: "lint")
        /// The server accepted no requests for longer than the campaign waits.
        public static let outage = Code(description: "outage")
        /// No connection can be made.
        public static let unreachable = Code(description: "unreachable")
        /// Device tokens and setup do not match.
        public static let mismatch = Code(description: "mismatch")
        /// The credentials are refused, or cannot be used.
        public static let credentials = Code(description: "credentials")
        /// The input cannot be read.
        public static let input = Code(description: "input")
        /// The results cannot be written.
        public static let output = Code(description: "output")
        /// The reader of the results has closed the pipe.
        public static let unread = Code(description: "unread")
    }

    /// The kind of stop.
    public let code: Code
    /// What happened, as a sentence.
    public let description: String

    /// Creates a stop.
    ///
    /// - Parameters:
    ///   - code: The kind of stop.
    ///   - description: What happened, as a sentence.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
