import PushPlatform
import PushProvider

/// One request of `pushsend verify`: what it changes in a request that is otherwise right, and the fact that its answer is about.
struct VerifyQuestion: Sendable {
    /// The connections, in the order in which they are opened. Requests with wrong provider tokens have their own, so that they
    /// don't spoil the others.
    enum Connection: Int, CaseIterable, Sendable {
        case requests, payloadsAndDevices, tokens, malformedToken
    }

    /// The id of the fact, as in docs/mock-fidelity.md.
    let fact: String
    /// What is sent, for people.
    let text: String
    let connection: Connection
    /// The setting of the mock, and its value, that plays a refusal where the mock accepts. The value `nil` is the reason.
    let refusal: (setting: String, value: Bool?)?
    let change: @Sendable (inout VerifyRequest) -> Void

    private init(
        _ fact: String, _ text: String, _ connection: Connection = .requests,
        refusal: (setting: String, value: Bool?)? = nil,
        _ change: @escaping @Sendable (inout VerifyRequest) -> Void
    ) {
        (self.fact, self.text, self.connection, self.refusal, self.change) = (fact, text, connection, refusal, change)
    }

    /// The first question: a right request for a device token that doesn't exist, or for the user's own phone. The answer to a request
    /// that passes all checks is the same.
    static let first = VerifyQuestion("device-token-known", "a correct request") { _ in }

    /// All questions, by connection. Apple disconnects after too many errors, so they are spread over the connections.
    static let all: [VerifyQuestion] = [
        first,
        VerifyQuestion("method", "the method GET") { $0.method = "GET" },
        VerifyQuestion("path", "the path /3/devices/") { $0.path = "/3/devices/\($0.token)" },
        VerifyQuestion("repeated-headers", "apns-priority twice") { $0.fields.append((APNSHeader.priority, "5")) },
        VerifyQuestion("apns-id", "an apns-id that isn't a UUID") { $0[APNSHeader.id] = "verify" },
        VerifyQuestion(
            "setting-accepts-upper-case-apns-id", "an apns-id in upper case",
            refusal: ("accepts_upper_case_apns_id", false)
        ) { $0[APNSHeader.id] = "3F2504E0-4F89-11D3-9A0C-0305E82C3301" },
        VerifyQuestion("topic-present", "no topic") { $0[APNSHeader.topic] = nil },
        VerifyQuestion("topic-form", "a topic with a space") { $0[APNSHeader.topic] = "not a topic" },
        VerifyQuestion("push-type-known", "the push type \"verify\"") { $0[APNSHeader.pushType] = "verify" },
        VerifyQuestion("accepted", "no push type") { $0[APNSHeader.pushType] = nil },
        VerifyQuestion("topic-of-the-push-type", "the push type voip with the topic of an app") {
            $0[APNSHeader.pushType] = PushType.voip.rawValue
        },
        VerifyQuestion("priority-known", "the priority 7") { $0[APNSHeader.priority] = "7" },
        VerifyQuestion("priority-of-background", "a background push with priority 10") {
            $0[APNSHeader.priority] = "10"
        },
        VerifyQuestion("expiration-form", "the expiration \"tomorrow\"") { $0[APNSHeader.expiration] = "tomorrow" },
        VerifyQuestion(
            "expiration-not-past", "an expiration in 1970", refusal: ("past_expiration_reason", nil)
        ) { $0[APNSHeader.expiration] = "1" },
        VerifyQuestion("collapse-id-length", "a collapse id of 65 bytes") {
            $0[APNSHeader.collapseID] = String(repeating: "v", count: APNSLimit.collapseIDBytes + 1)
        },

        VerifyQuestion("payload-present", "no payload", .payloadsAndDevices) { $0.body = [] },
        VerifyQuestion("accepted", "a payload of 4,096 bytes", .payloadsAndDevices) {
            $0.body = VerifyRequest.payload(bytes: APNSLimit.payloadBytes)
        },
        VerifyQuestion("payload-size", "a payload of 4,097 bytes", .payloadsAndDevices) {
            $0.body = VerifyRequest.payload(bytes: APNSLimit.payloadBytes + 1)
        },
        VerifyQuestion(
            "payload-JSON", "a payload that isn't JSON", .payloadsAndDevices, refusal: ("not_json_reason", nil)
        ) { $0.body = Array("[".utf8) },
        VerifyQuestion("device-token-present", "no device token", .payloadsAndDevices) { $0.path = "/3/device/" },
        VerifyQuestion("device-token-form", "a device token that isn't hex", .payloadsAndDevices) {
            $0.path = "/3/device/" + String(repeating: "verify", count: 10)
        },
        VerifyQuestion("device-token-form", "a device token in upper case", .payloadsAndDevices) {
            $0.path = "/3/device/\($0.token.uppercased())"
        },

        VerifyQuestion("provider-token-present", "no provider token", .tokens) { $0[APNSHeader.authorization] = nil },
        VerifyQuestion("issue-time-not-old", "a provider token of two hours ago", .tokens) {
            $0[APNSHeader.authorization] = $0.oldAuthorization
        },
        VerifyQuestion("provider-token-form", "a malformed provider token", .malformedToken) {
            $0[APNSHeader.authorization] = "bearer verify"
        },
    ]

    /// Whether it needs a key: with a certificate, there are no provider tokens.
    var needsKey: Bool { connection == .tokens || connection == .malformedToken }
}

/// A request before it is sent.
struct VerifyRequest: Sendable {
    var method = "POST"
    var path: String
    /// The fields after the pseudo-headers.
    var fields: [(name: String, value: String)]
    var body: [UInt8]
    /// The device token of the path, in hex.
    let token: String
    /// An `authorization` that has expired; `nil` with a certificate.
    let oldAuthorization: String?

    /// A background push, which shows nothing on a phone.
    init(token: String, topic: String, authorization: String?, oldAuthorization: String?) {
        self.token = token
        self.oldAuthorization = oldAuthorization
        path = "/3/device/\(token)"
        fields = [
            (APNSHeader.topic, topic), (APNSHeader.pushType, PushType.background.rawValue), (APNSHeader.priority, "5"),
            (APNSHeader.expiration, "0"),
        ]
        if let authorization { fields.append((APNSHeader.authorization, authorization)) }
        body = Self.payload(bytes: 0)
    }

    /// The first field of this name. A new value replaces all fields of the name.
    subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// A background payload, filled up to a size in bytes.
    static func payload(bytes: Int) -> [UInt8] {
        let (start, end) = (#"{"aps":{"content-available":1}"#, #"}"#)
        let rest = bytes - start.utf8.count - end.utf8.count - #","v":"""#.utf8.count
        return Array((start + (rest > 0 ? #","v":"\#(String(repeating: "v", count: rest))""# : "") + end).utf8)
    }
}
