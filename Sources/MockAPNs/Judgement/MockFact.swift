/// A statement about APNs that a verdict is based on, and how certain it is.
public struct MockFact: Hashable, Sendable, CustomStringConvertible {
    /// What the real service does, in one or a few sentences.
    public let statement: String
    /// How certain the statement is.
    public let confidence: FactConfidence

    /// Creates a fact from a statement and its confidence.
    public init(_ statement: String, _ confidence: FactConfidence) {
        self.statement = statement
        self.confidence = confidence
    }

    /// The statement followed by its confidence, for logs.
    public var description: String { "\(statement) (\(confidence))" }
}

extension MockFact {
    /// The fact of a verdict when all checks succeed.
    public static let accepted = MockFact("A valid request is accepted with status 200.", .confirmed)
    /// The same for a request about a broadcast or a channel.
    static let acceptedAboutChannels = MockFact(
        """
        A valid request about a channel is accepted: with 201 if the channel is created, with 204 if it is deleted, \
        otherwise with 200.
        """, .confirmed)
}
