internal import PushJSON
import PushPlatform
internal import PushWire

struct ParsedAnswer {
    var apnsID = ""
    var uniqueID: String?
    var channelID: String?
    var retryAfter: String?
    var body: ReasonBody?

    /// - Parameters:
    ///   - response: The answer.
    ///   - kind: What was asked. Only some kinds have an id of a channel, or `apns-request-id` instead of `apns-id`.
    init(_ response: HTTP2Response, _ kind: RequestKind = .push) {
        if response.headers.count == 0, response.body.isEmpty { return }
        response.headers.forEach { name, value in
            if name.elementsEqual(Self.id) {
                apnsID = String(decoding: value, as: UTF8.self)
            } else if name.elementsEqual(Self.unique) {
                uniqueID = String(decoding: value, as: UTF8.self)
            } else if name.elementsEqual(Self.retry) {
                retryAfter = String(decoding: value, as: UTF8.self)
            } else if kind.hasRequestID, name.elementsEqual(Self.request) {
                apnsID = String(decoding: value, as: UTF8.self)
            } else if kind.hasRequestID, name.elementsEqual(Self.channel) {
                channelID = String(decoding: value, as: UTF8.self)
            }
        }
        body = response.body.isEmpty ? nil : ReasonBody(response.body)
    }

    /// Returns the server's time, in seconds since 1970; `nil` if the answer has no valid `date` header.
    static func serverTime(_ response: HTTP2Response) -> Int? {
        var text: String?
        response.headers.forEach { name, value in
            if name.elementsEqual(date) { text = String(decoding: value, as: UTF8.self) }
        }
        return text.flatMap(HTTPDate.seconds)
    }

    /// The header fields that are read from every answer. Other fields are dropped.
    static let fields = [id, unique, request, channel]
    /// The header fields that are read only if a notification was not accepted.
    static let fieldsOfRefusals = [retry, date]

    private static let id = Array(APNSHeader.id.utf8)
    private static let unique = Array(APNSHeader.uniqueID.utf8)
    private static let request = Array(APNSHeader.requestID.utf8)
    private static let channel = Array(APNSHeader.channelID.utf8)
    private static let date = Array("date".utf8)
    private static let retry = Array(APNSHeader.retryAfter.utf8)
}

/// The JSON body of a rejection. Values that are missing or invalid are ignored.
struct ReasonBody {
    var reason: RejectionReason?
    var timestampMilliseconds: Int64?

    /// The valid timestamps, in milliseconds since 1970: up to the year 9999. Other timestamps are ignored.
    private static let times = 1...253_402_300_799_999.0

    init(_ bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes) else { return }
        if case .string(let name)? = value["reason"] { reason = RejectionReason(rawValue: name) }
        switch value["timestamp"] {
        case .integer(let milliseconds)? where Self.times.contains(Double(milliseconds)):
            timestampMilliseconds = Int64(milliseconds)
        case .number(let milliseconds)? where Self.times.contains(milliseconds):
            timestampMilliseconds = Int64(milliseconds)
        default: break
        }
    }
}

/// The header field `retry-after`: seconds, or a date (RFC 9110 section 10.2.3). Any other value is ignored.
package enum RetryAfter {
    /// The maximum pause, in seconds. A longer pause is reduced to this one (RFC 9111 section 1.2.2).
    static let longestPause = 2_147_483_648

    /// Returns how long to wait from now; `nil` if the value is not usable, for example a date in the past.
    package static func pause(_ text: String?, secondsSince1970 now: Int) -> Duration? {
        guard let text else { return nil }
        if let seconds = seconds(text) { return .seconds(seconds) }
        guard let date = HTTPDate.seconds(text), date > now else { return nil }
        return .seconds(min(date - now, longestPause))
    }

    /// Returns the number of seconds; `nil` if the text has other characters than digits. A number that is too large
    /// for an `Int` counts as the maximum pause.
    private static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return min(Int(text) ?? longestPause, longestPause)
    }
}
