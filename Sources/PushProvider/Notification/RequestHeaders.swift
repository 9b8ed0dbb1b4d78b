internal import PushWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The header fields of one notification's request; those of the connection and the provider token come around them.
struct RequestHeaders {
    let block: HeaderBlock
    /// As it is sent; empty when none is.
    let apnsID: String

    init(_ notification: PushNotification, _ inferred: PushNotification.Inferred, id: UUID?) {
        var block = HeaderBlock(reservingBytes: 256)
        // The token is of this request only.
        block.append(":path", prefix: "/3/device/", notification.deviceToken.hex, indexing: .avoided)
        block.append(APNSHeader.topic, notification.topic)
        block.append(APNSHeader.pushType, inferred.pushType.rawValue)
        block.append(APNSHeader.priority, inferred.priority.description)
        if let expiration = notification.expiration.headerValue {
            block.append(APNSHeader.expiration, expiration, indexing: .avoided)
        }
        if let collapseID = notification.collapseID {
            block.append(APNSHeader.collapseID, collapseID, indexing: .avoided)
        }
        // Canonical ids are lower case.
        apnsID = id?.uuidString.lowercased() ?? ""
        if !apnsID.isEmpty { block.append(APNSHeader.id, apnsID, indexing: .avoided) }
        self.block = block
    }
}
