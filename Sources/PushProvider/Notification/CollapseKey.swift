/// Which pushes replace each other on their device: those with the same topic, device token, push type and collapse id.
///
/// A class, so that a push without a collapse id needs only one reference more.
package final class CollapseKey: Hashable, Sendable {
    private let topic: String
    /// In lower case: upper and lower case are the same device token.
    private let deviceToken: String
    private let pushType: String
    private let collapseID: String
    /// A hash of the whole key, so that a lookup hashes only this.
    private let digest: Int

    /// Returns `nil` for a notification that replaces no other one.
    init?(_ notification: borrowing PushNotification, _ inferred: PushNotification.Inferred) {
        guard let collapseID = notification.collapseID, !collapseID.isEmpty else { return nil }
        var hex = notification.deviceToken.hex
        topic = notification.topic
        let device = hex.withUTF8(Self.hasCapitals) ? hex.lowercased() : hex
        deviceToken = device
        pushType = inferred.pushType.rawValue
        self.collapseID = collapseID
        var hasher = Hasher()
        hasher.combine(device)
        hasher.combine(collapseID)
        digest = hasher.finalize()
    }

    /// Whether hex digits have a capital letter. It looks at eight of them at a time, because it runs for every push with a
    /// collapse id: a capital has the bit of 0x40 and not that of 0x20.
    private static func hasCapitals(_ hex: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(hex)
        var at = 0
        while at + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            if word & ~(word << 1) & 0x4040_4040_4040_4040 != 0 { return true }
            at += 8
        }
        return bytes[at...].contains { $0 & 0x60 == 0x40 }
    }

    package static func == (left: CollapseKey, right: CollapseKey) -> Bool {
        left === right
            || left.digest == right.digest && left.collapseID == right.collapseID
                && left.deviceToken == right.deviceToken && left.topic == right.topic
                && left.pushType == right.pushType
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
