public import APNSVocabulary

/// What the mock answers to a request, and why.
public struct Verdict: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The word in the body of a rejection.
    public let reason: RejectionReason?
    /// Since when the device token is dead, for a 410.
    public let timestamp: Moment?
    /// The `apns-id` of the answer.
    public let messageID: String
    /// The `apns-unique-id` of the answer: in the sandbox, for an accepted request.
    public let uniqueID: String?
    /// The name of the check that has objected; `nil` when none has.
    public let check: String?
    /// What the verdict rests on, and how sure that is.
    public let fact: Fact
    /// What is wrong with the request, in a sentence for the log; device tokens in it are shortened.
    public let detail: String?
    /// What to change about the mock so that it takes such requests.
    public let remedy: MockRemedy?
    /// For an accepted request: where APNs may have decided otherwise.
    public let allowances: [Fact]

    /// Puts an answer together, for example one that a test forces.
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

    /// Whether the request was taken.
    public var isAccepted: Bool { status == 200 }

    /// The body of the answer: empty, or a JSON object with `reason` and, for a 410, `timestamp` in milliseconds.
    public var body: [UInt8] {
        guard let reason else { return [] }
        let time = timestamp.map { ",\"timestamp\":\($0.millisecondsSince1970)" } ?? ""
        return Array("{\"reason\":\"\(Self.escaped(reason.rawValue))\"\(time)}".utf8)
    }

    /// A forced reason can be any text.
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
