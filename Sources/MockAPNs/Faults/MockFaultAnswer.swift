public import APNSVocabulary
public import PushPlatform

extension MockFault {
    /// An answer of a fault, instead of the answer from the checks.
    public struct Answer: Sendable, Hashable {
        /// The HTTP status, 200 to 599.
        public var status: Int
        /// The reason in the body; `nil` for an empty body.
        public var reason: RejectionReason?
        /// The `timestamp` in the body, for a 410. JSON has it in milliseconds.
        public var timestamp: Date?
        /// Additional header fields, or replacements for usual ones; names in lower case.
        public var headers: [String: String]
        /// The names of usual header fields to leave out, for example `apns-id`.
        public var leftOut: Set<String> = []
        /// All header fields, at most 2000. They replace the usual ones and ``headers``. They are sent unchanged and in
        /// this order, so they can be wrong: a second `:status`, or a name in upper case.
        public var fields: [MockRequest.Field]?
        /// Many more header fields, at most 4 MB in total.
        package var padding: Padding?
        /// The statuses of interim answers before the answer, 100 to 199 each; at most 100.
        public var interim: [Int] = []
        /// The body. It replaces the body with the reason.
        public var body: MockFault.Bytes?
        /// The maximum number of body bytes in one DATA frame, 1 to 16 384; `nil` for as few frames as possible.
        public var pieceBytes: Int?
        /// Header fields after the body; names in lower case.
        public var trailers: [String: String] = [:]
        /// Whether the answer ends. With `false`, the stream stays open after it.
        public var ends = true

        package struct Padding: Sendable, Hashable {
            /// The number of fields, 1 to 100 000.
            package var count: Int
            /// The length of each value in bytes, up to 60 000.
            package var bytes: Int

            /// Creates the padding from the number of fields and the length of their values.
            package init(count: Int, bytes: Int) {
                (self.count, self.bytes) = (count, bytes)
            }
        }

        /// Creates an answer. Set the less common properties afterwards.
        ///
        /// - Parameters:
        ///   - status: The HTTP status.
        ///   - reason: The reason in the body.
        ///   - timestamp: The `timestamp` in the body, for a 410.
        ///   - headers: Additional header fields, or replacements for usual ones.
        ///   - body: The body. It replaces the body with the reason.
        public init(
            status: Int, reason: RejectionReason? = nil, timestamp: Date? = nil, headers: [String: String] = [:],
            body: MockFault.Bytes? = nil
        ) {
            self.status = status
            self.reason = reason
            self.timestamp = timestamp
            self.headers = headers
            self.body = body
        }

        /// Creates an answer and sets its less common properties.
        ///
        ///     .answer(MockFault.Answer(status: 200) { $0.interim = [103] })
        ///
        /// - Parameters:
        ///   - status: The HTTP status.
        ///   - change: A function that changes the answer.
        public init(status: Int, _ change: (inout MockFault.Answer) -> Void) {
            self.init(status: status)
            change(&self)
        }

        static let check = "forced answer"

        func verdict(for request: MockRequest, on api: ServedAPI = .pushes) -> MockVerdict {
            let hasRequestID = api.usesRequestID(request.target)
            let name = hasRequestID ? APNSHeader.requestID : APNSHeader.id
            return MockVerdict(
                status: status, reason: reason, timestamp: timestamp,
                messageID: .text(headers[name] ?? (hasRequestID ? request.requestID : request.id) ?? ""),
                isRequestID: hasRequestID, check: Self.check, fact: .forced)
        }
    }
}

extension MockVerdict {
    /// The verdict in the log for a request that was neither checked nor answered.
    static func unanswered(_ request: MockRequest, _ what: String) -> MockVerdict {
        MockVerdict(
            status: 0, messageID: .text(request.sentID), isRequestID: request.sendsRequestID, check: "fault",
            fact: .forced, detail: what)
    }
}

extension MockFault.Answer: Codable, FaultObject {
    static let what = "\"answer\""
    static var blank: Self { Self(status: 0) }
    static var members: [FaultMember<Self>] {
        [
            .init("status", \.status),
            .init("reason", \.reason, read: RejectionReason.init(rawValue:), write: \.rawValue),
            .init(
                "timestamp_ms", \.timestamp,
                read: { (time: Int64) in Date(timeIntervalSince1970: Double(time) / 1000) },
                write: \.millisecondsSince1970),
            .init("headers", \.headers, default: [:]), .init("body", \.body),
            .init("left_out", \.leftOut, default: [], read: { Set($0) }, write: { $0.sorted() }),
            .init("fields", \.fields, read: { $0.map(\.field) }, write: { $0.map(FaultField.init) }),
            .init("padding", \.padding), .init("interim", \.interim, default: []),
            .init("piece_bytes", \.pieceBytes), .init("trailers", \.trailers, default: [:]),
            .init("ends", \.ends, default: true),
        ]
    }
}

extension MockFault.Answer.Padding: Codable, FaultObject {
    static let what = "\"padding\""
    static var blank: Self { Self(count: 0, bytes: 0) }
    static var members: [FaultMember<Self>] { [.init("count", \.count), .init("bytes", \.bytes)] }
}
