internal import PushWire

/// The header fields for one ``PushNotification/settled`` notification. The connection adds the method, its own
/// fields and the provider token.
struct RequestHeaders {
    let fields: OutgoingFields

    init(_ notification: PushNotification, _ inferred: PushNotification.Inferred, id: RequestID?) {
        fields = OutgoingFields(expecting: Self.typicalBytes) { fields in
            // The device token is different in every request, so it is not indexed.
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

    /// The initial size of the buffer, in bytes: enough for a topic of 60 characters, an expiration and an id. It grows
    /// if needed.
    private static let typicalBytes = 296
}
