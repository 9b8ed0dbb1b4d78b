/// A statement about APNs that a verdict is based on, and how certain it is.
package struct MockFact: Hashable, Sendable, CustomStringConvertible {
    /// The stable id of the fact, such as `topic-form`. `docs/mock-fidelity.md` lists all facts.
    package let id: String
    /// What the real service does, in one or a few sentences.
    package let statement: String
    package let confidence: MockFactConfidence

    /// Creates a fact, for example for an answer that a test forces.
    ///
    /// - Parameters:
    ///   - id: The id of the fact.
    ///   - statement: What the real service does.
    ///   - confidence: How certain the statement is.
    package init(id: String, _ statement: String, _ confidence: MockFactConfidence) {
        self.id = id
        self.statement = statement
        self.confidence = confidence
    }

    /// Hashes only the id: facts with the same id are the same, and each accepted request looks its allowances up.
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The statement followed by its confidence, for logs.
    package var description: String { "\(statement) (\(confidence))" }
}

/// The facts of verdicts that no check gives.
extension MockFact {
    /// The fact of a verdict when all checks succeed.
    package static let accepted = MockFact(
        id: "accepted", "A valid request is accepted with status 200.", .confirmed)
    /// The same for a request about a broadcast or a channel.
    static let acceptedAboutChannels = MockFact(
        id: "accepted-about-channels",
        """
        A valid request about a channel is accepted: with 201 if the channel is created, with 204 if it is deleted, \
        otherwise with 200.
        """, .confirmed)
    /// A fault has decided the answer, or that there is none.
    static let forced = MockFact(id: "forced-answer", "The answer was forced by a test.", .confirmed)
    static let unfinishedRequest = MockFact(
        id: "unfinished-request",
        "A request is not checked and gets no answer when its connection ends before its body.", .guess)

    // MARK: HTTP/2

    static let malformedRequest = MockFact(
        id: "malformed-request",
        """
        A malformed HTTP/2 request gets no answer: its stream is reset, as RFC 9113 section 8.1.1 requires. The \
        behaviour of APNs is not known.
        """, .guess)
    static let unsupportedRequest = MockFact(
        id: "unsupported-request",
        """
        A request that HTTP/2 allows, but the mock does not support, gets no answer: its stream is reset. The \
        behaviour of APNs is not known.
        """, .guess)
    /// A stream beyond a limit that the client has acknowledged.
    static let streamsBeyondSettings = MockFact(
        id: "streams-beyond-settings",
        """
        When a client opens more streams than the acknowledged SETTINGS allow, the connection ends with GOAWAY, code 7 \
        and the text "\(textOfGoAway)".
        """, .observed)
    /// A stream beyond a limit that the client has not acknowledged yet.
    static let streamsBeforeSettings = MockFact(
        id: "streams-before-settings",
        """
        The stream exceeds the announced limit, which the client had not acknowledged yet. It is unknown what APNs \
        does then.
        """, .guess)

    /// The debug data of the GOAWAY that APNs sends when a client opens too many streams.
    static let textOfGoAway = "Maximum active streams violated for this endpoint."
}

/// How certain it is that the real service does the same as the mock.
///
/// Apple documents much of APNs, but not all. The rest is known from logs and from other senders, or it is unknown.
/// With these values you can tell a guess from documented behaviour.
package enum MockFactConfidence: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Two or more independent sources agree.
    case confirmed = "2+"
    /// Documented in Apple's current documentation.
    case apple = "A"
    /// Documented in an archived Apple guide.
    case archived = "AA"
    /// Observed on the real service.
    case observed = "O"
    /// A hint from one library or one report.
    case hint = "1"
    /// A guess without a source.
    case guess = "?"

    package var description: String {
        switch self {
        case .confirmed: "confirmed by several sources"
        case .apple: "documented by Apple"
        case .archived: "documented in an archived Apple guide"
        case .observed: "observed on the real service"
        case .hint: "a hint from one source"
        case .guess: "a guess"
        }
    }
}
