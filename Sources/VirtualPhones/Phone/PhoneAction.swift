internal import APNSVocabulary

/// What a user does on a phone.
public enum PhoneAction: Sendable, Hashable {
    /// Taps a notification: its app opens.
    case tap(Int)
    /// Dismisses a notification. The dismissal is reported to the app if the category asks for it.
    case dismiss(Int)
    /// The app removes a notification.
    case remove(Int)
    case clearAll
    /// Keeps the notifications of an app with provisional permission.
    case keep(Int)
    /// Turns off the notifications of an app.
    case turnOff(Int)
    /// Taps Allow on a Live Activity that a push has started, so that the app gets the token for its updates.
    case allow(Int)
    case openApp(String)
    case expand(Int)
    /// Collapses the expanded notification.
    case collapse
    case press(Int, action: String, text: String?)

    /// The push that it is about.
    public var push: Int? {
        switch self {
        case .tap(let push), .dismiss(let push), .remove(let push), .keep(let push), .turnOff(let push),
            .allow(let push),
            .expand(let push), .press(let push, _, _):
            push
        case .clearAll, .openApp, .collapse: nil
        }
    }

    /// Parses the word for an action.
    ///
    /// - Parameters:
    ///   - name: The name of the action, or the id of a button.
    ///   - push: The number of the push, if there is one.
    ///   - topic: The bundle id, for `open_app`.
    ///   - text: The text, for a text action.
    /// - Throws: ``PhoneActionError`` if something is missing.
    public init(_ name: String, push: Int?, topic: String? = nil, text: String? = nil) throws(PhoneActionError) {
        switch name {
        case "clear_all": self = .clearAll
        case "collapse": self = .collapse
        case "open_app":
            guard let topic else {
                throw PhoneActionError(.incomplete, "open_app needs \"topic\".", remedy: "Give the bundle id.")
            }
            self = .openApp(topic)
        default:
            guard let push else {
                // A name that is nearly one of ours is a typing error; any other one can be a button of a push.
                let near = Self.names.contains(name) ? nil : NearestName.misspelt(name, of: Self.names.sorted())
                throw PhoneActionError(
                    .incomplete, "\(name.debugDescription) needs \"push\".",
                    remedy: near.map { "Did you mean \($0.debugDescription)?" } ?? "Give the number of a push.")
            }
            self = Self.onPush[name]?(push) ?? .press(push, action: name, text: text)
        }
    }

    /// What is done to one push, by its name.
    private static let onPush: [String: @Sendable (Int) -> PhoneAction] = [
        "tap": { .tap($0) }, "dismiss": { .dismiss($0) }, "remove": { .remove($0) }, "keep": { .keep($0) },
        "turn_off": { .turnOff($0) }, "allow": { .allow($0) }, "expand": { .expand($0) },
    ]

    /// The names of all actions but those of buttons, in `POST /v1/phones/{id}/actions`.
    static let names = Set(onPush.keys).union(["clear_all", "collapse", "open_app"])
}

/// Why an action cannot be performed.
public struct PhoneActionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. New kinds can be added.
    public struct Code: Hashable, Sendable {
        /// A stable word for programs.
        public let name: String
        /// The phone has never shown the push.
        public static let neverShown = Code(name: "never_shown")
        /// The notification is no longer on the screen.
        public static let notShown = Code(name: "not_shown")
        /// The notification has no such action.
        public static let unknownAction = Code(name: "unknown_action")
        /// A text action needs a text.
        public static let textMissing = Code(name: "text_missing")
        /// The action takes no text.
        public static let textUnwanted = Code(name: "text_unwanted")
        /// There is no such phone.
        public static let noPhone = Code(name: "no_phone")
        /// There is no such app on the phone.
        public static let noApp = Code(name: "no_app")
        /// Something is missing in the request.
        public static let incomplete = Code(name: "incomplete")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong, in a sentence.
    public let message: String
    /// What to do, in a sentence.
    public let remedy: String?
    /// Both.
    public var description: String { [message, remedy].compactMap(\.self).joined(separator: " ") }

    init(_ code: Code, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }
}
