/// Why a text is not a payload template, or cannot be filled for a line.
public struct PushTemplateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do, as a sentence.
    public let description: String
}
