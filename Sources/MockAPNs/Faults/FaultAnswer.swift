public import APNSVocabulary

/// An answer that a fault gives in place of the judgement's.
public struct FaultAnswer: Sendable, Hashable {
    /// The HTTP status, 200 to 599.
    public var status: Int
    /// The word in the body; an empty body without one.
    public var reason: RejectionReason?
    /// The time in the body, for a 410. In JSON it is cut to milliseconds.
    public var timestamp: Moment?
    /// Header fields besides the usual ones, or in place of them; names in lower case.
    public var headers: [String: String]
    /// The body, in place of the one with the reason; at most 1 MiB.
    public var body: String?

    /// Takes the parts of an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The word in the body.
    ///   - timestamp: The time in the body, for a 410.
    ///   - headers: Header fields besides the usual ones, or in place of them.
    ///   - body: The body, in place of the one with the reason.
    public init(
        status: Int, reason: RejectionReason? = nil, timestamp: Moment? = nil, headers: [String: String] = [:],
        body: String? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.headers = headers
        self.body = body
    }

    static let fact = Fact("The answer was ordered by a test.", .confirmed)
    static let check = "forced answer"

    func verdict(for request: MockRequest) -> Verdict {
        Verdict(
            status: status, reason: reason, timestamp: timestamp, messageID: headers[APNSHeader.id] ?? request.id ?? "",
            check: Self.check, fact: Self.fact)
    }
}

extension Verdict {
    /// What stands in the log for a request that was neither judged nor answered.
    static func unanswered(_ request: MockRequest, _ what: String) -> Verdict {
        Verdict(status: 0, messageID: request.id ?? "", check: "fault", fact: FaultAnswer.fact, detail: what)
    }
}
