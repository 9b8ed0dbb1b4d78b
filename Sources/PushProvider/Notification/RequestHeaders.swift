internal import PushWire

/// The header fields of one notification's request, which is ``PushNotification/settled``; those of the connection and the
/// provider token come around them.
struct RequestHeaders {
    let fields: OutgoingFields

    init(_ notification: PushNotification, _ inferred: PushNotification.Inferred, id: RequestID?) {
        fields = OutgoingFields(expecting: Self.usualBytes) { fields in
            // The token is of this request only.
            fields.write(":path", prefix: "/3/device/", notification.deviceToken.hex, indexing: .avoided)
            fields.write(APNSHeader.topic, notification.topic)
            fields.write(APNSHeader.pushType, inferred.pushType.rawValue)
            if notification.statesPriority(inferred) {
                fields.write(APNSHeader.priority, inferred.priority.description)
            }
            if let expiration = notification.effectiveExpiration.headerValue {
                fields.write(APNSHeader.expiration, expiration, indexing: .avoided)
            }
            if let collapseID = notification.collapseID {
                fields.write(APNSHeader.collapseID, collapseID, indexing: .avoided)
            }
            id?.withSpelling { fields.write(APNSHeader.id, bytes: $0, indexing: .avoided) }
        }
    }

    /// A topic of 60 characters, an expiration and an id fit in.
    private static let usualBytes = 296
}
