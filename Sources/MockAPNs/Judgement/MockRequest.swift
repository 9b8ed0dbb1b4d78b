public import APNSVocabulary

/// One request as it reached the mock: what the judgement looks at.
///
/// The header fields are read once, when the value is made, so that each check finds its header without a search.
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
    public let method: String
    /// The `:path`.
    public let path: String
    /// The header fields without the pseudo-headers, in the order in which they came.
    public let fields: [Field]
    /// The body, or as much of it as was kept.
    public let body: [UInt8]
    /// How many bytes the body really had.
    public let bodyByteCount: Int
    /// What the path asks for.
    public let target: RequestTarget

    /// The value of `authorization`.
    public private(set) var authorization: String?
    /// The value of `apns-id`.
    public private(set) var id: String?
    /// The value of `apns-topic`.
    public private(set) var topic: String?
    /// The value of `apns-push-type`.
    public private(set) var pushType: PushType?
    /// The value of `apns-priority`.
    public private(set) var priority: String?
    /// The value of `apns-expiration`.
    public private(set) var expiration: String?
    /// The value of `apns-collapse-id`.
    public private(set) var collapseID: String?
    /// The first APNs header or `authorization` that came a second time. The lookups keep the first value.
    public private(set) var repeatedHeader: String?

    /// Takes the parts of a request.
    ///
    /// - Parameters:
    ///   - method: The `:method`.
    ///   - path: The `:path`.
    ///   - fields: The other header fields in order, names in lower case.
    ///   - body: The body, perhaps cut off at a limit of the server.
    ///   - bodyByteCount: How long the body really was; `nil` when `body` is all of it.
    public init(method: String, path: String, fields: [Field], body: [UInt8], bodyByteCount: Int? = nil) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.bodyByteCount = bodyByteCount ?? body.count
        target = RequestTarget(path: path)
        for index in fields.indices { notice(fieldAt: index) }
    }

    private mutating func notice(fieldAt index: Int) {
        let field = fields[index]
        let isNew =
            switch field.name {
            case APNSHeader.authorization: Self.keep(field, in: &authorization)
            case APNSHeader.id: Self.keep(field, in: &id)
            case APNSHeader.topic: Self.keep(field, in: &topic)
            case APNSHeader.pushType: keepPushType(field)
            case APNSHeader.priority: Self.keep(field, in: &priority)
            case APNSHeader.expiration: Self.keep(field, in: &expiration)
            case APNSHeader.collapseID: Self.keep(field, in: &collapseID)
            default: !(field.name.hasPrefix("apns-") && fields[..<index].contains { $0.name == field.name })
            }
        if !isNew && repeatedHeader == nil { repeatedHeader = field.name }
    }

    /// Keeps the first value; false when there was one already.
    private static func keep(_ field: Field, in header: inout String?) -> Bool {
        guard header == nil else { return false }
        header = field.value
        return true
    }

    private mutating func keepPushType(_ field: Field) -> Bool {
        guard pushType == nil else { return false }
        pushType = PushType(rawValue: field.value)
        return true
    }
}
