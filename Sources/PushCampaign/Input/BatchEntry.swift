public import PushJSON
public import PushProvider

/// One line of a campaign whose lines come from a program instead of a file.
public struct BatchEntry: Sendable {
    /// The notification to send.
    public var notification: PushNotification
    /// A value that identifies the line in the results, for example the row's id in a database.
    public var ref: PushJSONValue?

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - notification: The notification to send.
    ///   - ref: A value that identifies the line in the results.
    public init(_ notification: PushNotification, ref: PushJSONValue? = nil) {
        self.notification = notification
        self.ref = ref
    }

    /// Returns the notification with its row as JSON. The identifying fields come first, because another run finds the
    /// line by them. Times and the id may differ between runs.
    func notification(index: Int) -> PushNotification {
        var json = Array("{\"token\":".utf8)
        JSONBytes.write(notification.deviceToken.hex, to: &json, .long)
        let token = json.count - 1 - notification.deviceToken.hex.utf8.count..<json.count - 1
        var refRange: Range<Int>?
        if let ref {
            json += ",\"ref\":".utf8
            let start = json.count
            json += ref.encoded
            refRange = start..<json.count
        }
        json += ",\"topic\":".utf8
        JSONBytes.write(notification.topic, to: &json, .long)
        if let pushType = notification.pushType {
            json += ",\"push_type\":".utf8
            JSONBytes.write(pushType.rawValue, to: &json, .long)
        }
        if let priority = notification.priority { json += ",\"priority\":\(priority)".utf8 }
        if let collapseID = notification.collapseID {
            json += ",\"collapse_id\":".utf8
            JSONBytes.write(collapseID, to: &json, .long)
        }
        // A Live Activity has the state of a certain time. Another run may send a later state.
        let hasTimes = notification.effectivePushType == .liveactivity
        if !hasTimes { Self.write(notification.payload, to: &json) }
        let identifying = json.count
        if hasTimes { Self.write(notification.payload, to: &json) }
        if let id = notification.id { json += ",\"apns_id\":\"\(RequestID(id))\"".utf8 }
        let expiration = notification.effectiveExpiration
        switch expiration.form {
        case .after(let seconds): json += ",\"expires\":\"\(seconds)s\"".utf8
        case .exact(let value):
            json += ",\"expires\":".utf8
            JSONBytes.write(value, to: &json, .long)
        case .apnsDefault, .once, .until:
            if let value = expiration.headerValue { json += ",\"expires\":\(value)".utf8 }
        }
        json.append(UInt8(ascii: "}"))
        var numbered = notification
        numbered.row = BatchRow(
            index: index, line: index + 1, file: 0, text: json, identified: identifying, ref: refRange,
            token: token, hasID: notification.id != nil)
        return numbered
    }

    private static func write(_ payload: PushPayload, to json: inout [UInt8]) {
        guard payload.reading.problem == nil else { return }
        json += ",\"payload\":".utf8
        json += payload.bytes.map { $0 < 0x20 ? 0x20 : $0 }
    }
}
