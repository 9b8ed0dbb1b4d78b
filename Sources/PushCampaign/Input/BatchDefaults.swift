public import PushProvider

/// What holds for every line of a campaign that does not say otherwise.
public struct BatchDefaults: Sendable {
    /// The app's bundle id, with the suffix of the push type; empty for the only topic of the certificate.
    public var topic: String
    /// What kind of notification it is; `nil` to let it follow from topic and payload.
    public var pushType: PushType?
    /// How urgent it is; `nil` to let it follow from the push type.
    public var priority: PushPriority?
    /// How long Apple tries; `nil` to let it follow from the payload.
    public var expiration: Expiration?
    /// Replaces a notification with the same one on the device.
    public var collapseID: String?
    /// What it says, for lines that have no payload of their own; `nil` when each of them must have one.
    public var template: PayloadTemplate?
    /// Which column of CSV has the device tokens; `nil` for the one that is called `token` or `device_token`, in upper or lower case.
    public var tokenColumn: String?

    /// Describes them.
    ///
    /// - Parameters:
    ///   - topic: The app's bundle id, with the suffix of the push type.
    ///   - pushType: What kind of notification it is; `nil` to let it follow from topic and payload.
    ///   - priority: How urgent it is; `nil` to let it follow from the push type.
    ///   - expiration: How long Apple tries; `nil` to let it follow from the payload.
    ///   - collapseID: Replaces a notification with the same one on the device.
    ///   - template: What it says, for lines that have no payload of their own.
    ///   - tokenColumn: Which column of CSV has the device tokens; `nil` for the one whose name says so.
    public init(
        topic: String, pushType: PushType? = nil, priority: PushPriority? = nil,
        expiration: Expiration? = nil, collapseID: String? = nil, template: PayloadTemplate? = nil,
        tokenColumn: String? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.template = template
        self.tokenColumn = tokenColumn
    }
}
