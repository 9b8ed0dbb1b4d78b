import APNSVocabulary

/// What stands before the body of a request, read once: each check finds its header without a search.
///
/// Requests are copied on their way through judgement and log, and a sender that repeats itself sends the same head again
/// and again: so it is one object that never changes.
final class RequestHead: Sendable {
    let method: String
    let path: String
    let fields: [MockRequest.Field]
    let target: RequestTarget
    /// The first value of each header that a check asks for.
    let headers: APNSHeaders
    /// In which letters the `apns-id` is written; `nil` where there is none or it is not a UUID.
    let idLetters: AnswerIDs.LetterCase?
    /// The suffix of a push type that the topic of the header ends in.
    let topicSuffix: String?
    /// What it counts against the log's bound in bytes.
    let byteCount: Int

    init(method: String, path: String, fields: [MockRequest.Field]) {
        self.method = method
        self.path = path
        self.fields = fields
        target = RequestTarget(path: path)
        headers = APNSHeaders(fields)
        topicSuffix = headers.topic.flatMap(PushType.type(ofTopic:))?.topicSuffix
        idLetters = headers.id.flatMap(UUIDForm.letters)
        byteCount = fields.reduce(path.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }
}

/// The headers of APNs among the fields of a request.
struct APNSHeaders: Sendable {
    private(set) var authorization: String?
    private(set) var id: String?
    private(set) var topic: String?
    private(set) var pushType: PushType?
    private(set) var priority: String?
    private(set) var expiration: String?
    private(set) var collapseID: String?
    /// The first one that came a second time.
    private(set) var repeated: String?
    /// The first header of another kind that came a second time. HTTP/2 lets `cookie` come in parts (RFC 9113 section 8.2.3).
    private(set) var otherRepeated: String?

    init(_ fields: [MockRequest.Field]) {
        for index in fields.indices { notice(index, of: fields) }
    }

    private mutating func notice(_ index: Int, of fields: [MockRequest.Field]) {
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
            default: !fields[..<index].contains { $0.name == field.name }
            }
        guard !isNew else { return }
        if field.name.hasPrefix("apns-") || field.name == APNSHeader.authorization {
            repeated = repeated ?? field.name
        } else if field.name != "cookie" {
            otherRepeated = otherRepeated ?? field.name
        }
    }

    /// Keeps the first value; false when there was one already.
    private static func keep(_ field: MockRequest.Field, in header: inout String?) -> Bool {
        guard header == nil else { return false }
        header = field.value
        return true
    }

    private mutating func keepPushType(_ field: MockRequest.Field) -> Bool {
        guard pushType == nil else { return false }
        pushType = PushType(rawValue: field.value)
        return true
    }
}
