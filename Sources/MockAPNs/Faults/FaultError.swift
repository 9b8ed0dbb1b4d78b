/// Why a fault is not one.
public struct FaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// The text is not JSON, or a value is of another type.
        public static let malformed = Code(word: "malformed")
        /// There is a key that a fault does not have.
        public static let unknownKey = Code(word: "unknownKey")
        /// A value is too large, too small or not one of those that are possible.
        public static let outOfRange = Code(word: "outOfRange")
        /// A step or a condition cannot be at that moment.
        public static let impossibleHere = Code(word: "impossibleHere")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String
}
