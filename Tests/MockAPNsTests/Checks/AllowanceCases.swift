import APNSVocabulary
import MockAPNs
import Testing

/// A request that the mock accepts although APNs may not, and the fact that says so.
struct AllowanceCase: Sendable, CustomTestStringConvertible {
    let what: String
    /// The id of the fact.
    let fact: String
    /// Changes a good request to a registered device.
    let change: @Sendable (inout Trial) -> Void

    init(_ what: String, _ fact: String, change: @escaping @Sendable (inout Trial) -> Void) {
        self.what = what
        self.fact = fact
        self.change = change
    }

    var testDescription: String { what }
}

/// One doubt for each line; every allowance has at least one.
enum AllowanceCases {
    static let all = credentials + connection + headers + payload + channels

    static let credentials = [
        AllowanceCase("any key", "unverified-provider-token") { $0.apns.authentication = .any },
        AllowanceCase("any key for a list of channels", "unverified-provider-token") {
            $0.makeList()
            $0.apns.authentication = .any
        },
        AllowanceCase("iat as text", "iat-text") { $0.token = Trial.token(issueTimeIsText: true) },
        AllowanceCase("ES512 as alg", "es512-name") { $0.token = Trial.token(algorithm: "ES512") },
        AllowanceCase("an iat with a fraction", "iat-fraction") {
            $0.token = Trial.token(issueTimeIsFraction: true)
        },
        AllowanceCase("an exp in the past", "exp-past") {
            $0.token = Trial.token(expiresAt: Trial.now.later(by: -1))
        },
        AllowanceCase("standard base64", "standard-base64") { $0.token = Trial.token(isStandardBase64: true) },
    ]

    static let connection = [
        AllowanceCase("no ALPN", "http2-without-alpn") {
            $0.connection = ConnectionFacts(number: 1, agreedOnHTTP2: false)
        },
        AllowanceCase("a stream before SETTINGS", "streams-before-settings") { $0.isBeyondStreamLimit = true },
    ]

    static let headers = [
        AllowanceCase("another header twice", "repeated-other-header") {
            $0.moreFields = [.init("content-type", "a"), .init("content-type", "b")]
        },
        AllowanceCase("an upper-case apns-id", "upper-case-apns-id") { $0.headers["apns-id"] = Trial.id.uppercased() },
        AllowanceCase("a past expiration", "past-expiration") { $0.headers["apns-expiration"] = "1799999999" },
        AllowanceCase("an expiration in milliseconds", "far-expiration") {
            $0.headers["apns-expiration"] = "1800000060000"
        },
        AllowanceCase("background without priority", "background-priority-10") {
            $0.headers["apns-push-type"] = "background"
            $0.headers["apns-priority"] = nil
        },
        AllowanceCase("fileprovider at 10", "fileprovider-priority") {
            $0.headers["apns-push-type"] = "fileprovider"
            $0.headers["apns-topic"] = "com.example.app.pushkit.fileprovider"
        },
        AllowanceCase("an alert to an app named voip", "topic-like-suffix") {
            $0.headers["apns-topic"] = "com.example.voip"
        },
        AllowanceCase("a device that nobody registered", "unknown-device-token") { $0.path = "/3/device/abcd" },
    ]

    static let payload = [
        AllowanceCase("a body that is text", "payload-not-an-object") { $0.body = Array("Hello".utf8) }
    ]

    static let channels = [
        AllowanceCase("channels of an app named voip", "bundle-id-like-suffix") {
            $0.makeList(app: "com.example.voip")
        },
        AllowanceCase("a broadcast without priority", "broadcast-without-priority") {
            $0.makeBroadcast()
            $0.headers["apns-priority"] = nil
        },
        AllowanceCase("a broadcast without expiration", "broadcast-without-expiration") {
            $0.makeBroadcast()
            $0.headers["apns-expiration"] = nil
        },
        AllowanceCase("a broadcast with a topic", "broadcast-with-topic") {
            $0.makeBroadcast()
            $0.headers["apns-topic"] = "com.example.app"
        },
        AllowanceCase("a broadcast with a past expiration", "past-expiration") {
            $0.makeBroadcast()
            $0.headers["apns-expiration"] = "1"
        },
        AllowanceCase("a broadcast with an expiration in milliseconds", "far-expiration") {
            $0.makeBroadcast()
            $0.headers["apns-expiration"] = "1800000060000"
        },
        AllowanceCase("a broadcast that starts something", "broadcast-event") {
            $0.makeBroadcast()
            $0.body = Array(#"{"aps":{"event":"start"}}"#.utf8)
        },
    ]
}
