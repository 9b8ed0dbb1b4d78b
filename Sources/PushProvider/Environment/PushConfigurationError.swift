/// The error for an invalid value in a configuration.
public struct PushConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the value.
    public let name: String
    /// What the value must be, in a sentence.
    public let description: String
}
