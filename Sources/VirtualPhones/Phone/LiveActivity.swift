import PushJSON
import PushPlatform
import PushTime

struct LiveActivity: Sendable {
    /// How long it stays on the lock screen after its end, in seconds.
    static let longestAfterEnd = 4 * 3600.0

    /// How many replaced tokens are remembered.
    private static let maximumOldTokens = 5

    let id: String
    let topic: String
    let startedAt: Date
    /// The attributes type; `nil` if the app started it by itself.
    var type: String?
    var attributes: [LocatedJSON.Member]
    /// The device token that it was started with.
    var startToken: String?
    /// The device token for its updates, since when, and those that it has replaced.
    var updateToken: String?
    var tokenSince: Date?
    var oldTokens: [String] = []
    var channel: String?
    /// Whether the person has allowed updates, if the phone asks for that.
    var isAllowed = true
    /// When the system shows no further update yet; `nil` for any time.
    var pausedUntil: Date?
    /// When the system ends it.
    let lastActive: Date
    /// The newest push about it.
    var push: Int
    var state: [LocatedJSON.Member] = []
    /// The time that the payload shown gives, in seconds since 1970.
    var timestamp = -Double.infinity
    var staleDate: Date?
    var relevance = 0.0
    var isStale = false
    var endedAt: Date?
    var dismissal: Date?

    /// All its device tokens, those that are no longer valid too.
    var tokens: [String] { [startToken, updateToken].compactMap(\.self) + oldTokens }

    /// When something about it changes by itself; `nil` for never.
    var nextChange: Date? {
        [
            isStale || endedAt != nil ? nil : staleDate,
            endedAt == nil ? lastActive : dismissal,
        ].compactMap(\.self).min()
    }

    /// Notes the device token of an update.
    mutating func use(_ token: String, at now: Date) {
        guard token != startToken, token != updateToken else { return }
        (updateToken, tokenSince) = (token, now)
    }

    /// Makes the token for updates an old one when its time has passed. The next token that is new is that of this activity.
    mutating func replaceToken(after time: Duration, at now: Date) {
        guard let token = updateToken, let since = tokenSince,
            now.timeIntervalSince(since) >= time / .seconds(1)
        else { return }
        updateToken = nil
        oldTokens = (oldTokens + [token]).suffix(Self.maximumOldTokens)
    }

    /// The value of a key in the content state or the attributes.
    func value(_ key: String) -> LocatedJSON? {
        (state.last { $0.name == key } ?? attributes.last { $0.name == key })?.value
    }

    /// Fills a template: `{key}` is replaced by a value.
    func filled(_ template: String) -> String {
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            text += value(String(rest[rest.index(after: open)..<close]))?.plainText ?? ""
            rest = rest[close...].dropFirst()
        }
        return text + rest
    }

    func card(_ app: PhoneAppProfile) -> PhoneActivityCard {
        let profile = app.liveActivities.first { $0.type == type } ?? (type == nil ? app.liveActivities.first : nil)
        return PhoneActivityCard(
            push: push, topic: topic, app: app.name, id: id, type: type, title: profile?.title.map(filled),
            line: profile?.line.map(filled), time: profile?.time.flatMap(time),
            progress: profile?.progress.flatMap(bar),
            fields: (state + attributes).map { .init(key: $0.name, value: $0.value.shortText) }, isStale: isStale,
            isEnded: endedAt != nil, staleDate: staleDate, dismissal: dismissal, channel: channel,
            isMapped: profile != nil)
    }

    /// A time in the content state, which Swift encodes as seconds since 2001.
    private func time(_ key: String) -> String? {
        guard let value = value(key) else { return nil }
        return value.number.map { Date(timeIntervalSinceReferenceDate: $0).rfc3339 } ?? value.plainText
    }

    private func bar(_ bar: PhoneLiveActivityProfile.Progress) -> PhoneActivityCard.Progress? {
        guard let whole = Double(bar.whole) ?? value(bar.whole)?.number, whole > 0 else { return nil }
        if let done = bar.done.flatMap({ value($0)?.number }) { return .init(done: done, whole: whole) }
        return bar.left.flatMap { value($0)?.number }.map { .init(done: whole - $0, whole: whole) }
    }
}

extension LocatedJSON {
    /// The value as text; objects and lists as JSON.
    var shortText: String { plainText ?? String(decoding: json, as: UTF8.self) }
}
