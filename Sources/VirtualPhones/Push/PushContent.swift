import APNSVocabulary
import PushJSON
import PushPlatform

/// The meaning of a payload for a phone.
struct PushContent: Sendable {
    struct Sound: Sendable, Hashable {
        var name: String
        var isCritical = false
        var volume: Double?
    }

    var title: String?
    var subtitle: String?
    var body: String?
    var sound: Sound?
    /// The badge; `nil` leaves it.
    var badge: Int?
    var category: String?
    var thread: String?
    /// `target-content-id`.
    var target: String?
    var level: PhoneNotificationLevel
    var isMutable: Bool
    var wakesApp: Bool
    var summaryArgument: String?
    var summaryCount: Int
    /// The members beside `aps`.
    var custom: [LocatedJSON.Member]
    let aps: LocatedJSON?
    /// What is unusual about the payload, in sentences.
    var remarks: [String] = []

    var isVisible: Bool { [title, subtitle, body].contains { $0?.isEmpty == false } }

    /// Reads a payload. The result is `nil` if it is not a JSON object.
    ///
    /// - Parameters:
    ///   - bytes: The payload.
    ///   - strings: The texts of the app, by key.
    init?(_ bytes: [UInt8], strings: [String: String]) {
        guard let tree = try? LocatedJSON(json: bytes), tree.kind == .object else { return nil }
        self.init(tree.members, strings: strings)
    }

    private init(_ members: [LocatedJSON.Member], strings: [String: String]) {
        custom = members.filter { $0.name != "aps" }
        let aps = members.last { $0.name == "aps" }?.value
        self.aps = aps
        sound = aps?["sound"].flatMap(Sound.init)
        category = aps?["category"]?.plainText
        thread = aps?["thread-id"]?.plainText.flatMap { $0.isEmpty ? nil : $0 }
        target = aps?["target-content-id"]?.plainText
        level = aps?["interruption-level"]?.string.flatMap(PhoneNotificationLevel.init) ?? .active
        isMutable = Self.isSet(aps?["mutable-content"])
        wakesApp = Self.isSet(aps?["content-available"])
        let alert = aps?["alert"]
        summaryArgument = alert?["summary-arg"]?.plainText
        summaryCount = min(max(1, alert?["summary-arg-count"]?.integer ?? 1), 1_000_000)
        readTexts(alert, strings)
        if sound?.isCritical == true { level = .critical }
        if let badge = aps?["badge"] { readBadge(badge) }
        if let name = aps?["interruption-level"]?.plainText, PhoneNotificationLevel(rawValue: name) == nil {
            remarks.append("Unknown interruption level \(name.debugDescription)")
        }
    }

    private mutating func readTexts(_ alert: LocatedJSON?, _ strings: [String: String]) {
        if let text = alert?.string {
            body = text
            return
        }
        title = text(alert, "title", "title-loc-key", "title-loc-args", strings)
        subtitle = text(alert, "subtitle", "subtitle-loc-key", "subtitle-loc-args", strings)
        body = text(alert, "body", "loc-key", "loc-args", strings)
    }

    private mutating func text(
        _ alert: LocatedJSON?, _ plain: String, _ key: String, _ arguments: String, _ strings: [String: String]
    ) -> String? {
        // In the alert of a Live Activity, the value of "title" can be an object with the key.
        let value = alert?[plain]
        let nested = value?["loc-key"] != nil
        guard let name = (nested ? value?["loc-key"] : alert?[key])?.string else { return value?.plainText }
        let values = (nested ? value?["loc-args"] : alert?[arguments])?.texts ?? []
        guard let format = strings[name] else {
            remarks.append("The app has no text for the key \(name.debugDescription), so the key is shown")
            return name
        }
        return LocalizedText.filled(format, values)
    }

    private mutating func readBadge(_ value: LocatedJSON) {
        guard let number = value.integer, number >= 0, value.string == nil else {
            remarks.append("The badge isn't a whole number of 0 or more, so it isn't changed")
            return
        }
        badge = number
    }

    /// Whether a flag is on. Apple documents the number 1; other numbers and `true` work too.
    private static func isSet(_ value: LocatedJSON?) -> Bool {
        value?.bool ?? value?.number.map { $0 != 0 } ?? false
    }

    func text(of key: String) -> String? { custom.last { $0.name == key }?.value.plainText }

    /// Applies the contents of an opened envelope. Other fields are not changed.
    mutating func apply(_ opened: PushContent) {
        if opened.isVisible { (title, subtitle, body) = (opened.title, opened.subtitle, opened.body) }
        sound = opened.sound ?? sound
        badge = opened.badge ?? badge
        category = opened.category ?? category
        thread = opened.thread ?? thread
        custom += opened.custom
        remarks += opened.remarks
    }
}

extension PushContent.Sound {
    fileprivate init?(_ value: LocatedJSON) {
        if let name = value.string {
            self.init(name: name)
        } else if value.kind == .object {
            self.init(
                name: value["name"]?.string ?? "default", isCritical: value["critical"]?.number == 1,
                volume: value["volume"]?.number)
        } else {
            return nil
        }
        if name.isEmpty { return nil }
    }
}

/// How much a notification may interrupt.
public enum PhoneNotificationLevel: String, Sendable, Hashable, CaseIterable {
    /// Added to the list, without light and sound.
    case passive
    /// The default: lights the screen and plays a sound.
    case active
    /// Breaks through a Focus, if the user allows it.
    case timeSensitive = "time-sensitive"
    /// Breaks through the mute switch and a Focus. It needs an entitlement of Apple.
    case critical
}

/// A text that the device looks up in the tables of the app.
enum LocalizedText {
    /// Fills a format: `%@` takes the next argument, `%2$@` the second one, and `%%` is a percent sign.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - arguments: The arguments. A missing one stays empty.
    /// - Returns: The text.
    static func filled(_ format: String, _ arguments: [String]) -> String {
        var text = ""
        var next = 0
        var rest = format[...]
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[percent...].dropFirst()
            if rest.first == "%" {
                text += "%"
                rest = rest.dropFirst()
            } else if let (index, length) = specifier(rest) {
                let argument = index ?? next
                if index == nil { next += 1 }
                if arguments.indices.contains(argument) { text += arguments[argument] }
                rest = rest.dropFirst(length)
            } else {
                text += "%"
            }
        }
        return text + rest
    }

    /// The argument that a format specifier after `%` names, and the length of the specifier; `nil` if this is no specifier.
    private static func specifier(_ rest: Substring) -> (index: Int?, length: Int)? {
        if rest.first == "@" { return (nil, 1) }
        let digits = rest.prefix { ("0"..."9").contains($0) }.prefix(3)
        guard let number = Int(digits), number > 0, rest.dropFirst(digits.count).hasPrefix("$@") else { return nil }
        return (number - 1, digits.count + 2)
    }
}

extension LocatedJSON {
    /// The texts of a list, for the arguments of a format.
    var texts: [String] { items.map { $0.plainText ?? "" } }
}
