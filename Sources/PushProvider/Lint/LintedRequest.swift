/// The headers that rules look at, and the little of the payload that they need.
///
/// One is made for each notification that is sent, so it holds what is there already and nothing that would have to be
/// made.
struct LintedRequest {
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
    var broadcast: LintContext.Broadcast?
    var secondsSince1970: Int?

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

    init(_ context: LintContext, _ reading: PayloadReading) {
        topic = context.topic
        givenPushType = context.pushType
        payloadPushType = context.payloadPushType
        let pushType = context.pushType ?? context.payloadPushType
        givenPriority = context.priority
        expiration = context.secondsSince1970.flatMap { context.expiration?.counted(from: $0) } ?? context.expiration
        collapseID = context.collapseID
        id = context.id
        broadcast = context.broadcast
        secondsSince1970 = context.secondsSince1970
        inferred = PushNotification.inferred(
            pushType: broadcast == nil ? pushType : .liveactivity, priority: context.priority,
            topic: context.topic ?? "", reading)
        typeIsKnown =
            broadcast != nil || pushType != nil || reading.plainPushType != nil
            || context.topic?.isEmpty == false
    }

    /// `nil` when nothing tells what kind of notification it is.
    var pushType: PushType? { typeIsKnown ? inferred.pushType : nil }
}
