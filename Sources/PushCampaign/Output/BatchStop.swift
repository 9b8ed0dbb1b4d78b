/// Why a campaign was ended before all of its lines had gone out.
public struct BatchStop: Sendable, Hashable, CustomStringConvertible {
    /// What kind of end it is; grows as more is told apart.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A word for machines.
        public let description: String
        /// Somebody asked for it.
        public static let asked = Code(description: "asked")
        /// The time limit was reached.
        public static let time = Code(description: "time")
        /// Too many lines were not accepted.
        public static let errors = Code(description: "errors")
        /// Every line breaks the same rule.
        public static let lint = Code(description: "lint")
        /// The server takes nothing from anybody, for longer than the campaign waits.
        public static let outage = Code(description: "outage")
        /// No connection can be made.
        public static let unreachable = Code(description: "unreachable")
        /// Device tokens and setup do not fit.
        public static let mismatch = Code(description: "mismatch")
        /// The credentials are refused, or cannot be used.
        public static let credentials = Code(description: "credentials")
        /// The input cannot be read any further.
        public static let input = Code(description: "input")
        /// Results cannot be written any more.
        public static let output = Code(description: "output")
        /// Nobody reads the results any more.
        public static let unread = Code(description: "unread")
    }

    /// What kind of end it is.
    public let code: Code
    /// What happened, in a sentence.
    public let description: String

    /// Describes an end.
    ///
    /// - Parameters:
    ///   - code: What kind of end it is.
    ///   - description: What happened, in a sentence.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
