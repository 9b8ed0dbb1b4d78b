public import APNSVocabulary
import PushJSON
public import PushPlatform

/// The answer of the mock to a request, and the reason for it.
public struct MockVerdict: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The reason in the body of a rejection.
    public let reason: RejectionReason?
    /// The time since which the device token is no longer active, for a 410.
    public let timestamp: Date?
    /// The `apns-id` of the answer, or its `apns-request-id`.
    public var messageID: String { message.text }
    let message: MockAnswerID
    /// Whether ``messageID`` is sent as `apns-request-id`: for requests about broadcasts and channels.
    public let isRequestID: Bool
    /// The `apns-channel-id` of the answer. Only for a new channel.
    public let channelID: String?
    /// The body of an accepted request.
    private let answer: [UInt8]
    /// Its size, for the limit of the log.
    var answerByteCount: Int { answer.count }
    /// The `apns-unique-id` of the answer. Only for accepted requests in the sandbox.
    public var uniqueID: String? { unique?.text }
    let unique: MockAnswerID?
    /// The name of the check that failed; `nil` if none failed.
    public let check: String?
    package let fact: MockFact
    /// What is wrong with the request, in a sentence for the log. Device tokens are shortened.
    public let detail: String?
    /// How to change the mock so that it accepts such requests.
    package let remedy: MockRemedy?
    /// How to change the mock so that it accepts such requests, in a sentence; `nil` if nothing helps.
    public var advice: String? { remedy?.description }
    /// What APNs would do with an accepted push; `nil` for other requests.
    package let delivery: MockDelivery?
    /// For an accepted request, the facts for which APNs might have decided otherwise.
    package let allowances: [MockFact]

    /// Creates a verdict, for example for an answer that a test forces.
    package init(
        status: Int,
        reason: RejectionReason? = nil,
        timestamp: Date? = nil,
        messageID: MockAnswerID,
        isRequestID: Bool = false,
        uniqueID: MockAnswerID? = nil,
        channelID: String? = nil,
        check: String? = nil,
        fact: MockFact,
        detail: String? = nil,
        remedy: MockRemedy? = nil,
        delivery: MockDelivery? = nil,
        answer: [UInt8] = [],
        allowances: [MockFact] = []
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        message = messageID
        self.isRequestID = isRequestID
        self.channelID = channelID
        self.delivery = delivery
        self.answer = answer
        unique = uniqueID
        self.check = check
        self.fact = fact
        self.detail = detail
        self.remedy = remedy
        self.allowances = allowances
    }

    /// Whether the request was accepted.
    public var isAccepted: Bool { (200..<300).contains(status) }

    /// The body of the answer: that of an accepted request, or a JSON object with `reason` and, for a 410, `timestamp` in milliseconds.
    public var body: [UInt8] {
        guard let reason else { return answer }
        var writer = JSONWriter()
        writer.object {
            $0.member("reason", reason.rawValue)
            if let timestamp { $0.member("timestamp") { $0.integer(timestamp.millisecondsSince1970) } }
        }
        return writer.bytes
    }
}

/// What APNs would do with a push that it has accepted. The sender does not learn it: the answer is 200 in every case.
package enum MockDelivery: String, Hashable, Sendable, CaseIterable {
    /// The device is online: APNs hands the push to it.
    case delivered
    /// The device is offline: APNs keeps the push until it expires.
    case stored
    /// APNs drops the push: the device is offline and the push must not be stored, or notifications are off for the app.
    case discarded
}
