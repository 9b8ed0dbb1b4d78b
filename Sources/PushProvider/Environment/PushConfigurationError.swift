/// A value of a configuration that cannot be used.
public struct PushConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the value.
    public let name: String
    /// What it must be, in a sentence.
    public let description: String
}
