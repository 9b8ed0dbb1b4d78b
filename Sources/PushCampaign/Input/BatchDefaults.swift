package import PushLint
public import PushProvider

/// The defaults for the lines of a campaign. A field of a line overrides its default.
public struct BatchDefaults: Sendable {
    /// The app's bundle id, with the suffix of the push type. Empty means the only topic of the certificate.
    public var topic: String
    /// The kind of notification. `nil` derives it from topic and payload.
    public var pushType: PushType?
    /// The urgency. `nil` derives it from the push type.
    public var priority: PushPriority?
    /// How long Apple tries to deliver. `nil` derives it from the payload.
    public var expiration: PushExpiration?
    /// The collapse id. A notification replaces an earlier one with the same id on the device.
    public var collapseID: String?
    /// The payload for lines without their own payload. `nil` if every line must have one.
    public var template: PayloadTemplate?
    /// The CSV column with the device tokens. `nil` means the column called `token` or `device_token`, in upper or
    /// lower case.
    public var tokenColumn: String?
    /// Whether values that no placeholder uses may show a misspelt placeholder.
    package var checksPlaceholders = true
    /// Whether a line may name a `user` instead of a token. Only the service knows users.
    package var takesUsers = false

    /// Creates the defaults of a campaign.
    ///
    /// - Parameters:
    ///   - topic: The app's bundle id, with the suffix of the push type.
    ///   - pushType: The kind of notification. `nil` derives it from topic and payload.
    ///   - priority: The urgency. `nil` derives it from the push type.
    ///   - expiration: How long Apple tries to deliver. `nil` derives it from the payload.
    ///   - collapseID: The collapse id. A notification replaces an earlier one with the same id on the device.
    ///   - template: The payload for lines without their own payload.
    ///   - tokenColumn: The CSV column with the device tokens. `nil` means the column called `token` or `device_token`.
    public init(
        topic: String, pushType: PushType? = nil, priority: PushPriority? = nil,
        expiration: PushExpiration? = nil, collapseID: String? = nil, template: PayloadTemplate? = nil,
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

    /// The request of all lines, to judge the payload that they share before the first line is read; `nil` if the values of a line can
    /// change what is wrong with it.
    ///
    /// `pushsend batch` and the service judge it with this, so both refuse the same.
    package var lintContext: LintContext? {
        guard let template, template.keepsFindings else { return nil }
        var context = LintContext(
            topic: topic.isEmpty ? nil : topic, pushType: pushType, priority: priority, expiration: expiration,
            collapseID: collapseID)
        // The values of a line make it longer or shorter.
        if !template.names.isEmpty { context.payloadByteCount = 0 }
        return context
    }
}
