import APNSVocabulary
internal import PushWire

/// The method, the path and the headers of a request, parsed once so that no check has to search for its header.
///
/// An immutable class, because requests are copied for the checks and the log, and because senders often repeat the
/// same headers.
final class RequestHead: Sendable {
    let method: String
    let path: String
    let fields: [MockRequest.Field]
    let target: MockRequest.Target
    /// The first value of each header that the checks use.
    let headers: APNSHeaders
    /// The letter case of the `apns-id`; `nil` if there is none, or if it is not a UUID.
    let idLetters: MockAnswerIDLetters?
    /// The suffix of the topic that belongs to a push type.
    let topicSuffix: String?
    /// Its size in bytes for the limit of the log.
    let byteCount: Int

    init(method: String, path: String, fields: [MockRequest.Field]) {
        self.method = method
        self.path = path
        self.fields = fields
        target = MockRequest.Target(path: path)
        headers = APNSHeaders(fields)
        topicSuffix = headers.topic.flatMap(PushType.type(ofTopic:))?.topicSuffix
        idLetters = headers.id.flatMap(UUIDForm.letters)
        byteCount = fields.reduce(path.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }
}

struct APNSHeaders: Sendable {
    private var authorization: String?
    private(set) var id: String?
    private(set) var topic: String?
    private(set) var pushType: PushType?
    private(set) var priority: String?
    private(set) var expiration: String?
    private(set) var collapseID: String?
    private(set) var requestID: String?
    private(set) var channelID: String?
    /// The name of the first repeated header of APNs.
    private(set) var repeated: String?
    /// The name of the first other repeated header. `cookie` may be repeated in HTTP/2 (RFC 9113 section 8.2.3).
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
            case APNSHeader.requestID: Self.keep(field, in: &requestID)
            case APNSHeader.channelID: Self.keep(field, in: &channelID)
            default: !fields[..<index].contains { $0.name == field.name }
            }
        guard !isNew else { return }
        if field.name.hasPrefix("apns-") || field.name == APNSHeader.authorization {
            repeated = repeated ?? field.name
        } else if field.name != "cookie" {
            otherRepeated = otherRepeated ?? field.name
        }
    }

    /// Stores the first value. Returns `false` if there was a value already.
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

/// The canonical form of a UUID: hex digits in groups of 8, 4, 4, 4 and 12.
enum UUIDForm {
    /// Returns the letter case of a UUID: upper if it has an upper-case letter, otherwise lower; `nil` if the text is
    /// not a UUID.
    static func letters(of text: String) -> MockAnswerIDLetters? {
        guard text.utf8.count == 36 else { return nil }
        var letters = MockAnswerIDLetters.lower
        var index = 0
        for character in text.utf8 {
            let isHyphenIndex = index == 8 || index == 13 || index == 18 || index == 23
            index += 1
            switch character {
            case UInt8(ascii: "-"): guard isHyphenIndex else { return nil }
            case _ where isHyphenIndex: return nil
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
            case UInt8(ascii: "A")...UInt8(ascii: "F"): letters = .upper
            default: return nil
            }
        }
        return letters
    }
}

extension HTTP2Refusal {
    var fact: MockFact {
        switch self {
        case .malformed: .malformedRequest
        case .notTaken: .unsupportedRequest
        case .beyondAnnouncedLimit, .tooManyEarlyStreams: .streamsBeforeSettings
        case .beyondAcknowledgedLimit: .streamsBeyondSettings
        }
    }

    var detail: String {
        switch self {
        case .malformed(let code, let message), .notTaken(let code, let message):
            "\(message) The stream was reset with \(MockHTTP2Code(rawValue: code))."
        case .beyondAnnouncedLimit:
            """
            The stream exceeds the limit of the announced SETTINGS, which the client hasn't acknowledged yet. The stream was \
            reset with REFUSED_STREAM.
            """
        case .tooManyEarlyStreams(let maximum):
            """
            The stream exceeds the limit of the announced SETTINGS, which the client hasn't acknowledged yet. The mock serves \
            up to \(maximum) such streams, and more are open. The stream was reset with REFUSED_STREAM.
            """
        case .beyondAcknowledgedLimit:
            "The stream exceeds the limit of the SETTINGS that the client has acknowledged. The connection was closed."
        }
    }

    var remedy: MockRemedy? {
        switch self {
        case .beyondAnnouncedLimit: .serveEarlyStreams
        case .tooManyEarlyStreams: .awaitSettings
        case .malformed, .notTaken, .beyondAcknowledgedLimit: nil
        }
    }
}

extension MockVerdict {
    static let checkOfHTTP2 = "rules of HTTP/2"

    static func refused(
        _ request: MockRequest, _ fact: MockFact, _ detail: String, _ remedy: MockRemedy? = nil
    ) -> MockVerdict {
        MockVerdict(
            status: 0, messageID: .text(request.sentID), isRequestID: request.sendsRequestID, check: checkOfHTTP2,
            fact: fact,
            detail: detail, remedy: remedy)
    }

    static func unfinished(_ request: MockRequest, _ why: String) -> MockVerdict {
        MockVerdict(
            status: 0, messageID: .text(request.sentID), isRequestID: request.sendsRequestID, check: "whole request",
            fact: .unfinishedRequest,
            detail: "The connection ended before the request was complete: \(why)")
    }
}
