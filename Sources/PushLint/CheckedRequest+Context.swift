import PushPlatform
internal import PushProvider

extension CheckedRequest {
    /// Creates a request from a context and the reading of a payload.
    init(_ context: LintContext, _ reading: PayloadFacts) {
        let pushType = context.pushType ?? context.payloadPushType
        let seconds = context.now.map { Int(clamping: $0.timeIntervalSince1970) }
        self.init(
            inferred: PushNotification.inferred(
                pushType: context.broadcast == nil ? pushType : .liveactivity, priority: context.priority,
                topic: context.topic ?? "", reading),
            typeIsKnown: context.broadcast != nil || pushType != nil || reading.plainPushType != nil
                || context.topic?.isEmpty == false)
        topic = context.topic
        givenPushType = context.pushType
        payloadPushType = context.payloadPushType
        givenPriority = context.priority
        expiration = seconds.flatMap { context.expiration?.counted(from: $0) } ?? context.expiration
        collapseID = context.collapseID
        id = context.id
        broadcast = context.broadcast.map {
            Broadcast(storesMessages: $0.storesMessages, hasNotificationID: $0.hasNotificationID)
        }
        secondsSince1970 = seconds
    }
}
