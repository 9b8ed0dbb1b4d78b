#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is said when a Live Activity begins, changes or ends, on the devices that show it as an alert.
///
/// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications".
public struct LiveActivityAlert: Sendable, Hashable {
    /// The first line.
    public var title: PushText
    /// The text.
    public var body: PushText
    /// A sound file of the app, or `default`.
    public var sound: String?

    /// Says something.
    ///
    /// - Parameters:
    ///   - title: The first line.
    ///   - body: The text.
    ///   - sound: A sound file of the app, or `default`.
    public init(title: PushText, body: PushText, sound: String? = nil) {
        self.title = title
        self.body = body
        self.sound = sound
    }

    var tree: EncodedJSON {
        var members = ["title": title.tree, "body": body.tree]
        members.set("sound", sound)
        return .object(members)
    }
}

/// From where a Live Activity that a push has started gets its updates (iOS 18): one of the two, never both.
public enum LiveActivityInput: Sendable, Hashable {
    /// By pushes to a token of its own, which the app tells your server.
    case token
    /// By broadcasts on a channel: its id, base64.
    case channel(String)

    func write(to aps: inout [String: EncodedJSON]) {
        switch self {
        case .token: aps["input-push-token"] = .integer(1)
        case .channel(let id): aps["input-push-channel"] = .text(id)
        }
    }
}

/// How long a Live Activity that has ended stays on the Lock Screen.
public enum LiveActivityDismissal: Sendable, Hashable {
    /// As the system has it: up to four hours.
    case bySystem
    /// Not at all.
    case immediately
    /// Until then, but not longer than four hours.
    case at(Date)
}
