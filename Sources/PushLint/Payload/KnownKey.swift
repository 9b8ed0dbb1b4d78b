/// A key that Apple documents, and the object that it belongs in.
///
/// Sources: Apple, "Generating a remote notification"; "Starting and updating Live Activities with ActivityKit push
/// notifications"; "Updating widgets with WidgetKit push notifications"; "Responding to forwarded notifications"; the
/// archived "Payload Key Reference".
package enum KnownKey: Int, CaseIterable, Sendable {
    case aps
    // In `aps`.
    case alert, badge, sound, threadID, category, contentAvailable, mutableContent, targetContentID, interruptionLevel
    case relevanceScore, filterCriteria, timestamp, staleDate, dismissalDate, event, contentState, attributesType
    case attributes, inputPushChannel, inputPushToken, contentChanged, urlArgs, pttPushType
    // In `aps` of a push to an accessory. With another push type, Apple documents no such keys.
    case encryptedData, sessionIdentifier, keyID, messageIndex
    // In `alert`.
    case title, subtitle, body, launchImage, titleLocKey, titleLocArgs, subtitleLocKey, subtitleLocArgs, locKey, locArgs
    case actionLocKey, action, summaryArg, summaryArgCount, alertSound
    // In `sound`.
    case critical, soundName, volume

    enum Home: Int, CaseIterable, Sendable {
        case root, aps, alert, sound
    }

    /// The type that a value must have.
    enum Form: Sendable {
        case text, number, object, texts
        /// An object or a string.
        case alert
        /// A string, or an object for critical alerts.
        case sound
        /// A string; in a Live Activity also an object with a key for the app's translations.
        case localText
        case textOrNull
        /// Another rule checks the value.
        case special

        var name: String {
            switch self {
            case .text: "a string"
            case .number: "a number"
            case .object: "an object"
            case .texts: "an array of strings"
            case .alert: "an object or a string"
            case .sound: "a string, or an object for a critical alert"
            case .localText: "a string"
            case .textOrNull: "a string or null"
            case .special: "something else"
            }
        }
    }

    static let ofAccessory: [KnownKey] = [.encryptedData, .sessionIdentifier, .keyID, .messageIndex]

    /// All known keys. `allCases` would be computed each time.
    package static let all = allCases

    package var name: String { Self.table[rawValue].name }
    var home: Home { Self.table[rawValue].home }
    var form: Form { Self.table[rawValue].form }

    private static let table: [(name: String, home: Home, form: Form)] = [
        ("aps", .root, .special),
        ("alert", .aps, .alert), ("badge", .aps, .special), ("sound", .aps, .sound), ("thread-id", .aps, .text),
        ("category", .aps, .text), ("content-available", .aps, .special), ("mutable-content", .aps, .special),
        ("target-content-id", .aps, .text), ("interruption-level", .aps, .text), ("relevance-score", .aps, .number),
        ("filter-criteria", .aps, .text), ("timestamp", .aps, .number), ("stale-date", .aps, .number),
        ("dismissal-date", .aps, .number), ("event", .aps, .text), ("content-state", .aps, .object),
        ("attributes-type", .aps, .text), ("attributes", .aps, .object), ("input-push-channel", .aps, .text),
        ("input-push-token", .aps, .special), ("content-changed", .aps, .special), ("url-args", .aps, .texts),
        ("ptt-push-type", .aps, .text), ("encryptedData", .aps, .text), ("sessionIdentifier", .aps, .text),
        ("keyID", .aps, .text), ("messageIndex", .aps, .text),
        ("title", .alert, .localText), ("subtitle", .alert, .localText), ("body", .alert, .localText),
        ("launch-image", .alert, .text), ("title-loc-key", .alert, .text), ("title-loc-args", .alert, .texts),
        ("subtitle-loc-key", .alert, .text), ("subtitle-loc-args", .alert, .texts), ("loc-key", .alert, .text),
        ("loc-args", .alert, .texts), ("action-loc-key", .alert, .textOrNull), ("action", .alert, .text),
        ("summary-arg", .alert, .text), ("summary-arg-count", .alert, .number), ("sound", .alert, .text),
        ("critical", .sound, .special), ("name", .sound, .text), ("volume", .sound, .number),
    ]

    // MARK: Finding

    static func vocabulary(of home: Home) -> Vocabulary { vocabularies[home.rawValue] }

    private static let vocabularies: [Vocabulary] = Home.allCases.map { home in
        Vocabulary(allCases.filter { $0.home == home }.map(\.name))
    }

    /// The key with this name in this object; `nil` if Apple documents none.
    static func find(_ name: ArraySlice<UInt8>, in home: Home) -> KnownKey? {
        let mark = mark(of: name)
        return index[home.rawValue].first { $0.mark == mark && $0.name.elementsEqual(name) }?.key
    }

    private static let index: [[(mark: UInt64, name: [UInt8], key: KnownKey)]] = Home.allCases.map { home in
        allCases.filter { $0.home == home }.map { key in
            let name = Array(key.name.utf8)
            return (mark: mark(of: name[...]), name: name, key: key)
        }
    }

    /// A cheap hash of length and some bytes. Names with different marks are different.
    private static func mark(of name: ArraySlice<UInt8>) -> UInt64 {
        guard let first = name.first, let last = name.last else { return 0 }
        let middle = name[name.startIndex + name.count / 2]
        return UInt64(truncatingIfNeeded: name.count) << 32 | UInt64(first) << 16 | UInt64(middle) << 8 | UInt64(last)
    }
}
