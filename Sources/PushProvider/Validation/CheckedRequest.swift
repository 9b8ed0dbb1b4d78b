/// The headers that rules look at, and the little of the payload that they need.
///
/// One is made for each notification that is sent, so it holds what is there already and nothing that would have to be
/// made.
package struct CheckedRequest {
    /// What is known of a broadcast to the subscribers of a channel.
    package struct Broadcast {
        /// Whether the channel keeps the newest message; `nil` when that is not known.
        package var storesMessages: Bool?
        /// Whether the request carries an `apns-id`.
        package var hasNotificationID: Bool

        package init(storesMessages: Bool?, hasNotificationID: Bool) {
            self.storesMessages = storesMessages
            self.hasNotificationID = hasNotificationID
        }
    }

    /// `nil` when it is not known yet.
    package var topic: String?
    package var givenPushType: PushType?
    /// What the payload was built for, where that is known.
    package var payloadPushType: PushType?
    package var givenPriority: PushPriority?
    package var expiration: Expiration?
    package var collapseID: String?
    /// As somebody has written it; one that was made as a value has the right form.
    package var id: String?
    package var inferred: PushNotification.Inferred
    /// Whether the push type follows from something, and is not only the usual one.
    var typeIsKnown: Bool
    package var broadcast: Broadcast?
    package var secondsSince1970: Int?

    /// A request of which push type and priority are known as they are sent.
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

    /// `nil` when nothing tells what kind of notification it is.
    package var pushType: PushType? { typeIsKnown ? inferred.pushType : nil }
}
