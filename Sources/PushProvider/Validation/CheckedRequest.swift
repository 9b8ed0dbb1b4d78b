/// The headers that rules check, and the parts of the payload that these rules need.
///
/// One is created for each notification, so it only copies existing values and computes nothing.
package struct CheckedRequest {
    /// The properties of a broadcast to the subscribers of a channel.
    package struct Broadcast {
        /// Whether the channel stores the newest message; `nil` if that is unknown.
        package var storesMessages: Bool?
        package var hasNotificationID: Bool

        package init(storesMessages: Bool?, hasNotificationID: Bool) {
            self.storesMessages = storesMessages
            self.hasNotificationID = hasNotificationID
        }
    }

    /// The topic; `nil` if it is not known yet.
    package var topic: String?
    package var givenPushType: PushType?
    /// The push type that the payload was built for, if that is known.
    package var payloadPushType: PushType?
    package var givenPriority: PushPriority?
    package var expiration: PushExpiration?
    package var collapseID: String?
    /// The `apns-id` as text from the user; `nil` for an id that is always valid.
    package var id: String?
    package var inferred: PushNotification.Inferred
    /// Whether the push type follows from the request. Otherwise it is only the default.
    var typeIsKnown: Bool
    package var broadcast: Broadcast?
    package var secondsSince1970: Int?

    package init(inferred: PushNotification.Inferred, typeIsKnown: Bool) {
        self.inferred = inferred
        self.typeIsKnown = typeIsKnown
    }

    init(_ notification: PushNotification, _ inferred: PushNotification.Inferred) {
        topic = notification.topic
        givenPushType = notification.pushType
        payloadPushType = notification.payload.pushType
        givenPriority = notification.priority
        expiration = notification.expiration
        collapseID = notification.collapseID
        self.inferred = inferred
        typeIsKnown = true
    }

    package var pushType: PushType? { typeIsKnown ? inferred.pushType : nil }
}
