public import APNSVocabulary

/// One request as it reached the mock: what the judgement looks at.
///
/// What stands before the body is read once, when the value is made, and shared by its copies.
public struct MockRequest: Sendable, Equatable {
    /// A header field, its name in the lower case of HTTP/2.
    public struct Field: Sendable, Hashable {
        /// The name, lower case.
        public let name: String
        /// The value, as it came.
        public let value: String

        /// Takes a name in lower case and a value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The `:method`.
    public var method: String { head.method }
    /// The `:path`.
    public var path: String { head.path }
    /// The header fields without the pseudo-headers, in the order in which they came.
    public var fields: [Field] { head.fields }
    /// The body, or as much of it as was kept.
    public let body: [UInt8]
    /// How many bytes the body really had.
    public let bodyByteCount: Int
    /// The client opened the stream beyond a limit that SETTINGS had announced and that it had not acknowledged.
    public let isBeyondStreamLimit: Bool
    /// What the path asks for.
    public var target: RequestTarget { head.target }

    /// The value of `authorization`.
    public var authorization: String? { head.headers.authorization }
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
    /// The first APNs header or `authorization` that came a second time. The lookups keep the first value.
    public var repeatedHeader: String? { head.headers.repeated }
    /// The first other header that came a second time; `cookie` may.
    public var otherRepeatedHeader: String? { head.headers.otherRepeated }

    let head: RequestHead

    /// Takes the parts of a request.
    ///
    /// - Parameters:
    ///   - method: The `:method`.
    ///   - path: The `:path`.
    ///   - fields: The other header fields in order, names in lower case.
    ///   - body: The body, perhaps cut off at a limit of the server.
    ///   - bodyByteCount: How long the body really was; `nil` when `body` is all of it.
    ///   - isBeyondStreamLimit: Whether its stream was beyond a limit that the client had not acknowledged.
    public init(
        method: String, path: String, fields: [Field], body: [UInt8], bodyByteCount: Int? = nil,
        isBeyondStreamLimit: Bool = false
    ) {
        let head = RequestHead(method: method, path: path, fields: fields)
        self.init(
            head, body: body, bodyByteCount: bodyByteCount ?? body.count, isBeyondStreamLimit: isBeyondStreamLimit)
    }

    init(_ head: RequestHead, body: [UInt8], bodyByteCount: Int, isBeyondStreamLimit: Bool = false) {
        self.isBeyondStreamLimit = isBeyondStreamLimit
        self.head = head
        self.body = body
        self.bodyByteCount = bodyByteCount
    }

    /// Compares what came; the rest follows from it.
    public static func == (left: MockRequest, right: MockRequest) -> Bool {
        left.method == right.method && left.path == right.path && left.fields == right.fields
            && left.body == right.body && left.bodyByteCount == right.bodyByteCount
            && left.isBeyondStreamLimit == right.isBeyondStreamLimit
    }
}
