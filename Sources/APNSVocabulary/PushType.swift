/// The kind of a notification: the value of the `apns-push-type` header.
///
/// Unknown push types are allowed, so a new push type of Apple can be sent. Only known push types have a topic suffix.
/// Source: Apple, "Sending notification requests to APNs".
public struct PushType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The value of the header, for example `alert`.
    public let rawValue: String

    /// Creates a push type from any word. The word is not checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a push type from any word. The word is not checked.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The value of the header.
    public var description: String { rawValue }
}

extension PushType {
    /// A notification that the user sees or hears: an alert, a badge or a sound.
    public static let alert = PushType(rawValue: "alert")
    /// A silent update. It has priority 5, and no alert, badge or sound.
    public static let background = PushType(rawValue: "background")
    /// An incoming call for PushKit. The payload may have 5120 bytes.
    public static let voip = PushType(rawValue: "voip")
    /// An update of a watch face complication.
    public static let complication = PushType(rawValue: "complication")
    /// A change in a File Provider's container.
    public static let fileprovider = PushType(rawValue: "fileprovider")
    /// A push to a managed device. The topic is the subject UID of the MDM certificate.
    public static let mdm = PushType(rawValue: "mdm")
    /// A request for the user's location. It needs a provider token.
    public static let location = PushType(rawValue: "location")
    /// The start, update or end of a Live Activity. It needs a provider token.
    public static let liveactivity = PushType(rawValue: "liveactivity")
    /// Push to Talk.
    public static let pushtotalk = PushType(rawValue: "pushtotalk")
    /// An update of widgets.
    public static let widgets = PushType(rawValue: "widgets")
    /// An update of controls.
    public static let controls = PushType(rawValue: "controls")
    /// An accessory's answer to a notification that the system forwarded to it (iOS 26.5). It shows nothing.
    /// Source: Apple, "Responding to forwarded notifications".
    public static let accessory = PushType(rawValue: "accessory")

    /// All push types that Apple documents, in the order of Apple's page, and those of other pages after them.
    public static let known: [PushType] = [
        .alert, .background, .voip, .complication, .fileprovider, .mdm, .location, .liveactivity, .pushtotalk,
        .widgets, .controls, .accessory,
    ]

    /// Whether Apple documents it. Another one may be newer than this program: it is sent, with a warning of the lint.
    public var isKnown: Bool { Self.known.contains(self) }

    /// The maximum length of a push type, in bytes. Apple's longest one has 12. A longer header may not be sendable.
    private static let longest = 64

    /// Whether it can be a push type: letters, digits, dots, hyphens and underscores, at most 64.
    package var isWord: Bool {
        (1...Self.longest).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
    }

    /// The names of all known push types, for messages.
    package static let knownNames = known.map(\.rawValue).joined(separator: ", ")

    /// The suffix of a topic of this type: empty for the bundle id itself, `nil` if there is no rule (`mdm`, unknown
    /// push types).
    public var topicSuffix: String? {
        switch self {
        case .alert, .background: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        case .accessory: ".push-type.accessory"
        default: nil
        }
    }

    /// Whether its pushes are useful only at once. Without an expiration, Apple then makes one attempt.
    package var isOnlyForNow: Bool { self == .pushtotalk || self == .controls }

    /// Returns the push type for the suffix of a topic.
    ///
    /// - Parameter topic: A topic.
    /// - Returns: The push type; `nil` for a bundle id without a suffix.
    public static func type(ofTopic topic: String) -> PushType? {
        // Bytes are compared from the end: this runs for every notification, and `hasSuffix` is slower because of
        // Unicode.
        var topic = topic
        return topic.withUTF8 { topic in suffixBytes.first { ends(topic, in: $0.bytes) }?.type }
    }

    private static func ends(_ topic: UnsafeBufferPointer<UInt8>, in suffix: [UInt8]) -> Bool {
        var (left, right) = (topic.count, suffix.count)
        guard left > right, topic[left - 1] == suffix[right - 1] else { return false }
        while right > 0 {
            (left, right) = (left - 1, right - 1)
            if topic[left] != suffix[right] { return false }
        }
        return true
    }

    private static let suffixBytes = typesBySuffix.map { (bytes: Array($0.suffix.utf8), type: $0.type) }

    /// The push types whose topic has a suffix, longest suffix first.
    public static let typesBySuffix: [(suffix: String, type: PushType)] =
        known
        .compactMap { type in type.topicSuffix.map { (suffix: $0, type: type) } }
        .filter { !$0.suffix.isEmpty }
        .sorted { ($0.suffix.utf8.count, $0.suffix) > ($1.suffix.utf8.count, $1.suffix) }
}

/// A topic that is no app. Its pushes have formats of their own.
package enum SpecialTopic: Sendable {
    /// A pass type id or an order type id of Wallet.
    case wallet
    /// The website push id of old versions of Safari.
    case website
    /// The subject UID of an MDM certificate.
    case management

    /// Recognizes a topic by its beginning; `nil` for the bundle id of an app.
    package init?(_ topic: String) {
        if topic.hasPrefix("pass.") || topic.hasPrefix("order.") {
            self = .wallet
        } else if topic.hasPrefix("web.") {
            self = .website
        } else if topic.hasPrefix("com.apple.mgmt.") {
            self = .management
        } else {
            return nil
        }
    }
}
