/// The headers that rules look at, and the little of the payload that they need.
///
/// One is made for each notification that is sent, so it holds what is there already and nothing that would have to be
/// made.
struct CheckedRequest {
    /// What is known of a broadcast to the subscribers of a channel.
    struct Broadcast {
        /// Whether the channel keeps the newest message; `nil` when that is not known.
        var storesMessages: Bool?
        /// Whether the request carries an `apns-id`.
        var hasNotificationID: Bool
    }

    /// `nil` when it is not known yet.
    var topic: String?
    var givenPushType: PushType?
    /// What the payload was built for, where that is known.
    var payloadPushType: PushType?
    var givenPriority: PushPriority?
    var expiration: Expiration?
    var collapseID: String?
    /// As somebody has written it; one that was made as a value has the right form.
    var id: String?
    var inferred: PushNotification.Inferred
    /// Whether the push type follows from something, and is not only the usual one.
    var typeIsKnown: Bool
    var broadcast: Broadcast?
    var secondsSince1970: Int?

    /// A request of which push type and priority are known as they are sent.
    init(inferred: PushNotification.Inferred, typeIsKnown: Bool) {
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
    var pushType: PushType? { typeIsKnown ? inferred.pushType : nil }
}
