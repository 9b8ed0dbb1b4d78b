/// A statement about APNs on which a verdict rests, and how sure it is.
public struct Fact: Hashable, Sendable, CustomStringConvertible {
    /// What the real service is believed to do, in a sentence.
    public let statement: String
    /// How sure that is.
    public let confidence: Confidence

    /// Takes a sentence and its confidence.
    public init(_ statement: String, _ confidence: Confidence) {
        self.statement = statement
        self.confidence = confidence
    }

    /// The sentence with its confidence behind it, for logs.
    public var description: String { "\(statement) (\(confidence))" }
}

extension Fact {
    /// What a verdict rests on when no check objects.
    public static let accepted = Fact("A request without a fault is taken and answered with 200.", .confirmed)
}
