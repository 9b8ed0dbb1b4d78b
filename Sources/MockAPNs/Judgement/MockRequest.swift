public import APNSVocabulary

/// A request as the mock received it.
///
/// Path and headers are parsed once, when the value is created. Copies share the result.
public struct MockRequest: Sendable, Equatable {
    /// A header field. Its name is in lower case, as HTTP/2 requires.
    public struct Field: Sendable, Hashable {
        /// The name, in lower case.
        public let name: String
        /// The value, unchanged.
        public let value: String

        /// Creates a header field from a name in lower case and a value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The `:method`.
    public var method: String { head.method }
    /// The `:path`.
    public var path: String { head.path }
    /// The header fields without the pseudo-headers, in the order of the request.
    public var fields: [Field] { head.fields }
    /// The body, or the part of it that was kept.
    public let body: [UInt8]
    /// The length of the complete body in bytes.
    public let bodyByteCount: Int
    /// Whether the stream exceeded a limit of SETTINGS that the client had not acknowledged yet.
    public let isBeyondStreamLimit: Bool
    package var target: MockRequest.Target { head.target }

    /// The value of `authorization`.
    ///
    /// It is kept only until the request is judged: requests in the log have `nil`. Their ``fields`` have a note in its place.
    public internal(set) var authorization: String?
    /// The value of `apns-id`.
    public var id: String? { head.headers.id }
    /// The value of `apns-topic`.
    public var topic: String? { head.headers.topic }
    /// The value of `apns-push-type`.
    public var pushType: PushType? { head.headers.pushType }
    /// The value of `apns-priority`.
    public var priority: String? { head.headers.priority }
    /// The value of `apns-expiration`.
    public var expiration: String? { head.headers.expiration }
    /// The value of `apns-collapse-id`.
    public var collapseID: String? { head.headers.collapseID }
    /// The value of `apns-request-id`.
    public var requestID: String? { head.headers.requestID }
    /// The value of `apns-channel-id`.
    public var channelID: String? { head.headers.channelID }
    /// The name of the first repeated header among `authorization` and the APNs headers. The properties above have its
    /// first value.
    public var repeatedHeader: String? { head.headers.repeated }
    /// The name of the first other repeated header. `cookie` does not count: it may be repeated.
    public var otherRepeatedHeader: String? { head.headers.otherRepeated }

    /// Whether the request has an `apns-request-id` instead of an `apns-id`: about broadcasts and channels.
    var sendsRequestID: Bool { target.app != nil || id == nil && requestID != nil }
    /// The id that the client sent, for the log of a request without an answer; empty if there is none.
    var sentID: String { (sendsRequestID ? requestID : id) ?? "" }

    let head: RequestHead

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The `:method`.
    ///   - path: The `:path`.
    ///   - fields: The other header fields in order, with names in lower case.
    ///   - body: The body. It may be truncated to a limit of the server.
    ///   - bodyByteCount: The length of the complete body; `nil` if `body` is complete.
    ///   - isBeyondStreamLimit: Whether the stream exceeded a limit that the client had not acknowledged yet.
    public init(
        method: String, path: String, fields: [Field], body: [UInt8], bodyByteCount: Int? = nil,
        isBeyondStreamLimit: Bool = false
    ) {
        let head = RequestHead(method: method, path: path, fields: fields.map(\.redacted))
        self.init(
            head, authorization: fields.first { $0.name == APNSHeader.authorization }?.value, body: body,
            bodyByteCount: bodyByteCount ?? body.count, isBeyondStreamLimit: isBeyondStreamLimit)
    }

    init(
        _ head: RequestHead, authorization: String?, body: [UInt8], bodyByteCount: Int,
        isBeyondStreamLimit: Bool = false
    ) {
        self.authorization = authorization
        self.isBeyondStreamLimit = isBeyondStreamLimit
        self.head = head
        self.body = body
        self.bodyByteCount = bodyByteCount
    }

    /// Compares the received values. All other properties depend on them.
    public static func == (left: MockRequest, right: MockRequest) -> Bool {
        left.method == right.method && left.path == right.path && left.fields == right.fields
            && left.body == right.body && left.bodyByteCount == right.bodyByteCount
            && left.isBeyondStreamLimit == right.isBeyondStreamLimit
    }
}

extension MockRequest.Field {
    /// The field as it is kept: without a provider token.
    var redacted: MockRequest.Field {
        name == APNSHeader.authorization ? MockRequest.Field(name, Self.redacted(value)) : self
    }

    private static func redacted(_ value: String) -> String {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.count <= 20 else { return "<\(value.utf8.count) characters, not kept>" }
        return "\(parts[0]) <\(parts[1].utf8.count) characters, not kept>"
    }
}

extension MockRequest {
    /// Whether it must be judged while no other request changes the state.
    func mustBeJudgedAlone(limitsDevices: Bool) -> Bool {
        guard target.app != nil else { return limitsDevices }
        return method != "GET"
    }
}
