import APNSVocabulary
import PushPlatform

/// Device tokens that get a certain answer without any set-up: 64 decimal digits with a documented beginning. A registered
/// device wins.
package enum MockMagicToken: String, Sendable, Hashable, CaseIterable {
    /// 410 `Unregistered`, since a week ago.
    case unregistered = "990410"
    case badDeviceToken = "990400"
    case tooManyRequests = "990429"
    case serviceUnavailable = "990503"
    /// The usual answer, after 3 seconds.
    case slow = "990003"
    /// No answer.
    case silent = "990000"

    /// The length of a magic token, in decimal digits. A token of another length is not magic.
    private static let length = 64

    /// A whole device token with this beginning: the other digits are zeros.
    package var exampleToken: String { rawValue + String(repeating: "0", count: Self.length - rawValue.utf8.count) }

    package var meaning: String {
        if let reason { return "\(reason.statusOfMock) \(reason.rawValue)" }
        return self == .slow ? "the normal answer after 3 s" : "no answer"
    }

    /// The meaning of a device token; `nil` for every other token.
    init?(token: String) {
        guard token.utf8.count == Self.length, token.utf8.first == UInt8(ascii: "9"),
            token.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        self.init(rawValue: String(token.prefix(6)))
    }

    /// The reason of the rejection; `nil` if requests are not rejected.
    var reason: RejectionReason? {
        switch self {
        case .unregistered: .unregistered
        case .badDeviceToken: .badDeviceToken
        case .tooManyRequests: .tooManyRequests
        case .serviceUnavailable: .serviceUnavailable
        case .slow, .silent: nil
        }
    }
}
