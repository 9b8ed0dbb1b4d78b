/// What kind of notification a request carries: the value of the `apns-push-type` header.
///
/// The type is open. A word that Apple adds tomorrow is sent as it is; only the known words carry a topic suffix.
/// Source: Apple, "Sending notification requests to APNs".
public struct PushType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The word on the wire, for example `alert`.
    public let rawValue: String

    /// Takes any word; nothing is checked here.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Takes any word; nothing is checked here.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The word on the wire.
    public var description: String { rawValue }
}

extension PushType {
    /// Something that the person sees or hears: an alert, a badge or a sound.
    public static let alert = PushType(rawValue: "alert")
    /// A silent update. Priority 5 only; the payload has no alert, badge or sound.
    public static let background = PushType(rawValue: "background")
    /// An incoming call for PushKit. Up to 5120 bytes.
    public static let voip = PushType(rawValue: "voip")
    /// An update of a watch face complication.
    public static let complication = PushType(rawValue: "complication")
    /// A change in a File Provider's container.
    public static let fileprovider = PushType(rawValue: "fileprovider")
    /// A call to a managed device. The topic is the subject UID of the MDM certificate.
    public static let mdm = PushType(rawValue: "mdm")
    /// A request for the person's location. Token connections only.
    public static let location = PushType(rawValue: "location")
    /// Start, update or end of a Live Activity. Token connections only.
    public static let liveactivity = PushType(rawValue: "liveactivity")
    /// Push to Talk.
    public static let pushtotalk = PushType(rawValue: "pushtotalk")
    /// An update of widgets.
    public static let widgets = PushType(rawValue: "widgets")
    /// An update of controls.
    public static let controls = PushType(rawValue: "controls")

    /// Every word that Apple documents, in the order of Apple's page.
    public static let known: [PushType] = [
        .alert, .background, .voip, .complication, .fileprovider, .mdm, .location, .liveactivity, .pushtotalk,
        .widgets, .controls,
    ]

    /// What a topic of this type ends in: empty for the bundle id itself, `nil` where no rule exists (`mdm`, unknown words).
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
        default: nil
        }
    }

    /// The push type whose suffix a topic ends in.
    ///
    /// - Parameter topic: A topic.
    /// - Returns: The type, or `nil` for a bare bundle id.
    public static func type(ofTopic topic: String) -> PushType? {
        // Compared as bytes from the end: this is asked for every notification, and `hasSuffix` weighs Unicode.
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

    /// The types whose topic has a suffix of its own, longest suffix first, so that a topic can be read backwards.
    public static let typesBySuffix: [(suffix: String, type: PushType)] =
        known
        .compactMap { type in type.topicSuffix.map { (suffix: $0, type: type) } }
        .filter { !$0.suffix.isEmpty }
        .sorted { ($0.suffix.utf8.count, $0.suffix) > ($1.suffix.utf8.count, $1.suffix) }
}
