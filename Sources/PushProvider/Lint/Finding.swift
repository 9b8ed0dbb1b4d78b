/// Something about a notification that is wrong, or probably not meant.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// Whether the notification can be sent all the same.
    public enum Severity: String, Sendable, Hashable {
        /// Apple would refuse it, or drop it.
        case error
        /// Apple would take it; something else may happen than was meant.
        case warning
    }

    /// How bad it is.
    public let severity: Severity
    /// Where: a header's name or a path in the payload, for example `apns-topic`.
    public let place: String
    /// What is wrong, in a sentence.
    public let problem: String
    /// What to do, in a sentence.
    public let advice: String

    /// Problem and advice.
    public var description: String { "\(problem) \(advice)" }
}
