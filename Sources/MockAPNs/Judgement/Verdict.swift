public import APNSVocabulary

/// The answer of the mock to a request, and the reason for it.
public struct Verdict: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The reason in the body of a rejection.
    public let reason: RejectionReason?
    /// The time since which the device token is no longer active, for a 410.
    public let timestamp: Moment?
    /// The `apns-id` of the answer.
    public let messageID: String
    /// The `apns-unique-id` of the answer. Only for accepted requests in the sandbox.
    public let uniqueID: String?
    /// The name of the check that failed; `nil` if none failed.
    public let check: String?
    /// The fact that the verdict is based on, and how certain it is.
    public let fact: Fact
    /// What is wrong with the request, in a sentence for the log. Device tokens are shortened.
    public let detail: String?
    /// How to change the mock so that it accepts such requests.
    public let remedy: MockRemedy?
    /// For an accepted request, the facts for which APNs might have decided otherwise.
    public let allowances: [Fact]

    /// Creates a verdict, for example for an answer that a test forces.
    public init(
        status: Int,
        reason: RejectionReason? = nil,
        timestamp: Moment? = nil,
        messageID: String,
        uniqueID: String? = nil,
        check: String? = nil,
        fact: Fact,
        detail: String? = nil,
        remedy: MockRemedy? = nil,
        allowances: [Fact] = []
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.messageID = messageID
        self.uniqueID = uniqueID
        self.check = check
        self.fact = fact
        self.detail = detail
        self.remedy = remedy
        self.allowances = allowances
    }

    /// Whether the request was accepted.
    public var isAccepted: Bool { status == 200 }

    /// The body of the answer: empty, or a JSON object with `reason` and, for a 410, `timestamp` in milliseconds.
    public var body: [UInt8] {
        guard let reason else { return [] }
        let time = timestamp.map { ",\"timestamp\":\($0.millisecondsSince1970)" } ?? ""
        return Array("{\"reason\":\"\(Self.escaped(reason.rawValue))\"\(time)}".utf8)
    }

    /// Escapes a text for JSON. The reason of a forced answer can be any text.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
