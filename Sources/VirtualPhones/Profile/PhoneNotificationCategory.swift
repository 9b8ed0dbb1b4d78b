/// A category that an app registers at launch, with its buttons.
public struct PhoneNotificationCategory: Sendable, Hashable {
    /// The id, which `aps.category` names.
    public var id: String
    /// The buttons, in order.
    public var actions: [PhoneNotificationAction]
    /// Whether it is reported to the app that the user dismissed a notification.
    public var reportsDismissal: Bool

    /// Creates a category.
    public init(id: String, actions: [PhoneNotificationAction] = [], reportsDismissal: Bool = false) {
        self.id = id
        self.actions = actions
        self.reportsDismissal = reportsDismissal
    }
}

/// A button of a notification.
public struct PhoneNotificationAction: Sendable, Hashable {
    /// What a button looks like, and whether it takes a text.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case `default`
        /// A button in red, for what cannot be undone.
        case destructive
        case text
    }

    /// The id that the app gets.
    public var id: String
    /// The text on the button.
    public var title: String
    /// What it looks like.
    public var kind: Kind
    /// The picture: a word that the inbox page knows.
    public var icon: String?
    /// Whether it opens the app.
    public var opensApp: Bool
    /// Whether the user must unlock the phone first.
    public var needsAuthentication: Bool
    /// The text in the empty field of a text action.
    public var placeholder: String?
    /// The text on the button that sends the text of a text action.
    public var button: String?

    /// Creates a button.
    public init(
        id: String, title: String, kind: Kind = .default, icon: String? = nil, opensApp: Bool = false,
        needsAuthentication: Bool = false, placeholder: String? = nil, button: String? = nil
    ) {
        self.id = id
        self.title = title
        self.kind = kind
        self.icon = icon
        self.opensApp = opensApp
        self.needsAuthentication = needsAuthentication
        self.placeholder = placeholder
        self.button = button
    }

    /// What people should know about the button besides its title.
    public var note: String? {
        let notes = [needsAuthentication ? "Needs unlock" : nil, opensApp ? "Opens the app" : nil].compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: ", ")
    }
}
