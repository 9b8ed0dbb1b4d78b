/// Why a text is no template of payloads.
public struct TemplateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do, in a sentence.
    public let description: String
}
