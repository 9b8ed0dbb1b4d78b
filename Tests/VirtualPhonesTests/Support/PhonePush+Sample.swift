import APNSVocabulary
import PushPlatform

@testable import VirtualPhones

extension Date {
    /// When the tests begin.
    static let start = Date(timeIntervalSince1970: 1_795_000_000)
}

extension PhonePush {
    /// A push with defaults for all that a test does not care about.
    static func sample(
        _ number: Int, _ payload: String, to token: String = "5f3ad1c07b9e4286", topic: String = "com.example.app",
        type: PushType = .alert, expiration: Expiration = .unspecified, collapse: String? = nil, at seconds: Double = 0,
        channel: String? = nil, answer: Answer = Answer()
    ) -> PhonePush {
        PhonePush(
            number: number, time: .start.addingTimeInterval(seconds),
            target: channel.map { .channel($0) } ?? .device(token),
            topic: topic, type: type, expiration: expiration, collapseID: collapse, body: Array(payload.utf8),
            answer: answer)
    }
}
