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

        /// A large number of header fields.
        package struct Padding: Sendable, Hashable {
            /// The number of fields, 1 to 100 000.
            package var count: Int
            /// The length of each value in bytes, up to 60 000.
            package var bytes: Int

            /// Creates the padding from the number of fields and the length of their values.
            package init(count: Int, bytes: Int) {
                self.count = count
                self.bytes = bytes
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

extension MockFault.Answer: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case status, reason
        case timestamp = "timestamp_ms"
        case headers, fields, padding, interim, body, trailers, ends
        case leftOut = "left_out"
        case pieceBytes = "piece_bytes"
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"answer\"")
        self.init(
            status: try members.decode(Int.self, forKey: .status),
            reason: try members.decodeIfPresent(String.self, forKey: .reason).map(RejectionReason.init(rawValue:)),
            timestamp: try members.decodeIfPresent(Int64.self, forKey: .timestamp)
                .map { Date(timeIntervalSince1970: Double($0) / 1000) },
            headers: try members.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            body: try members.decodeIfPresent(MockFault.Bytes.self, forKey: .body)
        )
        leftOut = try members.decodeIfPresent(Set<String>.self, forKey: .leftOut) ?? []
        fields = try members.decodeIfPresent([FaultField].self, forKey: .fields)?.map(\.field)
        padding = try members.decodeIfPresent(Padding.self, forKey: .padding)
        interim = try members.decodeIfPresent([Int].self, forKey: .interim) ?? []
        pieceBytes = try members.decodeIfPresent(Int.self, forKey: .pieceBytes)
        trailers = try members.decodeIfPresent([String: String].self, forKey: .trailers) ?? [:]
        ends = try members.decodeIfPresent(Bool.self, forKey: .ends) ?? true
    }

    /// Encodes the same JSON. Members with default values are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(status, forKey: .status)
        try members.encodeIfPresent(reason?.rawValue, forKey: .reason)
        try members.encodeIfPresent(timestamp?.millisecondsSince1970, forKey: .timestamp)
        if !headers.isEmpty { try members.encode(headers, forKey: .headers) }
        try members.encodeIfPresent(body, forKey: .body)
        if !leftOut.isEmpty { try members.encode(leftOut.sorted(), forKey: .leftOut) }
        try members.encodeIfPresent(fields?.map(FaultField.init), forKey: .fields)
        try members.encodeIfPresent(padding, forKey: .padding)
        if !interim.isEmpty { try members.encode(interim, forKey: .interim) }
        try members.encodeIfPresent(pieceBytes, forKey: .pieceBytes)
        if !trailers.isEmpty { try members.encode(trailers, forKey: .trailers) }
        if !ends { try members.encode(ends, forKey: .ends) }
    }
}

extension MockFault.Answer.Padding: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case count, bytes
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"padding\"")
        self.init(
            count: try members.decode(Int.self, forKey: .count), bytes: try members.decode(Int.self, forKey: .bytes))
    }

    /// Encodes the same JSON.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(count, forKey: .count)
        try members.encode(bytes, forKey: .bytes)
    }
}
