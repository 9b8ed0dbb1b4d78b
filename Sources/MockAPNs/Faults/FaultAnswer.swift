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
    /// The names of usual header fields that are left out, for example `apns-id`.
    public var leftOut: Set<String> = []
    /// All header fields, in this order and as they are, in place of the usual ones and ``headers``: a second `:status` or a
    /// name in upper case too. Nothing is checked. At most 2000.
    public var fields: [FaultFrame.Field]?
    /// So many header fields more, each of about so many bytes: 4 MB at the most in all.
    public var padding: Padding?
    /// Interim answers that go ahead of it, 100 to 199 each; at most 100.
    public var interim: [Int] = []
    /// The body, in place of the one with the reason.
    public var body: FaultBytes?
    /// The body comes in DATA frames of at most so many bytes, 1 to 16 384; `nil` for as few as there can be.
    public var pieceBytes: Int?
    /// Header fields behind the body; names in lower case.
    public var trailers: [String: String] = [:]
    /// It comes to its end; with `false` the stream stays open behind it.
    public var ends = true

    /// Header fields that are nothing but many.
    public struct Padding: Sendable, Hashable {
        /// How many, 1 to 100 000.
        public var count: Int
        /// How long the value of each is, in bytes, up to 60 000.
        public var bytes: Int

        /// Takes how many and how long.
        public init(count: Int, bytes: Int) {
            self.count = count
            self.bytes = bytes
        }
    }

    /// Takes the parts of an answer; what is more unusual is set afterwards.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The word in the body.
    ///   - timestamp: The time in the body, for a 410.
    ///   - headers: Header fields besides the usual ones, or in place of them.
    ///   - body: The body, in place of the one with the reason.
    public init(
        status: Int, reason: RejectionReason? = nil, timestamp: Moment? = nil, headers: [String: String] = [:],
        body: FaultBytes? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.headers = headers
        self.body = body
    }

    /// An answer that is changed before it is used.
    ///
    ///     .answer(FaultAnswer(status: 200) { $0.interim = [103] })
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - change: Changes it.
    public init(status: Int, _ change: (inout FaultAnswer) -> Void) {
        self.init(status: status)
        change(&self)
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
