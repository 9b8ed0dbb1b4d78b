internal import PushJSON
internal import PushWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What Apple's answer to one request says.
struct AnswerReading {
    var apnsID = ""
    var uniqueID: String?
    var retryAfter: String?
    var body: ReasonBody?

    init(_ response: HTTP2Response) {
        if response.headers.count == 0, response.body.isEmpty { return }
        var apnsID = ""
        var uniqueID: String?
        var retryAfter: String?
        response.headers.forEach { name, value in
            if name.elementsEqual(Self.id) {
                apnsID = String(decoding: value, as: UTF8.self)
            } else if name.elementsEqual(Self.unique) {
                uniqueID = String(decoding: value, as: UTF8.self)
            } else if name.elementsEqual(Self.retry) {
                retryAfter = String(decoding: value, as: UTF8.self)
            }
        }
        self.apnsID = apnsID
        self.uniqueID = uniqueID
        self.retryAfter = retryAfter
        body = response.body.isEmpty ? nil : ReasonBody(response.body)
    }

    /// The server's clock, in seconds since 1970, where it has told it.
    static func serverTime(_ response: HTTP2Response) -> Int? {
        var text: String?
        response.headers.forEach { name, value in
            if name.elementsEqual(date) { text = String(decoding: value, as: UTF8.self) }
        }
        return text.flatMap(HTTPDate.seconds)
    }

    /// The fields of an answer that mean something; all others need not be kept.
    static let fields = [id, unique]
    /// Those that mean something only when a notification was not accepted.
    static let fieldsOfRefusals = [retry, date]

    private static let id = Array(APNSHeader.id.utf8)
    private static let unique = Array(APNSHeader.uniqueID.utf8)
    private static let date = Array("date".utf8)
    private static let retry = Array(APNSHeader.retryAfter.utf8)
}

/// The JSON of a rejection. Whatever does not fit is passed over: status, headers and raw body say what they say.
struct ReasonBody {
    var reason: RejectionReason?
    var timestampMilliseconds: Int64?

    /// Moments in which a device can have gone, in milliseconds: after 1970 and before the year 10 000.
    private static let times = 1...253_402_300_799_999.0

    init(_ bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes) else { return }
        if case .string(let word)? = value["reason"] { reason = RejectionReason(rawValue: word) }
        switch value["timestamp"] {
        case .integer(let milliseconds)? where Self.times.contains(Double(milliseconds)):
            timestampMilliseconds = Int64(milliseconds)
        case .number(let milliseconds)? where Self.times.contains(milliseconds):
            timestampMilliseconds = Int64(milliseconds)
        default: break
        }
    }
}
